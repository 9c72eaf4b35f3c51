//! Texts that are made to be slow, large or confusing.

use std::path::Path;

use snugfit_proxy::config::{Format, Glob, parse};

use super::{read, yaml};

#[test]
fn hostile_texts_are_refused_quickly() {
    let bomb = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, n| format!("{text}a{n}: &a{n} [*a{p}, *a{p}]\n", p = n - 1));
    assert!(yaml(&bomb).unwrap_err().contains("this anchor makes the configuration too large"));
    let deep = |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    assert!(yaml(&deep("[", "]", 100)).unwrap_err().contains("nested more than 64 levels deep"));
    assert!(yaml(&deep("{a: ", "}", 100)).unwrap_err().contains("nested more than 64 levels deep"));
    for text in [deep("[", "]", 200_000), deep("- ", "", 200_000), deep("{a: ", "}", 200_000), "? ".repeat(100_000), "\"".repeat(300_001)] {
        assert!(yaml(&text).is_err());
        assert!(read(&text, Format::Json).is_err());
    }
    let wide: String = (0..150_000).map(|n| format!("k{n}: 1\n")).collect();
    assert!(yaml(&wide).unwrap_err().contains("more than 100000 values"));
}

#[test]
fn text_that_is_copied_is_counted() {
    let long = "x".repeat(1 << 20);
    // An alias of a text, a key or a nest; anchors within anchors, which nobody names.
    let aliases = format!("servers: &a ['{long}']\nmcpServers: [{}]", "*a, ".repeat(1000));
    assert_eq!(yaml(&aliases).unwrap_err(), "file:2:34: this alias makes the configuration too large");
    let keys = format!("servers: &a {{ {}: 1 }}\nmcpServers: [{}]", "k".repeat(900), "*a, ".repeat(40_000));
    assert!(yaml(&keys).unwrap_err().contains("this alias makes the configuration too large"));
    let anchors = format!("servers: {}'{long}'{}", (0..60).map(|n| format!("&a{n} [")).collect::<String>(), "]".repeat(60));
    assert!(yaml(&anchors).unwrap_err().ends_with("this anchor makes the configuration too large"));
    let variables = format!("servers: {{ a: {{ command: '{}' }} }}", "${LONG}".repeat(10_000));
    let long = |_: &str| Some("y".repeat(100_000));
    let told = parse(&variables, Format::Yaml, "file", Path::new("/"), &long).unwrap_err().to_string();
    assert_eq!(told, "file:1:26: servers.a.command: variables make more than 8 MiB of the configuration");
}

#[test]
fn patterns_are_bounded_and_none_panics() {
    for pattern in ["*".repeat(100_000), "{".repeat(100_000), "[^a]".repeat(30_000), "?".repeat(513)] {
        assert_eq!(Glob::new(&pattern).unwrap_err(), "longer than 512 bytes");
    }
    for pattern in ["*".repeat(512), "?".repeat(512), "{a,".repeat(170), "{*,[a-z]}".repeat(56), "[!\u{10ffff}]".repeat(60)] {
        if let Ok(glob) = Glob::new(&pattern) {
            assert!(!glob.is_match("") || pattern.starts_with('*') || pattern.starts_with('{'), "{pattern}");
        }
    }
    let many = vec!["'a*'"; 1001].join(", ");
    let told = yaml(&format!("filters: {{ deny: [{many}] }}")).unwrap_err();
    assert_eq!(told, "file:1:18: filters.deny: more than 1000 patterns; write fewer with `*` and `{a,b}`");
    let many: String = (0..1001).map(|n| format!("a{n}: {{}}, ")).collect();
    let told = yaml(&format!("results: {{ perTool: {{ {many} }} }}")).unwrap_err();
    assert_eq!(told, "file:1:21: results.perTool: more than 1000 entries; write fewer with `*` and `{a,b}`");
}

#[test]
fn of_thousands_of_mistakes_the_first_are_told() {
    let each = |form: fn(usize) -> String| (0..30_000).map(form).collect::<String>();
    for (text, format) in [
        (each(|n| format!("servres{n}: 1\n")), Format::Yaml),
        (format!("servers:\n{}", each(|n| format!("  a.{n}: {{ command: x }}\n"))), Format::Yaml),
        (format!("servers:\n{}", each(|n| format!("  a{n}: {{ comand: x }}\n"))), Format::Yaml),
        (format!("filters:\n  allow:\n{}", each(|n| format!("  - ${{V{n}}}\n"))), Format::Yaml),
        (format!("{{\"servers\":{{{}\"z\":1}}}}", each(|n| format!("\"a{n}\":{{\"command\":[]}},\n"))), Format::Json),
        (
            format!("servers:\n{0}mcpServers:\n{0}", (0..15_000).map(|n| format!("  a{n}: {{ command: x }}\n")).collect::<String>()),
            Format::Yaml,
        ),
    ] {
        let told = read(&text, format).unwrap_err();
        assert_eq!(told.lines().count(), 51, "{}", &told[..2000.min(told.len())]);
        assert!(told.starts_with("the first 50 mistakes in the configuration\n"), "{}", &told[..200]);
    }
    // Names as long as the file come in excerpts.
    let long = "n".repeat(1 << 20);
    let told = yaml(&format!("servers: {{ {long}: {{ {long}: 1, command: '${{{long}}}' }} }}\n{long}: 1")).unwrap_err();
    assert!(told.len() < 2000, "{}", told.len());
}
