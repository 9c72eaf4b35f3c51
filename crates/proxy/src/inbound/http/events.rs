//! Responses that are streams of events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Response;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::time::{Instant, Interval, interval_at};

use super::lane::{Frame, Frames};

/// How often something is sent, so that both sides find out when the other is gone.
const BEAT: Duration = Duration::from_secs(15);

/// A response of all `frames`, after `first`.
pub(super) fn response(frames: Frames, first: Option<Frame>) -> Response<Body> {
    let beat = interval_at(Instant::now() + BEAT, BEAT);
    let parts = first.map(event).map_or_else(VecDeque::new, VecDeque::from);
    let mut response = Response::new(Body::new(Events { frames, parts, beat }));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // For proxies that would wait for more.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

struct Events {
    frames: Frames,
    /// What is still to be written of the last event.
    parts: VecDeque<Bytes>,
    beat: Interval,
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        if self.parts.is_empty() {
            match self.frames.poll_next(cx) {
                Poll::Ready(Some(frame)) => self.parts = event(frame).into(),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => match self.beat.poll_tick(cx) {
                    Poll::Ready(_) => self.parts.push_back(Bytes::from_static(b": still here\n\n")),
                    Poll::Pending => return Poll::Pending,
                },
            }
        }
        Poll::Ready(self.parts.pop_front().map(|part| Ok(http_body::Frame::data(part))))
    }
}

/// The largest text that is copied for the sake of one write instead of three.
const SMALL: usize = 16 << 10;

fn event(frame: Frame) -> Vec<Bytes> {
    const START: &str = "event: message\ndata: ";
    const END: &str = "\n\n";
    let mut text = frame.into_text();
    // A line feed can only be white space between tokens.
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some() {
        text = text.replace(['\n', '\r'], " ");
    }
    if text.len() <= SMALL {
        return vec![Bytes::from([START, &text, END].concat())];
    }
    vec![Bytes::from_static(START.as_bytes()), Bytes::from(text), Bytes::from_static(END.as_bytes())]
}
