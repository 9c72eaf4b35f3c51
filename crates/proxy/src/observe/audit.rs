//! The record of who called what: a line before a call goes to its server, and one when it is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;

use super::journal::Journal;
use super::line::Line;
use super::redact::Redactor;

/// What is told of the caller's token.
const CLAIMS: [&str; 5] = ["sub", "iss", "aud", "scope", "client_id"];

/// Claims above this are no claims that anybody could use.
const MOST_BYTES: usize = 16 << 10;

/// The claims of a bearer token, as JSON; decoded, not verified.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims(Vec<(&'static str, String)>);

impl Claims {
    /// The claims in an `Authorization` header; none where it holds no JSON Web Token.
    pub(crate) fn of(authorization: &str) -> Option<Arc<Self>> {
        let token = authorization.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))?.1.trim();
        let mut parts = token.split('.');
        let (Some(_), Some(payload), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else { return None };
        let payload = BASE64_URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok().filter(|payload| payload.len() <= MOST_BYTES)?;
        let claims: Value = serde_json::from_slice(&payload).ok()?;
        let told = CLAIMS.iter().filter_map(|name| Some((*name, claims.get(name)?.to_string())));
        Some(Arc::new(Self(told.collect())))
    }
}

/// The record.
#[derive(Debug)]
pub(super) struct Audit {
    journal: Journal,
    calls: AtomicU64,
}

impl Audit {
    pub(super) fn new(journal: Journal) -> Self {
        Self { journal, calls: AtomicU64::new(1) }
    }

    /// Notes a call before anything is done about it, and gives it a number.
    pub(super) fn called(&self, name: &str, claims: Option<&Claims>, redactor: &Redactor) -> (u64, std::io::Result<()>) {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let line =
            Line::now().text("event", "call").plain("pid", std::process::id()).plain("call", call).text("name", &redactor.text(name));
        let claims = claims.into_iter().flat_map(|claims| &claims.0);
        let line = claims.fold(line, |line, (name, value)| line.json(name, &redactor.json(value).unwrap_or_else(|| "null".to_owned())));
        (call, self.journal.write(&line.end()))
    }

    /// Notes how a call ended, and which tool of which server it was.
    pub(super) fn ended(
        &self,
        call: u64,
        (upstream, tool): (Option<&str>, Option<&str>),
        outcome: &str,
        took: Duration,
        redactor: &Redactor,
    ) -> std::io::Result<()> {
        let tool = tool.map(|tool| redactor.text(tool));
        let line = Line::now().text("event", "end").plain("pid", std::process::id()).plain("call", call);
        let line = line.maybe("upstream", upstream).maybe("tool", tool.as_deref()).text("outcome", outcome);
        self.journal.write(&line.plain("durMs", super::millis(took)).end())
    }

    pub(super) fn sync(&self) -> std::io::Result<()> {
        self.journal.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_those_of_the_token_and_never_more() {
        // {"sub":"me","aud":["a","b"],"scope":"x.y","exp":1,"name":"no"}
        let payload = "eyJzdWIiOiJtZSIsImF1ZCI6WyJhIiwiYiJdLCJzY29wZSI6IngueSIsImV4cCI6MSwibmFtZSI6Im5vIn0";
        let claims = Claims::of(&format!("bearer h.{payload}.sig")).expect("claims");
        assert_eq!(claims.0, [("sub", "\"me\"".to_owned()), ("aud", "[\"a\",\"b\"]".to_owned()), ("scope", "\"x.y\"".to_owned())]);
        for header in ["", "Bearer", "Bearer opaque", "Bearer a.b", "Bearer a.!.c", "Bearer a.bm90.c", "Basic a.b.c", "Bearer a.b.c.d"] {
            assert_eq!(Claims::of(header), None, "{header}");
        }
    }
}
