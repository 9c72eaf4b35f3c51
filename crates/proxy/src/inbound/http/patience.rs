//! Connections to clients that take what is written, or are closed.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A connection on which no write waits longer than a time.
pub(super) struct Patience<C> {
    connection: C,
    longest: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<C> Patience<C> {
    pub(super) fn new(connection: C, longest: Duration) -> Self {
        Self { connection, longest, waiting: None }
    }

    /// The outcome of a write, which fails where it has waited too long.
    fn in_time<T>(&mut self, outcome: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = None;
            return outcome;
        }
        let longest = self.longest;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(longest)));
        match waiting.as_mut().poll(cx) {
            Poll::Ready(()) => {
                waiting.as_mut().reset(Instant::now() + longest);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Patience<C> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_read(cx, into)
    }
}

impl<C: AsyncWrite + Unpin> AsyncWrite for Patience<C> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.connection).poll_write(cx, bytes);
        self.in_time(outcome, cx)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.connection).poll_write_vectored(cx, bytes);
        self.in_time(outcome, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.connection).poll_flush(cx);
        self.in_time(outcome, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn a_write_that_nobody_takes_fails_and_one_that_is_taken_does_not() {
        let (ours, mut theirs) = tokio::io::duplex(4);
        let mut patient = Patience::new(ours, Duration::from_hours(1));
        let reading = tokio::spawn(async move {
            let mut bytes = [0; 8];
            theirs.read_exact(&mut bytes).await.map(|_| bytes)
        });
        patient.write_all(b"12345678").await.expect("it is taken");
        assert_eq!(reading.await.expect("no panic").expect("bytes"), *b"12345678");

        let (ours, _theirs) = tokio::io::duplex(4);
        let mut hasty = Patience::new(ours, Duration::ZERO);
        hasty.write_all(b"1234").await.expect("there is room");
        assert_eq!(hasty.write_all(b"5").await.expect_err("nobody reads").kind(), io::ErrorKind::TimedOut);
    }
}
