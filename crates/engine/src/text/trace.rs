//! Stack traces of Java, Python, JavaScript, Go, Rust, C#, Ruby, PHP and native code, alone or inside logs.
//!
//! A trace is read by its message, its causes and the frames nearest to where it was thrown, above all those of the application's own code.
//! Here each line gets its part in a trace; [`super::log`] values lines by it.

use super::log::body;
use super::{Ask, log};
use crate::detect::Sample;
use crate::report::Report;

/// What a line is in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A call; `own` if it is not in a library or the runtime; `last_call_last` for Python's order.
    Frame { own: bool, last_call_last: bool },
    /// A cause, or what begins a trace (`Caused by: …`, `goroutine 1 [running]:`).
    Cause,
    /// A line that says how many frames are not shown.
    More,
}

/// Between the frames of one trace stand at most so many other lines (source lines, carets, function names).
const BETWEEN: usize = 3;

/// Paths and packages that are not the application's own.
const LIBRARIES: [&str; 42] = [
    "site-packages/",
    "dist-packages/",
    "node_modules/",
    "node:",
    "internal/",
    "/usr/lib/",
    "/usr/local/lib/",
    "/usr/local/go/",
    "/rustc/",
    ".cargo/registry",
    "<frozen",
    "<anonymous>",
    "lib/python",
    "/gems/",
    "/ruby/",
    "/vendor/",
    "java.base/",
    " java.",
    " javax.",
    " jdk.",
    " sun.",
    " com.sun.",
    " jakarta.",
    " kotlin.",
    " scala.",
    " org.springframework.",
    " org.apache.",
    " org.junit.",
    " org.hibernate.",
    " org.eclipse.",
    " io.netty.",
    " reactor.",
    " System.",
    " Microsoft.",
    "core::",
    "std::",
    "alloc::",
    "tokio::",
    "rayon",
    "runtime.",
    "__libc_",
    "/pkg/mod/",
];

/// Whether a text is of this kind: mostly frames, or a trace from its first line on.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    let frames = sample.lines.iter().filter(|l| matches!(part(body(l)), Some(Part::Frame { .. }))).count();
    frames >= 2 && frames * 5 >= sample.lines.len() && sample.share(log::is_stamped) < 0.3
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    log::fit(text, ask, report)
}

/// The part of a line (without what a log puts before it) in a trace, by its form alone.
pub(crate) fn part(body: &str) -> Option<Part> {
    let line = body.trim_start();
    let frame = |last_call_last: bool| Some(Part::Frame { own: is_own(body), last_call_last });
    match line.as_bytes().first()? {
        b'F' if line.starts_with("File \"") && line.contains("\", line ") => frame(true),
        b'a' if line.starts_with("at ") && line.len() > 5 => {
            let call = line.contains('(') && line.contains('.')
                || line.contains("://")
                || place(line)
                || line.contains("(native)")
                || line.starts_with("at async ");
            if call { frame(false) } else { None }
        }
        b'f' if line.starts_with("from ") && line.contains(":in ") && place(line) => frame(false),
        b'#' if line.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => {
            let rest = line.trim_start_matches(|c: char| c == '#' || c.is_ascii_digit());
            let call = rest.starts_with(' ')
                && (rest.contains('(') && (place(line) || rest.contains("): ")) || rest.contains(" 0x") || rest.contains("{main}"));
            if call { frame(false) } else { None }
        }
        b'0'..=b'9' => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.starts_with(": ") && rest.contains("::") && body.starts_with(' ') { frame(false) } else { None }
        }
        b'.' if line.starts_with("... ") && (line.contains(" more") || line.contains("omitted") || line.contains("frames")) => {
            Some(Part::More)
        }
        b'[' if line.starts_with("[Previous line repeated") => Some(Part::More),
        b'[' if line.starts_with("[cause]:") => Some(Part::Cause),
        b'-' if line.starts_with("---> ") => Some(Part::Cause),
        b'C' if line.starts_with("Caused by") => Some(Part::Cause),
        b'-' if line.starts_with("--> ") && place(line) => frame(false),
        0xe2 if line.starts_with("❯ ") && place(line) => frame(false),
        b'S' if line.starts_with("Suppressed:") => Some(Part::Cause),
        b'T' if line.starts_with("The above exception was") || line.starts_with("Traceback (most recent call last)") => Some(Part::Cause),
        b'D' if line.starts_with("During handling of the above") => Some(Part::Cause),
        b'g' if line.starts_with("goroutine ") && line.ends_with("]:") => Some(Part::Cause),
        b'p' if line.starts_with("panic: ") => Some(Part::Cause),
        // Ruby's first frame carries the message: `app.rb:3:in 'run': boom (RuntimeError)`; Go's places end in an offset.
        _ if line.contains(":in ") && place(line) && line.contains(".rb:") => frame(false),
        _ if body.starts_with(['\t', ' ']) && line.contains(".go:") && place(line) => frame(false),
        _ => None,
    }
}

/// Whether a line holds a place in a file: `.` or `/` before it somewhere, then `:12` or `line 12` or `(12)`.
fn place(line: &str) -> bool {
    let numbered =
        |mark: u8| memchr::memchr_iter(mark, line.as_bytes()).any(|at| line.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit));
    line.contains(['.', '/']) && (numbered(b':') || numbered(b'(') || line.contains(":line "))
}

/// Whether a frame is in the application's own code, as far as its text tells.
fn is_own(frame: &str) -> bool {
    !LIBRARIES.iter().any(|lib| frame.contains(lib))
}

/// What being part of a trace adds to the worth of lines: called with a line's number and what is added.
///
/// `lines` are numbers and bodies in order; a jump in the numbers ends a trace.
pub(crate) fn value(lines: &[(u32, &str)], mut add: impl FnMut(u32, f32)) {
    let parts: Vec<Option<Part>> = lines.iter().map(|l| part(l.1)).collect();
    let mut at = 0;
    while at < lines.len() {
        match parts[at] {
            Some(Part::Frame { .. }) => {
                let end = end_of(lines, &parts, at);
                value_trace(lines, &parts, at, end, &mut add);
                at = end;
            }
            Some(Part::Cause) => {
                add(lines[at].0, if lines[at].1.trim_start().starts_with("Traceback") { 0.1 } else { 0.5 });
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// One past the last frame of the trace that begins at `start`.
fn end_of(lines: &[(u32, &str)], parts: &[Option<Part>], start: usize) -> usize {
    let mut end = start + 1;
    let mut at = end;
    while at < lines.len() && at <= end + BETWEEN && lines[at].0 <= lines[at - 1].0 + 2 && parts[at] != Some(Part::Cause) {
        if matches!(parts[at], Some(Part::Frame { .. } | Part::More)) {
            end = at + 1;
        }
        at += 1;
    }
    end
}

fn value_trace(lines: &[(u32, &str)], parts: &[Option<Part>], start: usize, end: usize, add: &mut impl FnMut(u32, f32)) {
    let upside_down = matches!(parts[start], Some(Part::Frame { last_call_last: true, .. }));
    let mut frames: Vec<usize> = (start..end).filter(|&at| matches!(parts[at], Some(Part::Frame { .. }))).collect();
    if upside_down {
        frames.reverse();
    }
    let mut own_before = 0;
    for (depth, &at) in frames.iter().enumerate() {
        let own = matches!(parts[at], Some(Part::Frame { own: true, .. }));
        let near = 0.7 / (1.0 + 0.8 * depth as f32);
        let ours = if own { 0.9 / (1.0 + 0.7 * own_before as f32) } else { 0.0 };
        own_before += usize::from(own);
        add(lines[at].0, near.max(ours));
        // The source line below a Python frame, the function above a Go place.
        let beside = if upside_down { Some(at + 1) } else { at.checked_sub(1).filter(|_| lines[at].1.contains(".go:")) };
        if let Some(beside) = beside.filter(|&b| b < end.max(start + 1) + 1 && b < lines.len() && parts[b].is_none()) {
            add(lines[beside].0, 0.5 * near.max(ours));
        }
    }
    if upside_down {
        // The message is the first line after the frames that is not indented.
        let indented = |at: usize| lines[at].1.starts_with([' ', '\t']) || lines[at].1.trim().is_empty();
        let message = (end..lines.len().min(end + 2 * BETWEEN)).find(|&at| !indented(at));
        if let Some(at) = message {
            add(lines[at].0, 1.2);
        }
    } else if let Some(at) = start.checked_sub(1).filter(|&at| lines[at].0 + 2 >= lines[start].0) {
        // The message stands above; a Rust or Go trace has a title line between.
        add(lines[at].0, if parts[at].is_none() { 0.9 } else { 0.3 });
        if let Some(above) = at.checked_sub(1).filter(|&a| parts[a].is_none() && lines[at].1.len() < 30) {
            add(lines[above].0, 0.8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_every_language_are_known_and_own_code_is_told_apart() {
        for (line, own) in [
            ("  File \"/app/orders.py\", line 12, in total", true),
            ("  File \"/usr/lib/python3.12/json/decoder.py\", line 337, in decode", false),
            ("\tat com.acme.shop.Cart.total(Cart.java:41)", true),
            ("\tat java.base/java.lang.Thread.run(Thread.java:840)", false),
            ("\tat org.springframework.web.servlet.DispatcherServlet.doGet(DispatcherServlet.java:9)", false),
            ("    at Object.<anonymous> (/app/src/cart.js:3:9)", false),
            ("    at total (/app/src/cart.js:3:9)", true),
            ("    at async file:///app/src/cart.mjs:3:9", true),
            ("    at node:internal/main/run_main_module:28:49", false),
            ("\t/app/cmd/main.go:17 +0x1d", true),
            ("\t/usr/local/go/src/net/http/server.go:2109 +0x44", false),
            ("   3: shop::cart::total", true),
            ("   4: core::ops::function::FnOnce::call_once", false),
            ("             at ./src/cart.rs:12:9", true),
            ("   at Shop.Cart.Total(Int32 n) in /app/Cart.cs:line 41", true),
            ("   at System.Threading.Tasks.Task.Run()", false),
            ("\tfrom app.rb:9:in 'Cart#total'", true),
            ("app.rb:3:in 'run': boom (RuntimeError)", true),
            ("#0 /app/cart.php(12): Cart->total()", true),
            ("#2 {main}", true),
            (" --> src/main.rs:3:5", true),
            (" ❯ test/cart.test.ts:22:82", true),
            ("#1  0x00005555 in total () at cart.c:12", true),
        ] {
            assert!(matches!(part(line), Some(Part::Frame { own: o, .. }) if o == own), "{line:?} {:?}", part(line));
        }
    }

    #[test]
    fn prose_and_code_are_no_frames() {
        for line in [
            "at the end of the day",
            "from here on",
            "# 1 heading",
            "#12 fixed a bug",
            "1: first",
            "File a bug",
            "look at /etc/hosts",
            "import a from 'b'",
            "12:30 lunch",
        ] {
            assert_eq!(part(line), None, "{line}");
        }
    }

    #[test]
    fn the_message_and_the_throwing_frame_are_worth_most() {
        let text = "Traceback (most recent call last):\n  File \"/usr/lib/python3/runpy.py\", line 1, in run\n    exec(code)\n  File \"/app/a.py\", line 2, in f\n    g()\nValueError: boom";
        let lines: Vec<(u32, &str)> = text.lines().enumerate().map(|(n, l)| (n as u32, l)).collect();
        let mut worth = [0.0; 6];
        value(&lines, |at, more| worth[at as usize] += more);
        assert!(worth[5] > worth[3] && worth[3] > worth[1] && worth[4] > 0.0, "{worth:?}");
    }
}
