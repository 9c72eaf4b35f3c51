//! Files that are replaced as a whole, so that nobody ever reads half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file in the place of the one that is there, and the folders above it where there are none. A `private` one only its owner can read.
pub(crate) fn replace(path: &Path, text: &str, private: bool) -> io::Result<()> {
    let fresh = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = (|| {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = create(&fresh, private)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&fresh, path)
    })();
    written.inspect_err(|_| drop(fs::remove_file(&fresh)))
}

/// An empty file.
fn create(path: &Path, private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if private {
        use std::os::unix::fs::OpenOptionsExt;
        // One that was left behind may be anybody's.
        let _ = fs::remove_file(path);
        options.create_new(true).mode(0o600);
    }
    // Elsewhere the user's own folders are the user's alone.
    #[cfg(not(unix))]
    let _ = private;
    options.open(path)
}
