//! Complete results in files, which whoever has a preview can read for as long as nobody removes them.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use snugfit_recovery::{Error, Key, Session, Stats, Store};
use uuid::Uuid;

use crate::config::Surface;

/// What the names of the files begin with, and end with; an id stands between.
const BEGIN: &str = "snugfit-response-";
const END: &str = ".json";

/// What stands before the id in the paths of the files.
pub(crate) fn before(surface: &Surface) -> String {
    folder(surface.files_dir.as_deref()).join(BEGIN).to_string_lossy().into_owned()
}

/// A session that keeps originals in files.
///
/// # Errors
/// The system has no random numbers to give.
pub(crate) fn session(surface: &Surface) -> Result<Session, Error> {
    Ok(Session::new(Box::new(Files { folder: folder(surface.files_dir.as_deref()) }), Key::random()?))
}

/// Removes the files of complete results that are older than `age` from a folder: how many, and their bytes.
///
/// # Errors
/// The folder cannot be read, or a file not be removed.
pub fn clean(folder: &Path, age: Duration) -> io::Result<(usize, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        let is_ours =
            name.to_str().and_then(|name| name.strip_prefix(BEGIN)?.strip_suffix(END)).is_some_and(|id| Uuid::try_parse(id).is_ok());
        if !is_ours {
            continue;
        }
        match remove_old(&path, age) {
            Ok(None) => {}
            Ok(Some(size)) => (files, bytes) = (files + 1, bytes + size),
            // Somebody else cleans, or it is somebody else's.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((files, bytes))
}

/// Removes a file that is old enough: its bytes.
fn remove_old(path: &Path, age: Duration) -> io::Result<Option<u64>> {
    let metadata = fs::symlink_metadata(path)?;
    let is_old = metadata.modified().is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|since| since >= age));
    if !metadata.is_file() || !is_old {
        return Ok(None);
    }
    fs::remove_file(path).map(|()| Some(metadata.len()))
}

fn folder(named: Option<&Path>) -> PathBuf {
    let folder = named.map_or_else(std::env::temp_dir, Path::to_owned);
    std::path::absolute(&folder).unwrap_or(folder)
}

/// A folder of originals, a file each that only its owner can read.
struct Files {
    folder: PathBuf,
}

impl Files {
    fn path(&self, id: Uuid) -> PathBuf {
        self.folder.join(format!("{BEGIN}{id}{END}"))
    }
}

impl Store for Files {
    fn put(&self, id: Uuid, original: Cow<'_, [u8]>) -> Result<(), Error> {
        let path = self.path(id);
        let failed = |error: &io::Error| Error::StoreFailed(format!("{} cannot be written: {error}", path.display()));
        fs::create_dir_all(&self.folder).map_err(|error| failed(&error))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = match options.open(&path) {
            // Nobody else can know the id: this is the same original.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
            opened => opened.map_err(|error| failed(&error))?,
        };
        file.write_all(&original).map_err(|error| {
            let _ = fs::remove_file(&path);
            failed(&error)
        })
    }

    fn get(&self, id: Uuid) -> Result<Option<Vec<u8>>, Error> {
        match fs::read(self.path(id)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some).map_err(|error| Error::StoreFailed(error.to_string())),
        }
    }

    /// They stay until somebody removes them.
    fn sweep(&self) {}

    /// They outlive the session.
    fn clear(&self) {}

    fn stats(&self) -> Stats {
        Stats::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn originals_are_kept_in_private_files_and_cleaned_by_age() {
        let folder = std::env::temp_dir().join(format!("snugfit-test-{}", std::process::id()));
        let surface = Surface { files_dir: Some(folder.join("new")), ..Surface::default() };
        let session = session(&surface).expect("randomness");
        let id = session.keep(b"original").expect("a file").expect("it is kept");
        assert_eq!(session.keep(b"original"), Ok(Some(id.clone())));
        let path = PathBuf::from(format!("{}{id}{END}", before(&surface)));
        assert_eq!(fs::read(&path).expect("a file"), b"original");
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&path.metadata().expect("a file").permissions()) & 0o777, 0o600);
        session.close();
        assert!(path.exists(), "it outlives its session");

        let other = folder.join("new/snugfit-response-of-somebody.json");
        fs::write(&other, "x").expect("a file");
        assert_eq!(clean(&folder.join("new"), Duration::from_hours(1)).expect("a folder"), (0, 0));
        assert_eq!(clean(&folder.join("new"), Duration::ZERO).expect("a folder"), (1, 8));
        assert!(!path.exists() && other.exists());
        fs::remove_dir_all(&folder).expect("it is there");
    }

    #[test]
    fn files_that_vanish_meanwhile_are_passed_over() {
        let folder = std::env::temp_dir().join(format!("snugfit-test-vanish-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let files: Vec<PathBuf> = (0..50).map(|n| folder.join(format!("{BEGIN}{}{END}", Uuid::from_u128(n)))).collect();
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    for file in &files {
                        fs::write(file, "x").expect("a file");
                    }
                    for file in &files {
                        fs::remove_file(file).expect("it is there");
                    }
                }
            });
            let cleaned = (0..500).try_for_each(|_| clean(&folder, Duration::from_hours(1)).map(drop));
            over.store(true, std::sync::atomic::Ordering::Relaxed);
            cleaned.expect("nothing that ends it");
        });
        fs::remove_dir_all(&folder).expect("it is there");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_an_error_and_not_there() {
        let file = std::env::temp_dir().join(format!("snugfit-test-file-{}", std::process::id()));
        fs::write(&file, "no folder").expect("a file");
        let session = session(&Surface { files_dir: Some(file.clone()), ..Surface::default() }).expect("randomness");
        assert!(matches!(session.keep(b"original"), Err(Error::StoreFailed(why)) if why.contains("cannot be written")));
        fs::remove_file(file).expect("it is there");
    }
}
