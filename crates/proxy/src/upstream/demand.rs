//! What servers want of the client itself, where it is the client's credentials that they see.

use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use axum::http::header::{HeaderValue, WWW_AUTHENTICATE};

use super::carrier::Response;
use crate::sync::lock;

/// What a server refuses a request with for want of other credentials, in the words of HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Demand {
    /// 401, or 403 where it says what is missing.
    pub(crate) status: StatusCode,
    /// Its `WWW-Authenticate` headers.
    pub(crate) challenges: Vec<HeaderValue>,
}

impl Demand {
    fn of(response: &Response) -> Option<Self> {
        let mut challenges: Vec<HeaderValue> = response.headers().get_all(WWW_AUTHENTICATE).iter().cloned().collect();
        match response.status() {
            // Every 401 must have one.
            StatusCode::UNAUTHORIZED if challenges.is_empty() => challenges.push(HeaderValue::from_static("Bearer")),
            StatusCode::UNAUTHORIZED => {}
            StatusCode::FORBIDDEN if !challenges.is_empty() => {}
            _ => return None,
        }
        Some(Self { status: response.status(), challenges })
    }
}

/// What a server demanded last, until it takes a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Demands(Arc<Mutex<Option<Demand>>>);

impl Demands {
    /// Looks at what a server says to a request.
    pub(super) fn heard(&self, response: &Response) {
        let demand = Demand::of(response);
        if demand.is_some() || response.status().is_success() {
            *lock(&self.0) = demand;
        }
    }

    /// What is demanded now.
    pub(crate) fn now(&self) -> Option<Demand> {
        lock(&self.0).clone()
    }
}
