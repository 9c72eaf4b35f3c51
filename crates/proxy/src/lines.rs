//! Messages framed by line feeds, as stdio transports frame them.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at a time; lines above it are handed on in the memory they were read into.
const CHUNK: usize = 64 << 10;

/// How much is kept of each end of a line above the limit.
const ENDS: usize = 256;

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line that is not blank.
    Whole(Vec<u8>),
    /// A line above the limit, which was read past: how it begins and how it ends.
    TooLong(Vec<u8>, Vec<u8>),
    /// The last bytes of a stream that ended within a line.
    Broken(Vec<u8>),
}

/// The lines of a stream.
pub(crate) struct Lines<R> {
    reader: R,
    limit: usize,
    buffer: Vec<u8>,
    /// Where the next line begins in the buffer.
    start: usize,
    /// How far the buffer was searched for a line feed.
    seen: usize,
    /// How the line begins that is being read, where it is above the limit.
    skipped: Option<Vec<u8>>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// The lines of `reader`, each of at most `limit` bytes.
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit, buffer: Vec::new(), start: 0, seen: 0, skipped: None }
    }

    /// The next line that is not blank; `None` at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer[self.seen..]).map(|at| self.seen + at) {
                let line = self.take(end);
                let head = |line: &[u8]| line[..line.len().min(ENDS)].to_vec();
                let skipped = self.skipped.take().or_else(|| (line.len() > self.limit).then(|| head(&line)));
                if let Some(head) = skipped {
                    return Ok(Some(Line::TooLong(head, line[line.len().saturating_sub(ENDS)..].to_vec())));
                }
                if !line.trim_ascii().is_empty() {
                    return Ok(Some(Line::Whole(line)));
                }
                continue;
            }
            self.seen = self.buffer.len();
            let read = self.buffer.len() - self.start;
            if read > self.limit || (self.skipped.is_some() && read > CHUNK) {
                let line = &self.buffer[self.start..];
                self.skipped.get_or_insert_with(|| line[..read.min(ENDS)].to_vec());
                self.buffer = line[read.saturating_sub(ENDS)..].to_vec();
                (self.start, self.seen) = (0, self.buffer.len());
            }
            self.make_room();
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                let rest = self.buffer.split_off(self.start);
                self.buffer = Vec::new();
                (self.start, self.seen) = (0, 0);
                return Ok((!rest.trim_ascii().is_empty()).then_some(Line::Broken(rest)));
            }
        }
    }

    /// The bytes up to `end`, where a line feed is.
    fn take(&mut self, end: usize) -> Vec<u8> {
        if end - self.start <= CHUNK {
            let line = self.buffer[self.start..end].to_vec();
            (self.start, self.seen) = (end + 1, end + 1);
            return line;
        }
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(end);
        line.drain(..self.start);
        (self.start, self.seen) = (0, 0);
        line
    }

    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.seen -= self.start;
            self.start = 0;
        }
        if self.buffer.capacity() - self.buffer.len() < CHUNK / 2 {
            self.buffer.reserve(CHUNK.max(self.buffer.len() / 2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(bytes: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(bytes, limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.expect("a slice can be read") {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn lines_come_whole_whatever_their_length() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(lines(b"a\n\n \r\nbc\r\n", 10).await, [whole("a"), whole("bc\r")]);
        assert_eq!(lines(b"a\nhalf a fra", 20).await, [whole("a"), Line::Broken(b"half a fra".to_vec())]);
        let long = "x".repeat(3 * CHUNK);
        let stream = format!("{long}\nshort\n{long}\n{long}y\nlast\n");
        let found = lines(stream.as_bytes(), 3 * CHUNK).await;
        let ends = Line::TooLong(b"x".repeat(ENDS), format!("{}y", "x".repeat(ENDS - 1)).into_bytes());
        assert_eq!(found, [whole(&long), whole("short"), whole(&long), ends, whole("last")]);
        let longer = format!("begin{}end\nlast\n", "-".repeat(9 * CHUNK));
        let found = lines(longer.as_bytes(), CHUNK).await;
        let Line::TooLong(begin, end) = &found[0] else { panic!("it is too long") };
        assert!(begin.starts_with(b"begin-") && end.ends_with(b"-end") && begin.len() == ENDS && end.len() == ENDS);
        assert_eq!(found[1..], [whole("last")]);
        assert_eq!(lines(b"", 10).await, []);
    }
}
