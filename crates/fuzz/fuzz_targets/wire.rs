//! Any bytes as what servers and clients send beside messages: streams of events, lines and headers, in pieces of any size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snugfit_proxy::fuzzing::{events, header, lines};

fuzz_target!(|given: (u8, u8, &[u8])| {
    let (piece, limit, stream) = given;
    let (piece, limit) = (usize::from(piece), 16 * usize::from(limit));
    assert_eq!(events(stream, piece, usize::MAX), events(stream, stream.len(), usize::MAX));
    if let Some(events) = events(stream, piece, limit) {
        assert!(events.iter().all(|(_, data)| data.len() <= limit));
    }
    let (found, rest) = lines(stream, limit);
    let mut expected: Vec<&[u8]> = stream.split(|&byte| byte == b'\n').collect();
    let last = expected.pop().unwrap_or_default();
    let expected: Vec<Option<&[u8]>> = expected
        .into_iter()
        .filter(|line| line.len() > limit || !line.trim_ascii().is_empty())
        .map(|line| (line.len() <= limit).then_some(line))
        .collect();
    assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    assert!(last.ends_with(&rest), "{rest:?}");
    let _ = header(stream);
});
