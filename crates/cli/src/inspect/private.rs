//! Files and names that are this user's alone.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A new folder among the temporary files of this user, which goes when this is dropped.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("snugfit-inspect-{}", token()?));
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// A new file in it.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).open(self.0.join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed now is for the system to clear.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A name that cannot be guessed.
pub(super) fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
