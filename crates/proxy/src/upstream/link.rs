//! The way to a connected server, whatever its transport.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use super::http::HttpLink;
use super::legacy_sse::SseLink;
use crate::rpc::Message;

/// What comes from a connection.
pub(crate) enum Incoming {
    /// A message, and the request of ours in whose response it came, where the transport tells.
    Message(Message, Option<u64>),
    /// The last there is: why it ended.
    Ended(String),
}

/// The way to a connected server.
#[derive(Clone)]
pub(crate) enum Link {
    Pipe(Pipe),
    Http(Arc<HttpLink>),
    Sse(Arc<SseLink>),
}

impl Link {
    /// Sends a message without waiting for it to arrive. `id` is that of a request.
    ///
    /// # Errors
    /// Why it cannot be sent.
    pub(crate) fn send(&self, text: String, id: Option<u64>) -> Result<(), String> {
        match self {
            Self::Pipe(pipe) => pipe.send(text),
            Self::Http(http) => {
                http.send(text, id);
                Ok(())
            }
            Self::Sse(sse) => {
                sse.send(text, id);
                Ok(())
            }
        }
    }

    /// Sends a message, and waits until the server has it where the transport tells.
    pub(crate) async fn deliver(&self, text: String) -> Result<(), String> {
        match self {
            Self::Pipe(pipe) => pipe.send(text),
            Self::Http(http) => http.deliver(text).await,
            Self::Sse(sse) => sse.deliver(text).await,
        }
    }

    /// Says goodbye: nothing more is sent.
    pub(crate) async fn close(&self) {
        match self {
            Self::Pipe(pipe) => drop(pipe.lines.send(None)),
            Self::Http(http) => http.close().await,
            Self::Sse(sse) => sse.close(),
        }
    }

    /// Nobody waits for the answer to this request any longer: `notice` tells the server so.
    pub(crate) fn cancel(&self, id: u64, notice: String) {
        match self {
            Self::Http(http) => http.cancel(id, notice),
            Self::Pipe(_) | Self::Sse(_) => drop(self.send(notice, None)),
        }
    }

    /// Whether arguments of tools are repeated in headers.
    pub(crate) fn mirrors(&self) -> bool {
        matches!(self, Self::Http(http) if http.is_modern())
    }
}

/// The answer to a request of ours that fails before the server's is there.
pub(super) fn failure(id: u64, why: &str) -> Option<Message> {
    Message::parse(Message::failure(&id.to_string(), &Message::error(-32000, why))).ok()
}

/// What is said of an answer above the limit.
pub(super) fn too_large(limit: impl std::fmt::Display) -> String {
    format!(
        "its answer is larger than {limit} (limits.messageBytes): ask for less at a time. The tool has run: do not blindly repeat a call that writes"
    )
}

/// Bytes that may wait for a server that does not read.
const WAITING: usize = 64 << 20;

/// Lines to a child process.
#[derive(Clone)]
pub(crate) struct Pipe {
    /// `None` closes it.
    lines: mpsc::UnboundedSender<Option<String>>,
    waiting: Arc<AtomicUsize>,
}

impl Pipe {
    /// A pipe into `writer`.
    pub(crate) fn new(mut writer: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        let (lines, mut queue) = mpsc::unbounded_channel::<Option<String>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        tokio::spawn(async move {
            while let Some(Some(line)) = queue.recv().await {
                let sent = writer.write_all(line.as_bytes()).await;
                written.fetch_sub(line.len(), Ordering::Relaxed);
                // Whoever reads the other direction finds out that the server is gone.
                if sent.is_err() || writer.flush().await.is_err() {
                    break;
                }
            }
        });
        Self { lines, waiting }
    }

    fn send(&self, mut text: String) -> Result<(), String> {
        // A line feed within a message, which only white space between its tokens can be, would end the line.
        if text.contains('\n') {
            text = text.replace(['\n', '\r'], " ");
        }
        text.push('\n');
        let before = self.waiting.fetch_add(text.len(), Ordering::Relaxed);
        if before > WAITING {
            self.waiting.fetch_sub(text.len(), Ordering::Relaxed);
            return Err(format!("it does not read what it is sent: {before} bytes wait"));
        }
        self.lines.send(Some(text)).map_err(|_| "its input is closed".to_owned())
    }
}
