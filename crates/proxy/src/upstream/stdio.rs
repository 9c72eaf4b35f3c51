//! Servers that are programs: started, spoken to over pipes, and ended with everything that they started.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indexmap::IndexMap;
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::link::{Incoming, Link, Pipe, failure, too_large};
use super::run::Opened;
use super::stderr;
use crate::config::{NODE, Secret};
use crate::lines::{Line, Lines};
use crate::read;
use crate::shared::Shared;
use crate::sync::lock;

/// How long a server has to end once its input is closed, and again once it was told to.
const GRACE: Duration = Duration::from_millis(800);
/// How long a server whose output has ended may take to end itself, before it is told that it did.
const SOON: Duration = Duration::from_millis(500);

/// Bytes that a server may be ahead of us.
#[cfg(target_os = "linux")]
const PIPE: usize = 1 << 20;

/// Starts a server.
pub(super) fn open(
    name: &str,
    (command, args, env, cwd): (&str, &[String], &IndexMap<String, Secret>, Option<&std::path::Path>),
    shared: &Arc<Shared>,
) -> Result<Opened, String> {
    let mut starting = Command::new(command);
    starting.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    for name in NODE {
        starting.env_remove(name);
    }
    starting.envs(env.iter().map(|(key, value)| (key, value.expose())));
    if let Some(cwd) = cwd {
        starting.current_dir(cwd);
    }
    // A group of its own: what ends the server ends what it started, and a Ctrl-C in the terminal is ours alone.
    #[cfg(unix)]
    starting.process_group(0);
    let mut child = starting.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let (Some(stdin), Some(stdout), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take()) else {
        return Err(format!("cannot start {command:?}: no pipes"));
    };
    // A large result comes in fewer pieces then; where it may not be so wide, it stays as it is.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(&stdout, PIPE);
    let process = Process::new(child, Arc::clone(shared));
    let last = Arc::default();
    tokio::spawn(stderr::pass(name.to_owned(), errors, shared.log.clone(), Arc::clone(&last)));
    let (to, incoming) = mpsc::channel(16);
    let done = process.done.clone();
    tokio::spawn(read_all(name.to_owned(), stdout, to, Arc::clone(shared), last, done));
    Ok(Opened { link: Link::Pipe(Pipe::new(stdin)), incoming, process: Some(process) })
}

/// Hands on what a server says until it ends.
async fn read_all(
    name: String,
    stdout: ChildStdout,
    to: mpsc::Sender<Incoming>,
    shared: Arc<Shared>,
    last: Arc<Mutex<String>>,
    mut done: watch::Receiver<Option<String>>,
) {
    let mut lines = Lines::new(stdout, shared.config.limits.message_bytes.bytes());
    let why = loop {
        let line = match lines.next().await {
            Ok(Some(Line::Whole(line))) => line,
            Ok(Some(Line::TooLong(head, tail))) => {
                let why = too_large(shared.config.limits.message_bytes);
                shared.log.warn(format_args!("{name}: {why}"));
                // Whoever waits for it need not wait for ever.
                if let Some(failure) = id_of_long(&head, &tail).and_then(|id| failure(id, &why)) {
                    let _ = to.send(Incoming::Message(failure, None)).await;
                }
                continue;
            }
            Ok(Some(Line::Broken(_))) => break "it ended within a message".to_owned(),
            Ok(None) => break "it ended".to_owned(),
            Err(error) => break format!("its output cannot be read: {error}"),
        };
        for message in read::messages(line, &shared.work).await {
            match message {
                Ok(message) => {
                    if to.send(Incoming::Message(message, None)).await.is_err() {
                        return;
                    }
                }
                Err(why) => shared.log.warn(format_args!("{name}: wrote what is no message of MCP to its standard output: {why}")),
            }
        }
    };
    // How it ended says more, if that is known soon.
    let status = timeout(SOON, done.wait_for(Option::is_some)).await;
    let why = status.ok().and_then(|status| status.ok()?.clone()).unwrap_or(why);
    let said = lock(&last).clone();
    let why = if said.is_empty() { why } else { format!("{why}; its last words: {said}") };
    let _ = to.send(Incoming::Ended(why)).await;
}

/// The id of an answer of which only the ends are there. Writers put it first, after the version, or last.
fn id_of_long(head: &[u8], tail: &[u8]) -> Option<u64> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).split_whitespace().collect::<String>();
    let (head, tail) = (text(head), text(tail));
    let first = head.strip_prefix('{')?.trim_start_matches(r#""jsonrpc":"2.0","#).strip_prefix(r#""id":"#);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    if let Some(first) = first {
        return first[..digits(first)].parse().ok();
    }
    let last = tail.strip_suffix('}')?.trim_end_matches(r#","jsonrpc":"2.0""#);
    last.rsplit_once(r#","id":"#)?.1.parse().ok()
}

/// A server's process and all that it started.
pub(super) struct Process {
    group: Option<u32>,
    shared: Arc<Shared>,
    /// How it ended, once it has.
    done: watch::Receiver<Option<String>>,
    ended: Option<tokio::task::JoinHandle<()>>,
}

impl Process {
    fn new(mut child: Child, shared: Arc<Shared>) -> Self {
        let group = child.id();
        if let Some(group) = group {
            shared.reaper.watch(group);
        }
        let (tell, done) = watch::channel(None);
        let ended = tokio::spawn(async move {
            let status = child.wait().await;
            tell.send_replace(Some(status.map_or_else(|error| error.to_string(), |status| format!("it ended with {status}"))));
        });
        Self { group, shared, done, ended: Some(ended) }
    }

    /// Ends the process, gently first. Its input must be closed already.
    pub(super) async fn close(mut self) {
        if let Some(mut ended) = self.ended.take() {
            for signal in [Signal::Term, Signal::Kill] {
                if timeout(GRACE, &mut ended).await.is_ok() {
                    break;
                }
                self.signal(signal);
            }
        }
    }

    fn signal(&self, signal: Signal) {
        #[cfg(unix)]
        if let Some(group) = self.group.and_then(|group| rustix::process::Pid::from_raw(group as i32)) {
            let signal = match signal {
                Signal::Term => rustix::process::Signal::TERM,
                Signal::Kill => rustix::process::Signal::KILL,
            };
            // Gone already.
            let _ = rustix::process::kill_process_group(group, signal);
        }
        #[cfg(not(unix))]
        let _ = signal;
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Term,
    Kill,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::Kill);
        if let Some(ended) = &self.ended {
            // Aborting drops the child, which kills it where there are no groups.
            #[cfg(not(unix))]
            ended.abort();
            let _ = ended;
        }
        if let Some(group) = self.group {
            self.shared.reaper.forget(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::id_of_long;

    #[test]
    fn an_answer_that_is_too_large_is_known_by_its_ends() {
        for (head, tail, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"co"#, r#"text"}]}}"#, Some(7)),
            (r#"{ "id" : 7, "result" : {"#, "}}", Some(7)),
            (r#"{"result":{"content":["#, r#"]},"jsonrpc":"2.0","id":12}"#, Some(12)),
            (r#"{"result":{"content":["#, r#"]}, "id": 12, "jsonrpc": "2.0"}"#, Some(12)),
            (r#"{"result":{"content":["#, r#"{"a":1,"id":12}]}}"#, None),
            (r#"{"method":"notifications/message","params":{"#, r#","id":12}}"#, None),
            ("noise", "noise", None),
        ] {
            assert_eq!(id_of_long(head.as_bytes(), tail.as_bytes()), expected, "{head}…{tail}");
        }
    }
}
