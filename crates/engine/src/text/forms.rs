//! The forms of lines in logs and command output: what stands before the message, and what kind of message it is.
//!
//! Forms rather than words: how the common tools mark errors, totals, commands and sections.

use std::sync::LazyLock;

use crate::matcher::Matcher;

/// What a line is by its form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Error,
    Warning,
    /// Totals or durations, and how surely (0 to 1).
    Summary(f32),
    Title,
    Command,
    /// Names an image, a digest, a commit, a version, an address.
    Fact,
    /// Says that something went well or was skipped; its words of trouble are mostly names.
    Passed,
    /// No letter in it.
    Wordless,
    Plain,
}

/// How bad a line says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// A level that is none of trouble.
    Calm,
    Warning,
    Error,
}

/// Tokens before the message that are looked at, and how long they may be.
const MAX_TOKENS: usize = 7;
const MAX_TOKEN: usize = 64;

/// How the tools begin the lines that report an error.
const ERRORS: [&str; 38] = [
    "##[error]",
    "::error",
    "error:",
    "error[",
    "Error:",
    "ERROR",
    "fatal:",
    "FATAL",
    "panic:",
    "E   ",
    "npm ERR!",
    "npm error",
    "FAILED",
    "FAIL ",
    "FAIL\t",
    "FAIL:",
    "--- FAIL",
    "not ok ",
    "✗",
    "✘",
    "✕",
    "❌",
    "× ",
    "● ",
    "Caused by",
    "[ERROR]",
    "[FATAL]",
    "Segmentation fault",
    "Killed",
    "user command error",
    "Process completed with exit code",
    "FAILURE",
    "BUILD FAILED",
    "Exception in thread",
    "Unhandled",
    "Uncaught",
    "ERR!",
    "🚨",
];
const WARNINGS: [&str; 9] = ["##[warning]", "::warning", "warning:", "Warning:", "WARN", "[WARNING]", "npm warn", "[warn]", "W   "];
/// How they begin the lines that name a section, stage or step.
const TITLES: [&str; 20] = [
    "##[group]",
    "::group::",
    "~~~ ",
    "==> ",
    "=== RUN",
    "STEP ",
    "Step ",
    "> Task ",
    "[INFO] --- ",
    "[INFO] Building ",
    "Stage ",
    "[Pipeline] {",
    "[Pipeline] stage",
    "TASK [",
    "PLAY [",
    ">>> ",
    "▶ ",
    "test session starts",
    "Running ",
    "##[section]",
];
/// How they begin the lines that say that all is well, and how these may end.
const PASSED: [&str; 9] = ["✓", "✔", "√", "ok ", "PASS", "--- PASS", "✅", "--- SKIP", "↓ "];
const PASSED_ENDS: [&str; 7] = ["... ok", " PASSED", "... ignored", " passed", " SKIPPED", " - OK", "[  OK  ]"];
const PASSED_WORDS: [&str; 2] = [" PASSED [", " SKIPPED ["];
const COMMANDS: [&str; 8] = ["$ ", "+ ", "[command]", "> ", "% ", "# ", "PS ", "❯ "];

/// Which of the lists have a word that begins with a byte, a bit for each.
static BEGINNINGS: [u8; 256] = {
    let lists: [&[&str]; 5] = [&ERRORS, &PASSED, &WARNINGS, &TITLES, &COMMANDS];
    let mut beginnings = [0; 256];
    let mut list = 0;
    while list < lists.len() {
        let mut word = 0;
        while word < lists[list].len() {
            beginnings[lists[list][word].as_bytes()[0] as usize] |= 1 << list;
            word += 1;
        }
        list += 1;
    }
    beginnings
};

/// Words that stand beside totals and durations.
const TOTALS: [&str; 34] = [
    "passed",
    "failed",
    "skipped",
    "test result",
    "tests run",
    "tests:",
    "total",
    "took ",
    "elapsed",
    "finished",
    "completed",
    "summary",
    "succe",
    "duration",
    "real\t",
    "built in",
    "done in",
    "done.",
    "ran ",
    "exit code",
    "exit status",
    "exited with",
    "added ",
    "vulnerabilit",
    "coverage",
    "throughput",
    "average",
    "files changed",
    "compiled",
    "warnings generated",
    "errors",
    "problems",
    "up to date",
    "in total",
];
/// What names a thing that the log is about.
const FACTS: [&str; 24] = [
    "sha256:",
    "://",
    "version",
    "image",
    "commit",
    "digest",
    "branch",
    "HEAD is now",
    "runner",
    "registered",
    "connect",
    "listening",
    "started",
    "host",
    "platform",
    "python",
    "node ",
    "rootdir",
    "loaded",
    "using ",
    "created",
    "model",
    "device",
    "config",
];
static FINDER: LazyLock<Matcher> = LazyLock::new(|| Matcher::new(TOTALS.into_iter().chain(FACTS)));

/// What a line says after what the logger put before it: time stamp, level, process, logger, service. Indentation stays.
pub(crate) fn body(line: &str) -> &str {
    let bytes = line.as_bytes();
    let mut at = if line.starts_with('\u{feff}') { 3 } else { 0 };
    for token in 0..MAX_TOKENS {
        let Some(&first) = bytes.get(at) else { break };
        let end = match first {
            b'[' if !line[at..].starts_with("[INFO] ---") => close(bytes, at, b']'),
            b'(' if token == 0 || at > 0 && bytes[at - 1] != b')' => {
                close(bytes, at, b')').filter(|&end| token == 0 || is_stamp(&bytes[at..end]))
            }
            b' ' | b'\t' => None,
            _ => {
                let end = memchr::memchr2(b' ', b'\t', &bytes[at..bytes.len().min(at + MAX_TOKEN)])
                    .map_or(bytes.len().min(at + MAX_TOKEN), |e| at + e);
                let word = &bytes[at..end];
                // `service-1  | message`, as docker compose writes it.
                let piped = token == 0 && line.is_char_boundary(end) && line[end..].trim_start().starts_with("| ");
                if piped {
                    Some(end + memchr::memchr(b'|', &bytes[end..]).unwrap_or(0) + 1)
                } else {
                    (is_stamp(word)
                        || token > 0 && is_level(word)
                        || token == 0 && is_level(word) && word.last() != Some(&b':')
                        || is_month(word)
                        || word == b"|"
                        || word == b"-" && token > 0)
                        .then_some(end)
                }
            }
        };
        let Some(end) = end.filter(|&e| e >= bytes.len() || matches!(bytes[e], b' ' | b'\t' | b':' | b'[' | b'(')) else { break };
        // The brackets of `[ERROR] message` say more than a prefix does.
        at = (end + 1).min(bytes.len());
        if end < bytes.len() && matches!(bytes[end], b'[' | b'(') {
            at = end;
        }
    }
    line.get(at..).unwrap_or(line)
}

fn close(bytes: &[u8], at: usize, with: u8) -> Option<usize> {
    memchr::memchr(with, &bytes[at..bytes.len().min(at + MAX_TOKEN)]).map(|end| at + end + 1)
}

/// Digits with the punctuation of dates, times and counters between them, and the letters of ISO 8601.
fn is_stamp(word: &[u8]) -> bool {
    let (mut digits, mut rest) = (0, 0);
    for byte in word {
        match byte {
            b'0'..=b'9' => digits += 1,
            b':' | b'.' | b',' | b'-' | b'/' | b'+' | b'T' | b'Z' | b'[' | b']' | b'(' | b')' | b'=' | b';' => rest += 1,
            _ => return word.starts_with(b"bk;t="),
        }
    }
    digits >= 4 || digits == 2 && rest == 0 || digits >= 1 && word.len() >= 5 && rest >= 2
}

fn is_level(word: &[u8]) -> bool {
    let word = word.strip_suffix(b":").unwrap_or(word);
    let mut upper = [0; 8];
    let named = |word: &[u8]| {
        matches!(
            word,
            b"INFO" | b"WARN" | b"WARNING" | b"ERROR" | b"DEBUG" | b"TRACE" | b"FATAL" | b"SEVERE" | b"NOTICE" | b"CRITICAL" | b"ERR"
        )
    };
    match word {
        [b'I' | b'W' | b'E' | b'D' | b'F' | b'V'] => true,
        [b'a'..=b'z', _, _, _, ..] if word.len() <= upper.len() => {
            let upper = &mut upper[..word.len()];
            upper.copy_from_slice(word);
            upper.make_ascii_uppercase();
            named(upper)
        }
        _ => named(word),
    }
}

fn is_month(word: &[u8]) -> bool {
    let month = |word: &[u8]| {
        matches!(word, b"Jan" | b"Feb" | b"Mar" | b"Apr" | b"May" | b"Jun" | b"Jul" | b"Aug" | b"Sep" | b"Oct" | b"Nov" | b"Dec")
    };
    word.len() == 3 && (month(word) || matches!(word, b"Mon" | b"Tue" | b"Wed" | b"Thu" | b"Fri" | b"Sat" | b"Sun"))
}

/// Whether a line begins with a time stamp, a few tokens in at the most.
pub(crate) fn is_stamped(line: &str) -> bool {
    let words = line.trim_start().as_bytes().split(|b| matches!(b, b' ' | b'\t' | b'[' | b']'));
    words.filter(|w| !w.is_empty()).take(4).any(|word| {
        let count = |is: fn(&u8) -> bool| word.iter().filter(|b| is(b)).count();
        is_stamp(word)
            && (word.starts_with(b"bk;t=")
                || count(u8::is_ascii_digit) >= 6 && count(|b| matches!(b, b':' | b'-' | b'/' | b'.' | b',')) >= 2)
    })
}

/// The level that a line names near its beginning.
pub(crate) fn level(line: &str) -> Option<Level> {
    let head = &line.as_bytes()[..line.len().min(96)];
    let (mut at, mut words) = (0, 0);
    while at < head.len() && words < 12 {
        let word = &head[at..];
        let length = word.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(word.len());
        at += length + 1;
        words += usize::from(length >= 4);
        match &word[..length] {
            b"ERROR" | b"FATAL" | b"CRITICAL" | b"SEVERE" | b"EMERG" | b"ALERT" | b"PANIC" => return Some(Level::Error),
            b"WARN" | b"WARNING" => return Some(Level::Warning),
            b"INFO" | b"DEBUG" | b"TRACE" | b"NOTICE" => return Some(Level::Calm),
            _ => {}
        }
    }
    let fields = &line.as_bytes()[..line.len().min(140)];
    let after = |name: &[u8]| {
        memchr::memchr_iter(b'v', fields)
            .filter_map(|v| fields.get(v.checked_sub(2 + usize::from(name[0] == b'"'))?..)?.strip_prefix(name))
            .find(|rest| fields.len() - rest.len() < 120 + name.len())
    };
    let rest = after(b"level=").or_else(|| after(b"\"level\":\""))?;
    if [&b"err"[..], b"fatal", b"crit"].iter().any(|with| rest.starts_with(with)) {
        return Some(Level::Error);
    }
    rest.starts_with(b"warn").then_some(Level::Warning)
}

/// The form of a line without its prefix.
pub(crate) fn form(body: &str) -> Form {
    let line = body.trim_start();
    if !line.bytes().any(|b| b.is_ascii_alphabetic() || b >= 0x80) {
        return Form::Wordless;
    }
    let first = line.as_bytes()[0];
    let may = BEGINNINGS[usize::from(first)];
    let begins = |with: &[&str]| with.iter().any(|w| w.as_bytes()[0] == first && line.starts_with(w));
    if may & 1 > 0 && begins(&ERRORS) || is_exception(line) || is_located(line, " error") {
        return Form::Error;
    }
    if may & 2 > 0 && begins(&PASSED)
        || PASSED_ENDS.iter().any(|w| w.as_bytes().last() == line.as_bytes().last() && line.ends_with(w))
        || line.ends_with(']') && PASSED_WORDS.iter().any(|w| line.contains(w))
    {
        return Form::Passed;
    }
    if may & 4 > 0 && begins(&WARNINGS)
        || is_located(line, " warning")
        || line.starts_with(|c: char| c.is_alphabetic())
            && line.split(':').next().is_some_and(|w| w.ends_with("Warning") && !w.contains(' '))
    {
        return Form::Warning;
    }
    if is_banner(line) {
        return if line.bytes().filter(u8::is_ascii_digit).count() > 0 { Form::Summary(1.0) } else { Form::Title };
    }
    let digits = line.bytes().any(|b| b.is_ascii_digit());
    if may & 8 > 0 && begins(&TITLES)
        || line.starts_with('#') && line.as_bytes().get(1).is_some_and(u8::is_ascii_digit) && line.contains(" [")
    {
        return Form::Title;
    }
    // Buildkite's sections, as against the commands of nested shells.
    if (line.starts_with("+++ ") || line.starts_with("--- ")) && line[4..].starts_with(|c: char| c == ':' || c.is_uppercase()) {
        return Form::Title;
    }
    if may & 16 > 0 && begins(&COMMANDS) {
        return Form::Command;
    }
    let (mut totals, mut facts, mut end) = (0, 0, 0);
    FINDER.find(head(line).as_bytes(), |at, word| {
        if word >= TOTALS.len() {
            facts += 1;
        } else if at >= end {
            // Words that stand in each other are one.
            (totals, end) = (totals + 1, at + FINDER.len_of(word));
        }
    });
    if digits && totals > 0 {
        return Form::Summary(if totals > 1 { 0.8 } else { 0.5 });
    }
    if facts > 0 {
        return Form::Fact;
    }
    Form::Plain
}

/// What of a long line is looked at.
fn head(line: &str) -> &str {
    &line[..line.floor_char_boundary(400)]
}

/// `some.package.TypeError: message`, `thread 'main' panicked at …`.
fn is_exception(line: &str) -> bool {
    if line.starts_with("thread '") && line.contains("panicked") {
        return true;
    }
    let name = &line[..memchr::memchr3(b':', b' ', b'(', line.as_bytes()).unwrap_or(line.len()).min(line.floor_char_boundary(120))];
    let typed = name.len() > 5 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'$' | b'\\'));
    typed
        && ["Error", "Exception", "Failure", "Panic", "Fault", "Interrupt", "Timeout"].iter().any(|end| name.ends_with(end))
        && name.starts_with(|c: char| c.is_alphabetic())
}

/// `path:12:3: error: …`, as compilers write it.
fn is_located(line: &str, what: &str) -> bool {
    let line = head(line);
    let colon = memchr::memchr_iter(b':', line.as_bytes()).find(|at| line[at + 1..].starts_with(what));
    colon.is_some_and(|at| at > 0 && !line[..at].contains(' ') && line[..at].ends_with(|c: char| c.is_ascii_digit() || c == ')'))
}

/// `===== 3 passed in 1.2s =====`, `____ TestCart.test_total ____`, `----- stderr -----`.
fn is_banner(line: &str) -> bool {
    let first = line.as_bytes()[0];
    matches!(first, b'=' | b'_' | b'-' | b'*' | b'#') && line.len() > 6 && {
        let run = line.bytes().take_while(|&b| b == first).count();
        run >= 3 && line.trim_end().bytes().rev().take_while(|&b| b == first).count() >= 2.min(run) && run * 2 < line.len() + 40
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_go_and_indentation_stays() {
        for (line, rest) in [
            ("2026-07-28T17:41:15.7682142Z    File \"a.py\"", "   File \"a.py\""),
            ("17/06/09 20:10:40 INFO executor.Backend: Registered", "executor.Backend: Registered"),
            ("(EngineCore pid=21) ERROR 06-19 12:57:13 [core.py:1229]   raise e", "  raise e"),
            ("Dec 10 07:02:47 LabSZ sshd[24200]: Failed password", "LabSZ sshd[24200]: Failed password"),
            ("web-1  | listening on 8080", "listening on 8080"),
            ("bk;t=1729032357206 $ make", "$ make"),
            ("error: could not compile", "error: could not compile"),
            ("plain words here", "plain words here"),
            ("ValueError: bad", "ValueError: bad"),
            ("", ""),
        ] {
            assert_eq!(body(line), rest, "{line}");
        }
    }

    #[test]
    fn forms_are_told_apart() {
        for (line, expected) in [
            ("##[error]Process completed with exit code 1.", Form::Error),
            ("E       assert 401 == 200", Form::Error),
            ("AttributeError: 'X' object has no attribute 'y'", Form::Error),
            ("java.lang.IllegalStateException: closed", Form::Error),
            ("src/main.rs:3:5: error: expected item", Form::Error),
            ("main.c(3): warning C4996: old", Form::Warning),
            ("==== 1 failed, 26 passed in 541.92s ====", Form::Summary(1.0)),
            ("test result: FAILED. 3 passed; 1 failed", Form::Summary(0.8)),
            ("real\t113m46.728s", Form::Summary(0.5)),
            ("____ TestCart.test_total ____", Form::Title),
            ("##[group]Run make", Form::Title),
            ("#9 [2/5] RUN apk add git", Form::Title),
            ("+ make test", Form::Command),
            ("--------------------", Form::Wordless),
            ("    ^^^^", Form::Wordless),
            ("✓ says no error 3ms", Form::Passed),
            ("test_a.py::test_error PASSED [0.1s] [ 17%]", Form::Passed),
            ("test tests::fails_on_errors ... ok", Form::Passed),
            ("it went on", Form::Plain),
        ] {
            assert_eq!(form(line), expected, "{line}");
        }
    }

    #[test]
    fn stamps_and_levels_are_found() {
        for (line, stamped, is) in [
            ("2026-05-01 00:10:11 INFO worker", true, Some(Level::Calm)),
            ("[2026-05-01T00:10:11Z] WARN slow", true, Some(Level::Warning)),
            ("Dec 10 07:02:47 host sshd: x", true, None),
            ("time=x level=error msg=y", false, Some(Level::Error)),
            ("call 555-1234 now", false, None),
            ("version 1.2.3 is out", false, None),
        ] {
            assert_eq!((is_stamped(line), level(line)), (stamped, is), "{line}");
        }
    }
}
