//! How clients reach the proxy.

mod http;
mod stdio;

pub(crate) use http::{Clients, HttpStreams, listen};
pub(crate) use stdio::serve as serve_stdio;
