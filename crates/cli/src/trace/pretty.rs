//! A line of a trace for people.

use serde_json::Value;
use snugfit_proxy::log::harmless;

/// A line in columns; one that is no line of a trace as it is, but for what would act on a terminal.
pub(crate) fn line(json: &str, colors: bool) -> String {
    let Some(line) = serde_json::from_str::<Value>(json).ok().filter(|line| line["dir"].is_string()) else { return harmless(json) };
    let text = |key: &str| harmless(line[key].as_str().unwrap_or_default());
    let time = text("time");
    let time = time.split_once('T').map_or(time.as_str(), |(_, time)| time.trim_end_matches('Z'));
    let failed = line["ok"] == false;
    let mark = match line["ok"].as_bool() {
        Some(true) => "✓",
        Some(false) => "✗",
        None => " ",
    };
    let arrow = if line["dir"] == "in" { "←" } else { "→" };
    let peer = if line["upstream"].is_string() { text("upstream") } else { "client".to_owned() };
    let mut words = vec![format!("{time} {mark} {arrow} {peer:12}"), text("method"), text("name")];
    if let Some(took) = line["durMs"].as_f64() {
        words.push(format!("{took:.1} ms"));
    }
    words.push(size(line["bytes"].as_u64().unwrap_or_default()));
    if let (Some(before), Some(after)) = (line["tokensBefore"].as_u64(), line["tokensAfter"].as_u64()) {
        words.push(format!("{before} tokens to {after}"));
    }
    let msg = text("msg");
    if !matches!(msg.as_str(), "request" | "response" | "notification") {
        words.push(msg);
    }
    let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("  ");
    match () {
        () if !colors => words,
        () if failed => format!("\x1b[31m{words}\x1b[0m"),
        () if line["upstream"].is_string() => format!("\x1b[2m{words}\x1b[0m"),
        () => words,
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines_are_for_people() {
        for (json, expected) in [
            (
                r#"{"time":"2026-11-30T12:34:56.789Z","level":"info","dir":"in","method":"tools/call","name":"read","id":"1","bytes":120,"msg":"request"}"#,
                "12:34:56.789   ← client        tools/call  read  120 B",
            ),
            (
                r#"{"time":"2026-11-30T12:34:56.790Z","dir":"in","upstream":"files","method":"tools/call","ok":false,"durMs":1.25,"bytes":0,"msg":"it ended"}"#,
                "12:34:56.790 ✗ ← files         tools/call  1.2 ms  0 B  it ended",
            ),
            (
                r#"{"time":"T1Z","dir":"out","method":"m","ok":true,"durMs":3,"bytes":2500,"tokensBefore":900,"tokensAfter":80,"msg":"response"}"#,
                "1 ✓ → client        m  3.0 ms  2.5 kB  900 tokens to 80",
            ),
            ("{\"dir\":\"in\",\"method\":\"\\u001b[2J\"}", "   ← client        \u{fffd}[2J  0 B"),
            ("no \x1bline", "no \u{fffd}line"),
        ] {
            assert_eq!(line(json, false), expected);
        }
    }
}
