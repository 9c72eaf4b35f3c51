//! How clients reach the proxy.

mod http;
mod stdio;

pub(crate) use http::{Clients, Fault, HttpStreams, Listener, Received, is_loopback, listen, listen_on_loopback, read_body};
pub(crate) use stdio::serve as serve_stdio;
