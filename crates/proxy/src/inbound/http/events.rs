//! Responses that are streams of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Response;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, interval_at};

use super::streams::Frame;

/// How often something is sent, so that both sides find out when the other is gone.
const BEAT: Duration = Duration::from_secs(15);

/// A response of all `frames`, after `first`.
pub(super) fn response(frames: mpsc::Receiver<Frame>, first: Option<Frame>) -> Response<Body> {
    let beat = interval_at(Instant::now() + BEAT, BEAT);
    let mut response = Response::new(Body::new(Events { frames, first, beat }));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // For proxies that would wait for more.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

struct Events {
    frames: mpsc::Receiver<Frame>,
    first: Option<Frame>,
    beat: Interval,
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        let frame = match self.first.take() {
            Some(frame) => Poll::Ready(Some(frame)),
            None => self.frames.poll_recv(cx),
        };
        let bytes = match frame {
            Poll::Ready(Some(frame)) => event(frame.text()),
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending => match self.beat.poll_tick(cx) {
                Poll::Ready(_) => ": still here\n\n".to_owned(),
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from(bytes)))))
    }
}

fn event(text: &str) -> String {
    let mut event = String::with_capacity(text.len() + 32);
    event.push_str("event: message\ndata: ");
    // A line feed can only be white space between tokens.
    event.extend(text.split(['\n', '\r']));
    event.push_str("\n\n");
    event
}
