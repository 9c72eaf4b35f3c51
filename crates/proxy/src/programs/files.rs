//! The files of generated programs.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use snugfit_toolset::client::File;

/// Writes files into a folder. New files take the place of old ones, so that nobody reads one half written, and no link is followed.
pub(super) fn write(folder: &Path, files: &[File]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for file in files {
        let fresh = folder.join(format!(".{}.{}", file.path, std::process::id()));
        let _ = fs::remove_file(&fresh);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, file.mode);
        options.open(&fresh)?.write_all(file.content.as_bytes())?;
        fs::rename(&fresh, folder.join(&file.path))?;
    }
    Ok(())
}

/// Makes a folder that only its owner can look into.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
