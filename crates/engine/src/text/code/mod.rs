//! Source code: an outline of declarations with their documentation's first line; bodies elided from the longest.

mod lex;
mod outline;
mod words;
mod worth;

use super::Ask;
use super::lines::{Pick, split};
use crate::detect::Sample;
use crate::report::Report;
use lex::{Language, Line, Part};

/// Shares of the sample's lines that must be declarations or statements, and that must look like code at all.
const DECLARED: f32 = 0.06;
const CODE: f32 = 0.55;
/// Style sheets and the like have no declarations, but nearly all their lines end as statements.
const PUNCTUATED: f32 = 0.8;

/// Room for the line numbers in each marker.
const NUMBERS: usize = 12;

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    let head = sample.head.trim_start_matches('\u{feff}');
    if head.starts_with("#!") && !head.starts_with("#![") || head.starts_with("<?php") {
        return true;
    }
    let language = Language::of(&sample.lines);
    let (mut declared, mut code, mut statements, mut data, mut comments) = (0, 0, 0, 0, 0);
    let mut lexer = lex::Lexer::new(language);
    for line in &sample.lines {
        let line = Line { part: Part::Body, ..lexer.line(line) };
        let text = line.text;
        if lex::is_data(text) {
            data += 1;
        } else if line.comment {
            comments += 1;
        } else if lex::declares(text) {
            declared += 1;
        } else if text.ends_with(';') {
            statements += 1;
        } else if lex::codelike(text) {
            code += 1;
        }
    }
    let total = sample.lines.len().max(1) as f32;
    let share = |n: usize| n as f32 / total;
    let fenced = sample.lines.iter().filter(|l| l.starts_with("```")).count();
    if fenced > 1 || share(data) > 0.5 || comments == sample.lines.len() {
        return false;
    }
    let all = share(declared + code + statements + comments);
    let braces = sample.lines.iter().any(|l| l.trim_end().ends_with('{')) && sample.lines.iter().any(|l| l.trim() == "}");
    declared >= 2 && share(declared) >= DECLARED * (1.0 - share(comments)).max(0.2) && all >= CODE
        || declared >= 1 && sample.lines.len() <= 8 && all >= CODE && statements + declared >= 2
        || braces && all >= PUNCTUATED && share(statements) >= 0.2 && share(data) < 0.2
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    let ranges: Vec<(usize, usize)> = split(text).collect();
    let lines = worth::weigh(text, &ranges, ask);
    let number = |&(from, to): &(usize, usize)| if to == from + 1 { to.to_string() } else { format!("{}-{to}", from + 1) };
    let numbers = |gaps: &[(usize, usize)]| gaps.iter().map(number).collect();
    let pick = Pick { lines: &lines, novelty: false, note: Some(&numbers), note_room: ask.meter.byte(b'1') * NUMBERS };
    pick.choose(text, ask, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_and_what_only_resembles_it_is_not() {
        for (text, is) in [
            (
                "import os\nimport sys\n\ndef main(argv):\n    \"\"\"Run.\"\"\"\n    for arg in argv:\n        print(arg)\n    return 0\n",
                true,
            ),
            (
                "import React from 'react';\n<div className=\"row\" onClick={()=>save(1)}><span data-id=\"1\">Item</span></div>\n<div className=\"row\" onClick={()=>save(2)}><span data-id=\"2\">Item</span></div>",
                true,
            ),
            (
                "use std::fmt;\n\n/// A point.\npub struct Point {\n    x: f32,\n    y: f32,\n}\n\nimpl Point {\n    pub fn new() -> Self {\n        Self { x: 0.0, y: 0.0 }\n    }\n}\n",
                true,
            ),
            ("package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hi\")\n}\n", true),
            (
                "CREATE TABLE users (\n  id INT PRIMARY KEY,\n  name TEXT\n);\nINSERT INTO users VALUES (1, 'a');\nINSERT INTO users VALUES (2, 'b');\n",
                true,
            ),
            ("#!/bin/sh\nset -e\necho hi\n", true),
            ("module Foo\n  class Bar\n    def baz(x)\n      x + 1\n    end\n  end\nend\n", true),
            ("body {\n  margin: 0;\n  color: red;\n}\n.a {\n  top: 1px;\n}\n", true),
            (
                "name: build\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu\n    steps:\n      - uses: actions/checkout@v4\n",
                false,
            ),
            ("{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [1, 2],\n  },\n  \"import\": \"x\"\n", false),
            ("2026-05-01 INFO import done (3 files)\n2026-05-01 INFO class loaded; ok\n2026-05-01 WARN return code 1;\n", false),
            (
                "The function of this class is clear; it returns what was asked for.\nUse it when you import data, and let it go when you are done.\n",
                false,
            ),
            ("# Tool\n\nInstall it:\n\n```\nimport x from 'x';\nconst y = x();\n```\n\nThen use it.\n", false),
            ("id,name\n1,a\n2,b\n3,c\n", false),
            ("    at Object.<anonymous> (/app/index.js:1:7)\n    at Module._compile (node:internal:1105:14)\n", false),
        ] {
            assert_eq!(looks(&Sample::new(text)), is, "{text}");
        }
    }
}
