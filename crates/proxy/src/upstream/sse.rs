//! Server-sent events, as far as MCP uses them.

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its type; empty for messages.
    pub(crate) name: String,
    pub(crate) data: Vec<u8>,
    /// Where a stream that broke off can go on.
    pub(crate) id: Option<String>,
    /// How many milliseconds to wait before that.
    pub(crate) retry: Option<u64>,
}

/// An event is larger than the limit.
#[derive(Debug)]
pub(crate) struct TooLarge;

/// Takes a stream apart as its bytes come.
#[derive(Debug)]
pub(crate) struct Parser {
    line: Vec<u8>,
    event: Event,
    /// A carriage return ended the last line: a line feed right after belongs to it.
    after_return: bool,
    /// Nothing has come yet: a byte-order mark may.
    fresh: bool,
    limit: usize,
}

impl Parser {
    /// A parser of events with at most `limit` bytes of data.
    pub(crate) fn new(limit: usize) -> Self {
        Self { line: Vec::new(), event: Event::default(), after_return: false, fresh: true, limit }
    }

    /// The events that `bytes` complete.
    ///
    /// # Errors
    /// Where an event is larger than the limit.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_return) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
                self.line.extend_from_slice(bytes);
                break;
            };
            self.line.extend_from_slice(&bytes[..end]);
            self.after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            self.check(0)?;
            events.extend(self.end_line(&line));
        }
        self.check(self.line.len())?;
        Ok(events)
    }

    fn check(&self, more: usize) -> Result<(), TooLarge> {
        if self.event.data.len() + more > self.limit { Err(TooLarge) } else { Ok(()) }
    }

    fn end_line(&mut self, line: &[u8]) -> Option<Event> {
        let line = if std::mem::take(&mut self.fresh) { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        if line.is_empty() {
            let mut event = std::mem::take(&mut self.event);
            event.data.pop();
            return (!event.data.is_empty() || event.id.is_some() || event.retry.is_some()).then_some(event);
        }
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = || String::from_utf8_lossy(value).into_owned();
        match &line[..colon] {
            b"data" => {
                self.event.data.extend_from_slice(value);
                self.event.data.push(b'\n');
            }
            b"event" => self.event.name = text(),
            b"id" if !value.contains(&0) => self.event.id = Some(text()),
            b"retry" => self.event.retry = text().parse().ok(),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: &str, id: Option<&str>) -> Event {
        Event { data: data.into(), id: id.map(str::to_owned), ..Event::default() }
    }

    #[test]
    fn events_are_the_same_however_their_bytes_come() {
        let stream = "\u{feff}data: one\n\n: a comment\nid: 7\ndata:two\r\ndata:  three\r\n\r\nevent: endpoint\ndata\n\nretry: 50\n\nid\rdata: x\r\r";
        let expected =
            [event("one", None), event("two\n three", Some("7")), Event { retry: Some(50), ..Event::default() }, event("x", Some(""))];
        for size in [1, 2, 3, 7, 1000] {
            let mut parser = Parser::new(1000);
            let events: Vec<Event> = stream.as_bytes().chunks(size).flat_map(|chunk| parser.push(chunk).expect("small")).collect();
            assert_eq!(events, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn an_event_above_the_limit_is_refused() {
        let mut parser = Parser::new(10);
        assert!(parser.push(b"data: 0123").is_ok());
        assert!(parser.push(b"456789").is_err());
        assert!(Parser::new(10).push(b"data: 01234\ndata: 56789\n").is_err());
    }
}
