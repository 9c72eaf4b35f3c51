//! The way into one response: bounded in bytes, and never waited for, so that a client that does not read holds nobody up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::sync::mpsc;

use crate::upstream::Demand;

/// Bytes that wait for a client that does not read.
const WAITING: usize = 8 << 20;
/// What a message counts for beside its bytes.
const MESSAGE: usize = 128;

/// A message on its way.
#[derive(Debug)]
pub(super) enum Frame {
    /// The answer to a request.
    Answer(String),
    /// The answer to a request that a server wants other credentials for.
    Refusal(String, Demand),
    /// Anything else.
    Other(String),
}

impl Frame {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Answer(text) | Self::Refusal(text, _) | Self::Other(text) => text,
        }
    }

    fn size(&self) -> usize {
        let (Self::Answer(text) | Self::Refusal(text, _) | Self::Other(text)) = self;
        text.len() + MESSAGE
    }
}

/// Why a message was not taken.
#[derive(Debug)]
pub(super) enum Refused {
    /// Too much waits already.
    Full,
    /// The client is gone; this is the message.
    Gone(String),
}

/// Where messages go in.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    to: mpsc::UnboundedSender<Frame>,
    waiting: Arc<AtomicUsize>,
}

/// Where they come out.
#[derive(Debug)]
pub(super) struct Frames {
    from: mpsc::UnboundedReceiver<Frame>,
    waiting: Arc<AtomicUsize>,
}

/// A way for messages.
pub(super) fn lane() -> (Lane, Frames) {
    let (to, from) = mpsc::unbounded_channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    (Lane { to, waiting: Arc::clone(&waiting) }, Frames { from, waiting })
}

impl Lane {
    /// Sends a message. The answer to a request is always taken: there is one for each.
    pub(super) fn send(&self, frame: Frame) -> Result<(), Refused> {
        let size = frame.size();
        let before = self.waiting.fetch_add(size, Ordering::Relaxed);
        // One message that is larger than all that may wait goes alone.
        if before > 0 && before + size > WAITING && matches!(frame, Frame::Other(_)) {
            self.waiting.fetch_sub(size, Ordering::Relaxed);
            return Err(Refused::Full);
        }
        self.to.send(frame).map_err(|unsent| Refused::Gone(unsent.0.into_text()))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.to.is_closed()
    }

    /// Comes when the client is gone.
    pub(crate) async fn closed(&self) {
        self.to.closed().await;
    }
}

impl Frames {
    /// The next message; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<Frame> {
        std::future::poll_fn(|cx| self.poll_next(cx)).await
    }

    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Frame>> {
        let next = self.from.poll_recv(cx);
        if let Poll::Ready(Some(frame)) = &next {
            self.waiting.fetch_sub(frame.size(), Ordering::Relaxed);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_waits_is_bounded_and_answers_are_taken() {
        let (lane, mut frames) = lane();
        let other = |size| Frame::Other("x".repeat(size));
        assert!(lane.send(other(2 * WAITING)).is_ok());
        assert!(matches!(lane.send(other(1)), Err(Refused::Full)));
        assert!(lane.send(Frame::Answer("y".to_owned())).is_ok());
        assert_eq!(frames.next().await.map(|frame| frame.into_text().len()), Some(2 * WAITING));
        assert!(lane.send(other(1)).is_ok());
        drop(frames);
        assert!(matches!(lane.send(Frame::Other("z".to_owned())), Err(Refused::Gone(text)) if text == "z"));
    }
}
