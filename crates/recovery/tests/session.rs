//! What a session promises: a preview's original is one call away, or the call says why not.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use snugfit_engine::{Budget, Mode, Notice, Options, Recovery};
use snugfit_recovery::{Error, Key, Limits, MemoryStore, Session, Stats, Store, Structured, Uuid};

fn options() -> Options {
    Options { notice: Some(Notice::default()), ..Options::new(Budget::chars(1000)) }
}

fn session() -> Session {
    Session::in_memory(Limits::default()).unwrap()
}

/// A log of some 20,000 characters, different for each `name`.
fn log(name: &str) -> Vec<u8> {
    let lines: Vec<String> = (0..400).map(|line| format!("2026-11-30 04:12:{:02} INFO {name} served request {line}", line % 60)).collect();
    lines.join("\n").into_bytes()
}

#[test]
fn a_preview_names_the_id_that_recovers_its_original() {
    let session = session();
    let outcome = session.fit(log("api"), options()).unwrap();
    let (text, id) = (outcome.text.unwrap(), outcome.response_id.unwrap());
    assert!(text.contains(&id), "{text}");
    assert!(text.chars().count() <= 1000);
    assert_eq!(session.recover(&id).unwrap(), log("api"));
    assert_eq!(session.recover(&id.to_uppercase()).unwrap(), log("api"), "models change the case of an id");
}

#[test]
fn what_fits_stays_as_it_is_and_is_not_kept() {
    let session = session();
    let outcome = session.fit(b"short".to_vec(), options()).unwrap();
    assert_eq!((outcome.text, outcome.response_id), (None, None));
    assert!(!outcome.report.pruned);
    assert_eq!(session.stats(), Stats::default());
}

#[test]
fn the_same_original_has_the_same_preview_and_is_kept_once() {
    let session = session();
    let first = session.fit(log("api"), options()).unwrap();
    let again = session.fit(log("api"), options()).unwrap();
    assert_eq!(first, again);
    assert_eq!(session.stats().entries, 1);
    session.fit(log("web"), options()).unwrap();
    assert_eq!(session.stats().entries, 2);
}

#[test]
fn in_page_mode_the_largest_text_of_an_envelope_is_paged_beside_the_others() {
    let (session, log) = (session(), log("api"));
    let envelope = |texts: &[&[u8]]| {
        let block = |text: &&[u8]| format!("{{\"type\":\"text\",\"text\":{}}}", serde_json::json!(std::str::from_utf8(text).unwrap()));
        format!("{{\"content\":[{}]}}", texts.iter().map(block).collect::<Vec<_>>().join(",")).into_bytes()
    };
    let fit = |texts: &[&[u8]]| session.fit_blocks(texts, None, envelope(texts), Options { mode: Mode::Page, ..options() }).unwrap();

    let outcome = fit(&[b"3 warnings", &log]);
    let [None, Some(first)] = &outcome.blocks.texts[..] else { panic!("{:?}", outcome.blocks.texts) };
    assert!(first.chars().count() <= 990);
    let (_, cursor) = first.trim_end_matches(']').rsplit_once("cursor: ").unwrap();
    let cursor = snugfit_recovery::Selector::Cursor(cursor.to_owned());
    let next = session.read(&outcome.response_id.unwrap(), &cursor, &Budget::chars(1000)).unwrap();
    let chunk = |page: &str| page.rsplit_once("\n[").unwrap().0.to_owned();
    assert!(String::from_utf8(log.clone()).unwrap().starts_with(&(chunk(first) + &chunk(&next))));

    let outcome = fit(&[&log[..700], &log]);
    assert!(outcome.blocks.texts.iter().all(Option::is_some), "two large texts are condensed");
    let spaced = format!("[{}]", vec!["1"; 400].join(",     ")).into_bytes();
    assert_eq!(fit(&[&spaced]).blocks.texts, [Some(format!("[{}]", vec!["1"; 400].join(",")))], "without white space it fits");
}

#[test]
fn an_id_means_nothing_in_another_session() {
    let (one, other) = (session(), session());
    let id = one.fit(log("api"), options()).unwrap().response_id.unwrap();
    assert_ne!(other.fit(log("api"), options()).unwrap().response_id.unwrap(), id);
    assert_eq!(other.recover(&id), Err(Error::ResponseUnavailable));
}

#[test]
fn an_original_that_is_not_utf8_comes_back_byte_for_byte() {
    let mut original = log("api");
    original.extend(b"\xed\xa0\x80 a lone surrogate, \xff a stray byte, \x00 a zero");
    let session = session();
    let outcome = session.fit(original.clone(), options()).unwrap();
    assert!(outcome.text.unwrap().chars().count() <= 1000);
    assert_eq!(outcome.report.replaced, 2, "the surrogate and the stray byte");
    assert_eq!(session.recover(&outcome.response_id.unwrap()).unwrap(), original);
    assert_eq!(session.fit(b"short \xff".to_vec(), options()).unwrap().text, None, "it fits, so it stays what it was");
}

#[test]
fn a_preview_without_a_notice_is_recoverable_all_the_same() {
    let session = session();
    let outcome = session.fit(log("api"), Options::new(Budget::chars(1000))).unwrap();
    let id = outcome.response_id.unwrap();
    assert!(!outcome.text.unwrap().contains(&id));
    assert_eq!(session.recover(&id).unwrap(), log("api"));
}

#[test]
fn the_blocks_of_an_envelope_lead_back_to_the_envelope() {
    let session = session();
    let envelope = br#"{"content":[{"type":"text","text":"..."}],"_meta":{"trace":1}}"#.to_vec();
    let text = log("api");
    let outcome = session.fit_blocks(&[&text], None, envelope.clone(), options()).unwrap();
    let id = outcome.response_id.unwrap();
    let all: String = outcome.blocks.texts.iter().flatten().cloned().chain(outcome.blocks.notice.map(|(_, block)| block)).collect();
    assert!(all.contains(&id), "{all}");
    assert_eq!(session.recover(&id).unwrap(), envelope);
}

#[test]
fn without_a_store_nothing_is_kept_or_named() {
    let session = Session::without_store();
    let recovery = Some(Recovery { tool: "recover".into(), response_id: "never-set".into(), ..Recovery::default() });
    let options = Options { notice: Some(Notice { recovery, ..Notice::default() }), ..options() };
    let outcome = session.fit(log("api"), options).unwrap();
    assert_eq!(outcome.response_id, None);
    let text = outcome.text.unwrap();
    assert!(text.contains("truncation") && !text.contains("response_id") && !text.contains("never-set"), "{text}");
    assert_eq!(session.recover(&Uuid::nil().to_string()), Err(Error::ResponseUnavailable));
}

#[test]
fn an_original_larger_than_the_store_fails_and_says_that_the_tool_has_run() {
    let session = Session::in_memory(Limits { bytes: 1000, ..Limits::default() }).unwrap();
    let error = session.fit(log("api"), options()).unwrap_err();
    assert_eq!(error.code(), "ORIGINAL_TOO_LARGE");
    assert!(error.to_string().contains("The tool has run: do not blindly repeat a call that writes"), "{error}");
    assert_eq!(session.stats(), Stats::default());
}

#[test]
fn a_budget_that_is_too_small_says_that_the_tool_has_run_and_a_bad_option_does_not() {
    let too_small = snugfit_engine::Error::BudgetTooSmall { budget: 10, needed: 250, unit: snugfit_engine::Unit::Chars, with_notice: true };
    let error = Error::from(too_small.clone());
    assert_eq!((error.code(), error.needed()), ("BUDGET_TOO_SMALL", Some(250)));
    assert_eq!(error.to_string(), format!("{too_small}. The tool has run: do not blindly repeat a call that writes"));

    let error = session().fit(log("api"), Options::default()).unwrap_err();
    assert_eq!((error.code(), error.needed()), ("INVALID_OPTION", None));
    assert!(!error.to_string().contains("has run"), "{error}");
}

#[test]
fn unknown_expired_and_evicted_ids_cannot_be_told_apart() {
    let ms = Arc::new(AtomicU64::new(0));
    let (clock, start) = (Arc::clone(&ms), Instant::now());
    let limits = Limits { entries: 1, ..Limits::default() };
    let store = MemoryStore::with_clock(limits, move || start + Duration::from_millis(clock.load(Ordering::SeqCst))).unwrap();
    let session = Session::new(Box::new(store), Key::random().unwrap());

    let evicted = session.fit(log("first"), options()).unwrap().response_id.unwrap();
    let expired = session.fit(log("second"), options()).unwrap().response_id.unwrap();
    assert!(session.recover(&expired).is_ok());
    ms.store(limits.ttl.as_millis() as u64, Ordering::SeqCst);

    let unknown = "f6c23311-c9a9-84b6-affc-1354167f2807";
    for id in [evicted.as_str(), &expired, unknown, "no id at all", ""] {
        let error = session.recover(id).unwrap_err();
        assert_eq!((error.code(), &error), ("RESPONSE_UNAVAILABLE", &Error::ResponseUnavailable), "{id}");
    }
}

#[test]
fn a_closed_session_has_forgotten_everything_and_does_nothing_more() {
    let session = session();
    let id = session.fit(log("api"), options()).unwrap().response_id.unwrap();
    session.close();
    session.close();
    assert_eq!(session.stats(), Stats::default());
    assert_eq!(session.recover(&id), Err(Error::Closed));
    assert_eq!(session.fit(log("api"), options()), Err(Error::Closed));
    assert_eq!(session.fit_blocks(&[b"text"], None, b"{}".to_vec(), options()), Err(Error::Closed));
    session.sweep();
}

/// A store whose session is closed while it takes an original.
struct ClosedMidway {
    memory: Arc<MemoryStore>,
    session: Arc<OnceLock<Weak<Session>>>,
}

impl Store for ClosedMidway {
    fn put(&self, id: Uuid, original: Cow<'_, [u8]>) -> Result<(), Error> {
        self.session.get().unwrap().upgrade().unwrap().close();
        self.memory.put(id, original)
    }

    fn get(&self, id: Uuid) -> Result<Option<Vec<u8>>, Error> {
        self.memory.get(id)
    }

    fn sweep(&self) {
        self.memory.sweep();
    }

    fn clear(&self) {
        self.memory.clear();
    }

    fn stats(&self) -> Stats {
        self.memory.stats()
    }
}

#[test]
fn a_fit_that_finishes_after_the_close_fails_and_leaves_nothing_behind() {
    let (memory, cell) = (Arc::new(MemoryStore::new(Limits::default()).unwrap()), Arc::default());
    let store = ClosedMidway { memory: Arc::clone(&memory), session: Arc::clone(&cell) };
    let session = Arc::new(Session::new(Box::new(store), Key::random().unwrap()));
    cell.set(Arc::downgrade(&session)).unwrap();

    assert_eq!(session.fit(log("api"), options()), Err(Error::Closed));
    assert_eq!(memory.stats(), Stats::default());
}

#[test]
fn threads_share_a_session_and_every_id_resolves_to_exactly_its_original() {
    let session = Session::in_memory(Limits { entries: 1000, ..Limits::default() }).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let session = &session;
            scope.spawn(move || {
                let outcomes: Vec<_> = (0..25)
                    .map(|call| {
                        let original = log(&format!("thread {thread} call {call}"));
                        (session.fit(original.clone(), options()).unwrap(), original)
                    })
                    .collect();
                for (outcome, original) in outcomes {
                    assert_eq!(session.recover(&outcome.response_id.unwrap()).unwrap(), original);
                }
            });
        }
    });
    assert_eq!(session.stats().entries, 200);
}

#[test]
fn debug_output_hides_originals_and_ids() {
    let session = session();
    let id = session.fit(b"secret ".repeat(1000), options()).unwrap().response_id.unwrap();
    let debug = format!("{session:?}");
    assert!(debug.contains("entries: 1") && !debug.contains("secret") && !debug.contains(&id), "{debug}");
}

/// A JSON object of some 20,000 characters.
fn listing() -> String {
    let items: Vec<String> = (0..400).map(|n| format!(r#"{{"id":{n},"name":"item number {n}","state":"open"}}"#)).collect();
    format!(r#"{{"total":400,"items":[{}]}}"#, items.join(","))
}

#[test]
fn structured_content_that_repeats_the_text_is_left_out_of_a_preview() {
    let text = listing();
    let outcome = session().fit_blocks(&[text.as_bytes()], Some(text.as_bytes()), b"{}".to_vec(), options()).unwrap();
    assert_eq!(outcome.structured, Structured::Repeats);
    assert!(outcome.blocks.texts[0].as_ref().unwrap().chars().count() <= 1000);
    let outcome = session().fit_blocks(&[b"[1]"], Some(br#"{"result":[1]}"#), b"{}".to_vec(), options()).unwrap();
    assert_eq!((outcome.structured, outcome.response_id), (Structured::Kept, None), "nothing had to be cut");
}

#[test]
fn structured_content_of_its_own_is_fitted_with_the_texts() {
    let json = listing();
    let outcome = session().fit_blocks(&[b"found 400"], Some(json.as_bytes()), json.clone().into_bytes(), options()).unwrap();
    let Structured::Fitted(fitted) = outcome.structured else { panic!("{:?}", outcome.structured) };
    assert!(fitted.starts_with(r#"{"total":400"#) && fitted.contains(&outcome.response_id.unwrap()), "{fitted}");
    assert!(fitted.chars().count() + "found 400".len() <= 1000);
    assert_eq!(outcome.blocks.texts, [None]);
}

#[test]
fn a_session_whose_caller_keeps_the_originals_names_their_ids_alone() {
    let of = |namespace| Session::kept_elsewhere(Key::derive("secret", namespace), usize::MAX);
    let (one, replica, other) = (of("team-a"), of("team-a"), of("team-b"));
    let id = one.fit(log("api"), options()).unwrap().response_id.unwrap();
    assert_eq!(replica.fit(log("api"), options()).unwrap().response_id.unwrap(), id);
    assert_ne!(other.fit(log("api"), options()).unwrap().response_id.unwrap(), id);
    assert_eq!(one.recover(&id), Err(Error::ResponseUnavailable));
    assert_eq!(one.stats(), Stats::default());
    let small = Session::kept_elsewhere(Key::derive("secret", "team-a"), 1000);
    assert_eq!(small.fit(log("api"), options()), Err(Error::OriginalTooLarge { bytes: log("api").len(), limit: 1000 }));
}
