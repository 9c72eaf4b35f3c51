//! A file of lines that only ever grows, set aside when it is large.
//!
//! A line is one write to a file that is open for appending and nothing waits in memory: whoever kills the process loses at most the line that is
//! being written, and several processes may write to one file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::sync::lock;

/// A file of lines.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    max_bytes: u64,
    /// Files set aside that are kept; all where this is not given.
    max_files: Option<usize>,
    open: Mutex<Open>,
}

/// The file that is written to.
#[derive(Debug)]
struct Open {
    file: File,
    /// The last line may have been broken off: the disk was full.
    broken: bool,
}

impl Journal {
    /// Opens a file, which is made where there is none.
    pub(super) fn open(path: &Path, max_bytes: u64, max_files: Option<usize>) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(Self { path: path.to_owned(), max_bytes, max_files, open: Mutex::new(Open { file: open(path)?, broken: false }) })
    }

    /// Appends a line, which ends in a line feed.
    pub(super) fn write(&self, line: &str) -> io::Result<()> {
        let mut current = lock(&self.open);
        if current.broken {
            *current = Open { file: open(&self.path)?, broken: false };
        }
        let size = current.file.metadata()?.len();
        if size > 0 && size + line.len() as u64 > self.max_bytes {
            current.file = self.set_aside(&current.file)?;
        }
        current.file.write_all(line.as_bytes()).inspect_err(|_| current.broken = true)
    }

    /// Makes sure that everything is on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        lock(&self.open).file.sync_data()
    }

    /// Begins a new file, once the full one has the next free number.
    fn set_aside(&self, full: &File) -> io::Result<File> {
        full.lock()?;
        let renamed = self.rename(full);
        // Others would wait for it, whatever went wrong.
        let _ = full.unlock();
        renamed?;
        open(&self.path)
    }

    /// Gives the file the next free number, unless another process has just done so.
    fn rename(&self, full: &File) -> io::Result<()> {
        full.sync_data()?;
        if is_same(full, &self.path) {
            let mut numbers = self.numbers()?;
            let last = numbers.last().copied().unwrap_or_default();
            let next = last.checked_add(1).ok_or_else(|| io::Error::other("no number is left for a file that is set aside"))?;
            fs::rename(&self.path, numbered(&self.path, next))?;
            numbers.push(next);
            if let Some(kept) = self.max_files {
                for old in &numbers[..numbers.len().saturating_sub(kept)] {
                    // Somebody else may have removed it.
                    let _ = fs::remove_file(numbered(&self.path, *old));
                }
            }
        }
        Ok(())
    }

    /// The numbers of the files that were set aside, in rising order.
    fn numbers(&self) -> io::Result<Vec<u64>> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut numbers: Vec<u64> = fs::read_dir(folder)?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_prefix(&name)?.strip_prefix('.')?.parse().ok())
            .collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}

fn numbered(path: &Path, number: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

/// Opens a file to append to. A last line that was broken off is ended, so that the next one is whole.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).read(true).create(true);
    // It may hold what was asked and answered.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != [b'\n'] {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata(), path.metadata()), (Ok(ours), Ok(theirs)) if id(&ours) == id(&theirs))
}

/// Where files have no identity, one of this size under this name is taken for ours.
#[cfg(not(unix))]
fn is_same(file: &File, path: &Path) -> bool {
    matches!((file.metadata(), path.metadata()), (Ok(ours), Ok(theirs)) if ours.len() == theirs.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("snugfit-journal-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    fn lines(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        files.flat_map(|file| fs::read_to_string(file).expect("a file").lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn a_large_file_is_set_aside_and_old_ones_go() {
        let folder = folder("rotate");
        let path = folder.join("a").join("t.ndjson");
        let journal = Journal::open(&path, 100, Some(2)).expect("opens");
        for n in 0..50 {
            journal.write(&format!("{{\"line\":{n:010}}}\n")).expect("writes");
        }
        journal.sync().expect("syncs");
        let mut names: Vec<String> = fs::read_dir(folder.join("a"))
            .expect("a folder")
            .map(|entry| entry.expect("one").file_name().to_string_lossy().into())
            .collect();
        names.sort();
        assert_eq!(names, ["t.ndjson", "t.ndjson.8", "t.ndjson.9"]);
        let kept = lines(&folder.join("a"));
        assert!(kept.iter().all(|line| line.len() == 19) && kept.iter().any(|line| line.contains("0000000049")), "{kept:?}");
        fs::remove_dir_all(folder).expect("removes");
    }

    #[test]
    fn several_writers_lose_nothing() {
        let folder = folder("several");
        let path = folder.join("t.ndjson");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let journal = Journal::open(&path, 2000, None).expect("opens");
                scope.spawn(move || (0..500).for_each(|n| journal.write(&format!("{writer} {n}\n")).expect("writes")));
            }
        });
        let mut found = lines(&folder);
        found.sort();
        let mut expected: Vec<String> = (0..4).flat_map(|writer| (0..500).map(move |n| format!("{writer} {n}"))).collect();
        expected.sort();
        assert_eq!(found, expected);
        fs::remove_dir_all(folder).expect("removes");
    }

    /// A line of which the disk took only a part.
    fn break_off(journal: &Journal, path: &Path) {
        lock(&journal.open).file = File::open(path).expect("a file that is only read");
        journal.write("{\"more\":1}\n").expect_err("it is only read");
        let mut file = OpenOptions::new().append(true).open(path).expect("opens");
        file.write_all(b"{\"mo").expect("writes");
    }

    #[test]
    fn a_line_that_did_not_fit_on_the_disk_is_ended_before_the_next() {
        let folder = folder("full");
        let path = folder.join("t.ndjson");
        let journal = Journal::open(&path, 1000, None).expect("opens");
        break_off(&journal, &path);
        journal.write("{\"next\":1}\n").expect("writes");
        assert_eq!(fs::read_to_string(&path).expect("reads"), "{\"mo\n{\"next\":1}\n");
        fs::remove_dir_all(folder).expect("removes");
    }

    #[test]
    fn nobody_waits_for_one_who_cannot_set_a_file_aside() {
        let folder = folder("kept");
        let path = folder.join("t.ndjson");
        let [one, other] = [0; 2].map(|_| Journal::open(&path, 100, None).expect("opens"));
        one.write(&format!("{}\n", "a".repeat(90))).expect("writes");
        fs::write(numbered(&path, u64::MAX), "").expect("writes");
        let error = one.write("no room here, and no number after that\n").expect_err("there is no such number");
        assert!(error.to_string().contains("no number is left"), "{error}");
        assert!(lock(&other.open).file.try_lock().is_ok(), "it is still locked");
        fs::remove_dir_all(folder).expect("removes");
    }

    #[test]
    fn a_line_that_was_broken_off_is_ended() {
        let folder = folder("broken");
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("t.ndjson");
        fs::write(&path, "{\"whole\":1}\n{\"bro").expect("writes");
        Journal::open(&path, 1000, None).expect("opens").write("{}\n").expect("writes");
        assert_eq!(fs::read_to_string(&path).expect("reads"), "{\"whole\":1}\n{\"bro\n{}\n");
        fs::remove_dir_all(folder).expect("removes");
    }
}
