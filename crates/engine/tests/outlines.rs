//! Whatever Markdown, HTML or code holds, its preview is within the budget, and the same each time.

use proptest::prelude::*;
use snugfit_engine::{Budget, Options, fit};

/// Beginnings that decide the kind.
const KINDS: [(&str, &str); 3] =
    [("# T\n\nSome [words](https://example.com) here.\n\n", "markdown"), ("<!DOCTYPE html>", "html"), ("#!/bin/sh\n", "code")];

const FRAGMENTS: [&str; 64] = [
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "\t",
    "    ",
    "# ",
    "## a",
    "- ",
    "  - x",
    "1. ",
    "| a | b |\n|---|---|\n",
    "| 1 | 2 |\n",
    "```",
    "~~~",
    "---",
    "===",
    "> ",
    "<!--",
    "-->",
    "[a](http://b.c)",
    "[a]: http://b.c",
    "`x`",
    "**b**: ",
    "word word word. Word, word; word: ",
    "漢字。漢字、",
    "e\u{301}\u{301}",
    "👨‍👩‍👧‍👦",
    "🇩🇪🇫🇷",
    "\u{0}",
    "\u{feff}",
    "…[+3 chars]",
    "…",
    "<p>",
    "</p>",
    "<div class='nav'>",
    "</div>",
    "<table>",
    "<tr><td>",
    "</td></tr></table>",
    "<ul><li>",
    "</ul>",
    "<pre>",
    "</pre>",
    "<a href=\"/x?a=1&amp;b",
    "\">",
    "</a>",
    "<script>",
    "</script>",
    "&amp;",
    "&#x1f600;",
    "&hellip;[",
    "<!",
    "<",
    "fn f(a: u8) {\n",
    "}\n",
    "def f(x):\n    return x\n",
    "class A:\n",
    "/* ",
    " */",
    "\"\"\"",
    "import x from 'y';\n",
    "const X = 3;\n",
    "error: failed\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_fits(kind in 0..KINDS.len(), parts in prop::collection::vec((0..FRAGMENTS.len(), 1usize..6), 1..120), budget in 60usize..900) {
        let (start, name) = KINDS[kind];
        let mut text = start.to_owned();
        for (part, times) in parts {
            text.push_str(&FRAGMENTS[part].repeat(times));
        }
        let mut options = Options::new(Budget::chars(budget));
        options.arguments = r#"{"query":"word x"}"#.to_owned();
        let fitted = fit(&text, &options);
        if let Ok(fitted) = &fitted {
            prop_assert!(fitted.text.chars().count() <= budget);
            // White space is no content.
            prop_assert!(!fitted.report.complete || fitted.text.split_whitespace().eq(text.split_whitespace()));
            if name == "html" {
                prop_assert_eq!(fitted.report.kind, name);
            }
        }
        prop_assert_eq!(fitted, fit(&text, &options));
    }

    #[test]
    fn long_lines_fit(unit in 0..FRAGMENTS.len(), times in 500usize..3_000, budget in 100usize..900) {
        for (start, _) in KINDS {
            let text = format!("{start}{}", FRAGMENTS[unit].repeat(times));
            if let Ok(fitted) = fit(&text, &Options::new(Budget::chars(budget))) {
                prop_assert!(fitted.text.chars().count() <= budget);
            }
        }
    }
}
