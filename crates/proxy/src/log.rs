//! What is said on stderr. A thread of its own writes it: a reader that does not read must never hold up a call.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

/// Lines that wait to be written; more are left out.
const WAITING: usize = 1024;

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Nothing.
    Off,
    /// What keeps the proxy from its work.
    Error,
    /// What a user should look into.
    Warn,
    /// What happens, each result that was cut included.
    #[default]
    Info,
    /// Everything.
    Debug,
}

/// Writes lines to stderr, or where it is told to.
#[derive(Debug, Clone)]
pub struct Log {
    level: Level,
    lines: SyncSender<Entry>,
}

#[derive(Debug)]
enum Entry {
    Line(String),
    /// Answered once everything before it is written.
    Flush(SyncSender<()>),
}

impl Log {
    /// A log on stderr.
    #[must_use]
    pub fn new(level: Level) -> Self {
        Self::to(level, io::stderr())
    }

    /// A log on `out`.
    #[must_use]
    pub fn to(level: Level, mut out: impl Write + Send + 'static) -> Self {
        let (lines, waiting) = sync_channel(WAITING);
        std::thread::spawn(move || {
            for entry in waiting {
                match entry {
                    // Nobody to write to is no reason to stop.
                    Entry::Line(line) => drop(out.write_all(line.as_bytes()).and_then(|()| out.flush())),
                    Entry::Flush(done) => drop(done.send(())),
                }
            }
        });
        Self { level, lines }
    }

    /// Says what keeps the proxy from its work.
    pub fn error(&self, what: impl Display) {
        self.say(Level::Error, what);
    }

    /// Says what a user should look into.
    pub fn warn(&self, what: impl Display) {
        self.say(Level::Warn, what);
    }

    /// Says what happens.
    pub fn info(&self, what: impl Display) {
        self.say(Level::Info, what);
    }

    /// Says what only somebody who looks for a fault wants to know.
    pub fn debug(&self, what: impl Display) {
        self.say(Level::Debug, what);
    }

    /// Writes a line of somebody else's.
    pub fn line(&self, level: Level, line: &str) {
        if level <= self.level {
            // Full, because nobody reads: this line is left out.
            let _ = self.lines.try_send(Entry::Line(format!("{}\n", harmless(line))));
        }
    }

    /// Waits, a moment at most, until all is written.
    pub fn flush(&self) {
        let (done, wait) = sync_channel(1);
        if self.lines.try_send(Entry::Flush(done)).is_ok() {
            let _ = wait.recv_timeout(Duration::from_millis(500));
        }
    }

    fn say(&self, level: Level, what: impl Display) {
        if level <= self.level {
            let mark = match level {
                Level::Error => "error: ",
                Level::Warn => "warning: ",
                _ => "",
            };
            self.line(level, &format!("snugfit: {mark}{what}"));
        }
    }
}

/// Text of others for a terminal: what would act on it, be a line of its own or turn the order of what follows is replaced.
#[must_use]
pub fn harmless(text: &str) -> String {
    let acts = |c: char| c.is_control() && c != '\t' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(acts, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Out(Arc<Mutex<Vec<u8>>>);

    impl Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn says_no_more_than_its_level_asks_for() {
        let out = Out::default();
        let log = Log::to(Level::Warn, out.clone());
        log.error("a\n\u{1b}[31mb");
        log.warn("b");
        log.info("c");
        log.line(Level::Warn, "[x] \u{9b}d\t\u{202e}");
        log.flush();
        assert_eq!(
            String::from_utf8_lossy(&out.0.lock().expect("no panic")),
            "snugfit: error: a\u{fffd}\u{fffd}[31mb\nsnugfit: warning: b\n[x] \u{fffd}d\t\u{fffd}\n"
        );
    }

    #[test]
    fn a_reader_that_does_not_read_holds_nothing_up() {
        struct Stuck;
        impl Write for Stuck {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                std::thread::sleep(Duration::from_hours(1));
                Ok(0)
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let log = Log::to(Level::Info, Stuck);
        for _ in 0..10 * WAITING {
            log.info("x");
        }
    }
}
