//! Files that are replaced as a whole, so that nobody ever reads half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The mode of files that only their owner can read. Where there are no modes, the user's own folders are the user's alone.
pub(crate) const PRIVATE: u32 = 0o600;
/// The mode of files that others may read as well, as far as the user lets them.
pub(crate) const OPEN: u32 = 0o666;

/// Writes a file in the place of the one that is there, and the folders above it where there are none. No link is followed.
pub(crate) fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!(".{name}.{}-{}", std::process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed)));
    let written = (|| {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = create(&fresh, mode)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&fresh, path)
    })();
    written.inspect_err(|_| drop(fs::remove_file(&fresh)))
}

/// A file that was not there.
fn create(path: &Path, mode: u32) -> io::Result<File> {
    // One of this name was left behind by a process that is no more, and may be anybody's.
    let _ = fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_at_a_time_do_not_meet() {
        let folder = std::env::temp_dir().join(format!("snugfit-test-replace-{}", std::process::id()));
        let path = folder.join("deep").join("file");
        std::thread::scope(|scope| {
            for text in ["a", "b"].map(|text| text.repeat(50_000)) {
                let path = &path;
                scope.spawn(move || (0..20).for_each(|_| replace(path, &text, PRIVATE).expect("a file")));
            }
        });
        let text = fs::read_to_string(&path).expect("a file");
        assert!(text.len() == 50_000 && text.bytes().all(|byte| byte == text.as_bytes()[0]));
        assert_eq!(fs::read_dir(folder.join("deep")).expect("a folder").count(), 1, "nothing is left behind");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        }
        fs::remove_dir_all(&folder).expect("it is there");
    }
}
