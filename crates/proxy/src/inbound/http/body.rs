//! The bodies of requests: bounded one by one and together, and not waited for without end.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::{Response, StatusCode};
use tokio::time::timeout;

use super::refuse;
use crate::work::{LARGE, Memory, Work};

/// A body that is there, and the memory that it takes where it is large.
pub(crate) struct Received {
    pub(crate) bytes: Vec<u8>,
    pub(crate) memory: Vec<Memory>,
}

/// Reads a body of at most `limit` bytes within `longest`; the error is the refusal.
pub(super) async fn read(mut body: Body, limit: usize, longest: Duration, work: &Work) -> Result<Received, Box<Response<Body>>> {
    let refused = |status, why: &str| Err(Box::new(refuse(status, why)));
    match timeout(longest, all(&mut body, limit, work)).await {
        Ok(Ok(received)) => Ok(received),
        Ok(Err(Fault::Large)) => refused(StatusCode::PAYLOAD_TOO_LARGE, "the message is larger than limits.messageBytes"),
        Ok(Err(Fault::Busy)) => refused(StatusCode::SERVICE_UNAVAILABLE, "too many large messages at a time: send it again a little later"),
        Ok(Err(Fault::Broken)) => refused(StatusCode::BAD_REQUEST, "the message broke off"),
        Err(_) => refused(StatusCode::REQUEST_TIMEOUT, "the message took too long to arrive"),
    }
}

/// Why there is no body.
pub(crate) enum Fault {
    /// It is above the limit.
    Large,
    /// There is no memory for it now.
    Busy,
    /// The client went away.
    Broken,
}

/// Reads a body of at most `limit` bytes, however long that takes.
pub(crate) async fn all(body: &mut Body, limit: usize, work: &Work) -> Result<Received, Fault> {
    let expected = body.size_hint().lower() as usize;
    if expected > limit {
        return Err(Fault::Large);
    }
    let (mut bytes, mut memory, mut held) = (Vec::with_capacity(expected.min(LARGE)), Vec::new(), LARGE);
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
        let Ok(data) = frame.map_err(|_| Fault::Broken)?.into_data() else { continue };
        let size = bytes.len() + data.len();
        if size > limit {
            return Err(Fault::Large);
        }
        if size > held {
            // Whoever already holds some must not wait for more.
            let wanted = expected.max(2 * size).min(limit);
            memory.push(work.memory_now(wanted - held).ok_or(Fault::Busy)?);
            held = wanted;
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Received { bytes, memory })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bodies_are_bounded_one_by_one_and_together() {
        let work = Work::new(1 << 20);
        let body = |size: usize| Body::from(vec![b' '; size]);
        let status = async |body: Body| match read(body, 1 << 20, Duration::from_hours(1), &work).await {
            Ok(received) => Ok((received.bytes.len(), received.memory)),
            Err(refused) => Err(refused.status().as_u16()),
        };
        assert_eq!(status(body((1 << 20) + 1)).await.map(|(size, _)| size), Err(413));
        let (size, held) = status(body(1 << 20)).await.expect("there is room");
        let another = status(body(1 << 20)).await.expect("there is room for two");
        assert_eq!(size, 1 << 20);
        assert_eq!(status(body(1 << 20)).await.map(|(size, _)| size), Err(503));
        // Small ones take no turns.
        assert!(status(body(LARGE)).await.is_ok());
        drop((held, another));
        assert!(status(body(1 << 20)).await.is_ok());
    }
}
