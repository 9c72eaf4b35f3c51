//! What servers say on stderr, passed on with the server's name before each line.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::AsyncRead;

use crate::lines::{Line, Lines};
use crate::log::{Level, Log};
use crate::sync::lock;

/// Bytes of a line that are passed on.
const MOST: usize = 4096;
/// Lines a second that are passed on.
const RATE: u32 = 100;

/// Passes on what `reader` gives until it ends, and keeps the last line.
pub(crate) async fn pass(name: String, reader: impl AsyncRead + Unpin, log: Log, last: Arc<Mutex<String>>) {
    let mut lines = Lines::new(reader, 1 << 20);
    let mut rate = Rate { since: Instant::now(), passed: 0 };
    while let Ok(Some(line)) = lines.next().await {
        let bytes = match line {
            Line::Whole(bytes) | Line::Broken(bytes) => bytes,
            Line::TooLong(..) => b"(a line of more than 1 MiB)".to_vec(),
        };
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]);
        let text = text.trim_end();
        let (pass, left_out) = rate.next();
        if left_out > 0 {
            log.line(Level::Warn, &format!("[{name}] ({left_out} lines left out)"));
        }
        if pass {
            log.line(Level::Warn, &format!("[{name}] {text}"));
        }
        text.clone_into(&mut lock(&last));
    }
}

/// So many lines a second.
struct Rate {
    since: Instant,
    passed: u32,
}

impl Rate {
    /// Whether the next line is passed on, and how many were left out in the second before.
    fn next(&mut self) -> (bool, u32) {
        let mut left_out = 0;
        if self.since.elapsed() >= Duration::from_secs(1) {
            left_out = self.passed.saturating_sub(RATE);
            *self = Self { since: Instant::now(), passed: 0 };
        }
        self.passed += 1;
        (self.passed <= RATE, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Write};

    #[derive(Clone, Default)]
    struct Out(Arc<Mutex<Vec<u8>>>);

    impl Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn lines_come_with_the_servers_name_and_not_too_many() {
        let out = Out::default();
        let log = Log::to(Level::Warn, out.clone());
        let last = Arc::default();
        let noise = (0..500).map(|n| format!("line {n}\r\n")).collect::<String>();
        pass("files".to_owned(), format!("{noise}\u{1b}[31mred\n").as_bytes(), log.clone(), Arc::clone(&last)).await;
        log.flush();
        let text = String::from_utf8_lossy(&lock(&out.0)).into_owned();
        assert!(text.starts_with("[files] line 0\n[files] line 1\n"), "{text}");
        assert_eq!(text.lines().count(), RATE as usize);
        assert_eq!(*lock(&last), "\u{1b}[31mred");
    }
}
