//! A line of JSON, member by member.

use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::rpc::quote;

/// A line of JSON that is being written.
pub(super) struct Line(String);

impl Line {
    /// A line that begins with the time.
    pub(super) fn now() -> Self {
        Self(format!("{{\"time\":\"{}\"", timestamp(SystemTime::now())))
    }

    pub(super) fn text(mut self, key: &str, value: &str) -> Self {
        self.begin(key);
        self.0.push_str(&quote(value));
        self
    }

    /// As [`text`](Self::text), if there is one.
    pub(super) fn maybe(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// A number or boolean.
    pub(super) fn plain(mut self, key: &str, value: impl Display) -> Self {
        self.begin(key);
        self.0.push_str(&value.to_string());
        self
    }

    /// A value that is JSON already, without line feeds.
    pub(super) fn json(mut self, key: &str, value: &str) -> Self {
        self.begin(key);
        self.0.push_str(value);
        self
    }

    pub(super) fn end(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }

    fn begin(&mut self, key: &str) {
        self.0.push_str(",\"");
        self.0.push_str(key);
        self.0.push_str("\":");
    }
}

/// A time as RFC 3339 has it, in UTC with milliseconds.
fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // The civil calendar from the day, in eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_798_761_599, "2026-12-31T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
        let line = Line::now().text("a", "b\"\n").maybe("c", None).plain("d", 1.5).json("e", "[]").end();
        assert!(line.starts_with("{\"time\":\"2") && line.ends_with("Z\",\"a\":\"b\\\"\\n\",\"d\":1.5,\"e\":[]}\n"), "{line}");
    }
}
