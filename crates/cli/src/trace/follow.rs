//! The lines of a file that grows, and that is set aside for a new one now and then.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// How often is looked for more.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest line; what is longer comes in pieces.
const MOST_BYTES: u64 = 64 << 20;

/// Gives lines, for ever where it follows.
pub(crate) struct Follow {
    path: PathBuf,
    file: Option<BufReader<File>>,
    /// The last lines that were there at first.
    first: VecDeque<String>,
    /// The beginning of a line whose end is not there yet.
    begun: Vec<u8>,
    follows: bool,
    /// How many files there were before this one.
    files: usize,
    /// Where the last line of this one begins, and what was read of it.
    last: u64,
    at: u64,
}

impl Follow {
    /// Gives the last `lines` of a file, and then what comes.
    pub(super) fn new(path: &Path, lines: usize, follows: bool) -> io::Result<Self> {
        let mut this = Self::from_start(path, follows)?;
        while let Some(line) = this.read()? {
            this.first.push_back(line);
            if this.first.len() > lines {
                this.first.pop_front();
            }
        }
        Ok(this)
    }

    /// Gives all lines of a file, and then what comes if it follows.
    pub(crate) fn from_start(path: &Path, follows: bool) -> io::Result<Self> {
        let (first, begun) = (VecDeque::new(), Vec::new());
        let mut this = Self { path: path.to_owned(), file: None, first, begun, follows, files: 0, last: 0, at: 0 };
        match File::open(path) {
            Ok(file) => this.file = Some(BufReader::new(file)),
            Err(error) if error.kind() == ErrorKind::NotFound && follows => {}
            Err(error) => return Err(error),
        }
        Ok(this)
    }

    /// From now on waits for more.
    pub(crate) fn go_on(&mut self) {
        self.follows = true;
    }

    /// The file that the last line is of, how many there were before it, and where the line begins and ends.
    pub(crate) fn place(&self) -> Option<(&File, usize, [u64; 2])> {
        Some((self.file.as_ref()?.get_ref(), self.files, [self.last, self.at]))
    }

    /// The next line; `None` where there is none and none is waited for.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<String>> {
        if let Some(line) = self.first.pop_front() {
            return Ok(Some(line));
        }
        loop {
            if let Some(line) = self.read()? {
                return Ok(Some(line));
            }
            if !self.follows {
                return Ok(None);
            }
            // What was written before the file was set aside has been read.
            if self.is_set_aside()
                && let Ok(file) = File::open(&self.path)
            {
                self.files += usize::from(self.file.is_some());
                self.at = 0;
                self.file = Some(BufReader::new(file));
                self.begun.clear();
                continue;
            }
            sleep(PAUSE);
        }
    }

    /// A line, if all of it is there.
    fn read(&mut self) -> io::Result<Option<String>> {
        let Some(file) = &mut self.file else { return Ok(None) };
        file.by_ref().take(MOST_BYTES).read_until(b'\n', &mut self.begun)?;
        if self.begun.last() != Some(&b'\n') && (self.begun.len() as u64) < MOST_BYTES {
            return Ok(None);
        }
        let mut line = std::mem::take(&mut self.begun);
        self.last = self.at;
        self.at += line.len() as u64;
        line.truncate(line.trim_ascii_end().len());
        Ok(Some(String::from_utf8_lossy(&line).into_owned()))
    }

    /// Whether another file has the name now.
    fn is_set_aside(&self) -> bool {
        let Some(file) = &self.file else { return true };
        match (file.get_ref().metadata(), self.path.metadata()) {
            (Ok(ours), Ok(theirs)) => is_another(&ours, &theirs),
            _ => false,
        }
    }
}

#[cfg(unix)]
fn is_another(ours: &std::fs::Metadata, theirs: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (ours.dev(), ours.ino()) != (theirs.dev(), theirs.ino())
}

/// Where files have no identity, one that is smaller is another.
#[cfg(not(unix))]
fn is_another(ours: &std::fs::Metadata, theirs: &std::fs::Metadata) -> bool {
    theirs.len() < ours.len()
}
