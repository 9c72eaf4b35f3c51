//! Files that are this user's alone.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use snugfit_proxy::random;

/// A new folder among the temporary files of this user, which goes when this is dropped.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("snugfit-inspect-{}", random::text(16)?));
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

    /// Removes it and what is in it.
    pub(super) fn remove(&self) {
        // What cannot be removed now is for the system to clear.
        let _ = fs::remove_dir_all(&self.0);
    }

    /// A new file in it.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        File::options().read(true).write(true).create_new(true).open(self.0.join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.remove();
    }
}
