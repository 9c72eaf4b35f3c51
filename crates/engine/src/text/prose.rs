//! Where a long line may be cut: between sentences, else between clauses, else between words; never inside a link or code span.
//!
//! Script, not language, decides: no word lists.

/// A line up to this length (bytes) is one piece.
const WHOLE: usize = 140;
/// Pieces are at least and at most so long, where the text allows it.
const LEAST: usize = 40;
const MOST: usize = 240;
/// What stands before links in parentheses, which say where more is to be found, may be shorter.
const LINKED: usize = 16;
/// Of a first sentence longer than [`WHOLE`] the opening is a piece of its own, so that what comes later in the line costs less to reach.
const OPENING: usize = 56;
/// Rows and items longer than this are cut after their first cell or name.
const NAMED: usize = 64;
/// A name is no longer than this.
pub(crate) const NAME: usize = 60;
/// A word longer than this is data and may be cut anywhere between characters.
const DATA: usize = 2_000;
/// Letters that are passed over at once.
const RUN: usize = 64;
/// A bracket that is not closed within this is no bracket.
const BRACKET: usize = 400;

/// What a piece is worth less because it costs more than its characters: a line feed and a share of the gap beside it. Short pieces lose most.
pub(crate) struct Room {
    shares: Vec<f32>,
}

impl Room {
    /// `gap` is what a piece costs besides its characters.
    pub(crate) fn new(gap: f32) -> Self {
        // Lines are chosen by worth / (length + 8)^0.6; this makes it worth / (length + gap)^0.6.
        Self { shares: (0..512).map(|length| ((length as f32 + 8.0) / (length as f32 + gap)).powf(0.6)).collect() }
    }

    pub(crate) fn share(&self, length: usize) -> f32 {
        self.shares.get(length).copied().unwrap_or(1.0)
    }
}

/// What a line is, for its first cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    /// A list item: what comes before its first colon or dash is its name.
    Item,
    /// A table's row: its first cell is its name.
    Row,
}

/// Calls `cut` with the end (relative to `line`) of each piece of a line, in order; the last is the line's length.
pub(crate) fn pieces(line: &str, form: Form, mut cut: impl FnMut(usize)) {
    let mut cutter = Cutter::default();
    if let Some(end) = name_end(line, form) {
        cut(end);
        (cutter.start, cutter.first_done) = (end, true);
    }
    if line.len() - cutter.start <= WHOLE {
        cut(line.len());
        return;
    }
    let mut at = cutter.start;
    while at < line.len() {
        let run = cutter.run(&line.as_bytes()[at..], at);
        let seen = if run > 0 {
            at += run;
            if cutter.open.is_none() && at.saturating_sub(cutter.start) < MOST && line.as_bytes().get(at) == Some(&b' ') {
                // Nothing but a word ends here, and the piece is not long yet.
                at += 1;
                cutter.word = at;
                continue;
            }
            at - 1
        } else {
            let mut rest = line[at..].chars();
            let Some(c) = rest.next() else { break };
            cutter.see(line, at, c, rest.next());
            at += c.len_utf8();
            at - c.len_utf8()
        };
        while let Some(end) = cutter.ready(seen) {
            cut(end);
        }
    }
    cut(line.len());
}

/// Where the name that a row or item begins with ends, with the sign and the space after it.
fn name_end(line: &str, form: Form) -> Option<usize> {
    if form == Form::Text || line.len() <= NAMED {
        return None;
    }
    let mut open = 0usize;
    let mut code = false;
    let lead = line.len() - line.trim_start_matches(['|', ' ', '\t', '-', '*', '+', '•']).len();
    for (at, c) in line.char_indices().skip_while(|c| c.0 < lead).take_while(|c| c.0 < lead + NAME) {
        let rest = &line[at + c.len_utf8()..];
        match c {
            '`' => code = !code,
            '[' | '(' if !code => open += 1,
            ']' | ')' if !code => open = open.saturating_sub(1),
            '|' if form == Form::Row && at > lead => return Some(at),
            ':' | '-' | '–' | '—' if form == Form::Item && !code && open == 0 && at > lead + 2 => {
                // A hash is no name.
                let named = line[lead..at].bytes().any(|b| b.is_ascii_alphabetic() && !b.is_ascii_hexdigit() || !b.is_ascii());
                if named && rest.starts_with(' ') && (c == ':' || line[..at].ends_with(' ')) {
                    return Some(at + c.len_utf8() + 1);
                }
                if c == ':' && rest.starts_with("** ") {
                    // One word (`**cli:**`) says what the rest is about, but is no name.
                    return line[lead..at].contains(' ').then_some(at + 4);
                }
            }
            _ => {}
        }
    }
    None
}

#[derive(Default)]
struct Cutter {
    start: usize,
    /// The last place that ends a sentence, a clause, a word, or stands between two ideographs; the last only if nothing else is there.
    sentence: usize,
    /// Whether what follows the sentence are links.
    linked: bool,
    clause: usize,
    word: usize,
    any: usize,
    /// Where a bracket or code span was opened, and what closes it.
    open: Option<(usize, char)>,
    pending: Pending,
    first_done: bool,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Pending {
    #[default]
    None,
    Sentence,
    Clause,
}

impl Cutter {
    /// Passes over the letters and digits of ASCII that `rest`, at `at`, begins with, and says how many; none in what may be data.
    fn run(&mut self, rest: &[u8], at: usize) -> usize {
        if at.saturating_sub(self.start) + RUN >= DATA {
            return 0;
        }
        let run = rest.iter().take(RUN).take_while(|b| b.is_ascii_alphanumeric()).count();
        if run > 0 {
            self.open = self.open.filter(|(from, _)| (at + run - 1).saturating_sub(*from) <= BRACKET);
            if self.open.is_none() {
                self.pending = Pending::None;
            }
        }
        run
    }

    fn see(&mut self, line: &str, at: usize, c: char, next: Option<char>) {
        let after = at + c.len_utf8();
        if self.open.is_some_and(|(from, _)| at.saturating_sub(from) > BRACKET) {
            self.open = None;
        }
        if let Some((_, closer)) = self.open {
            if c == closer {
                // `[text](target)` is one.
                self.open = (c == ']' && next == Some('(')).then_some((at, ')'));
            }
            return;
        }
        match c {
            '(' if next == Some('[') && self.word == at && at >= self.start + LINKED => (self.sentence, self.linked) = (at, true),
            '[' => self.open = Some((at, ']')),
            '`' => self.open = Some((at, '`')),
            '<' if next.is_some_and(|n| n.is_ascii_alphabetic() || n == '/') => self.open = Some((at, '>')),
            '.' | '!' | '?' | '؟' | '।' | '۔' | '։' => self.pending = Pending::Sentence,
            '。' | '！' | '？' | '｡' => (self.sentence, self.linked) = (after, false),
            ';' | ':' | ',' | '،' | '؛' | '|' => self.pending = Pending::Clause,
            '、' | '，' | '；' | '：' => self.clause = after,
            // Closing marks belong to the sentence before.
            '"' | '\'' | ')' | '”' | '’' | '»' | '*' | '_' => {}
            c if c.is_whitespace() => {
                match self.pending {
                    Pending::Sentence if next.is_some_and(|n| !n.is_lowercase()) => (self.sentence, self.linked) = (after, false),
                    Pending::Sentence | Pending::Clause => self.clause = after,
                    Pending::None => {}
                }
                self.word = after;
                self.pending = Pending::None;
            }
            _ => {
                self.pending = Pending::None;
                if c >= '\u{2e80}' && next.is_some_and(|n| n >= '\u{2e80}') {
                    self.any = after;
                } else if (DATA..3 * DATA).contains(&at.saturating_sub(self.start)) && at.is_multiple_of(64) {
                    // A cluster that is longer than this stays whole; to look for its ends over and over would take too long.
                    self.any = super::lines::grapheme_floor(line, after);
                }
            }
        }
    }

    /// The end of the piece that is complete now.
    fn ready(&mut self, at: usize) -> Option<usize> {
        let length = at.saturating_sub(self.start);
        let end = if self.sentence >= self.start + if self.linked { LINKED } else { LEAST } {
            if !self.first_done && self.sentence > self.start + WHOLE && self.word_before_opening().is_some() {
                self.word_before_opening()?
            } else {
                self.sentence
            }
        } else if length > MOST {
            [self.clause, self.word, self.any].into_iter().find(|&end| end >= self.start + LEAST)?
        } else {
            return None;
        };
        self.first_done = true;
        self.linked = false;
        self.start = end;
        Some(end)
    }

    fn word_before_opening(&self) -> Option<usize> {
        (self.clause >= self.start + LEAST && self.clause <= self.start + 2 * OPENING).then_some(self.clause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str) -> Vec<&str> {
        let mut from = 0;
        let mut found = Vec::new();
        pieces(line, Form::Text, |end| {
            found.push(&line[from..end]);
            from = end;
        });
        found
    }

    #[test]
    fn long_lines_are_cut_between_sentences() {
        let first = "The first sentence of this line is long enough to stand alone here. ";
        let second = "The second one, with e.g. an abbreviation and v1.2.3 in it, stays one piece too. ";
        let third = "Third.";
        assert_eq!(cut(&format!("{first}{second}{third}")), [first, second, third]);
    }

    #[test]
    fn links_and_code_stay_whole() {
        let line = format!(
            "{} see [the guide. It is long](https://example.com/a?b=c) and `x. Y. Z` for more. Done with it. {}",
            "word ".repeat(20),
            "more ".repeat(20)
        );
        assert!(cut(&line).iter().any(|p| p.contains("[the guide. It is long](https://example.com/a?b=c)")));
        assert!(cut(&line).iter().any(|p| p.contains("`x. Y. Z`")));
    }

    #[test]
    fn rows_and_items_are_cut_after_their_names() {
        for (line, form, name) in [
            ("| --isolated | keep the profile in memory, and do not save it to disk; see below |", Form::Row, Some("| --isolated ")),
            ("- `timeout` (number): how long to wait, in milliseconds, before giving up", Form::Item, Some("- `timeout` (number): ")),
            ("* **cli:** add a flag that does what the old one did, but in less time now", Form::Item, None),
            ("* **Fast start:** add a flag that does what the old one did, in less time", Form::Item, Some("* **Fast start:** ")),
            (
                "- [a: link](https://example.com/a): what it leads to, said at some length",
                Form::Item,
                Some("- [a: link](https://example.com/a): "),
            ),
            ("- 4e3f54b: what this commit did, and why it was thought to be necessary", Form::Item, None),
            ("- an item that has no name, only a long sentence which goes on and on", Form::Item, None),
        ] {
            assert_eq!(name_end(line, form).map(|end| &line[..end]), name, "{line}");
        }
    }

    #[test]
    fn pieces_cover_any_line() {
        for line in [
            "漢字".repeat(500),
            "a".repeat(9_000),
            "( [ ` < ".repeat(300),
            "слово. Ещё! ".repeat(90),
            "e\u{301}".repeat(3_000),
            "。".repeat(400),
        ] {
            assert_eq!(cut(&line).concat(), line);
        }
        assert!(cut(&"漢字".repeat(500)).len() > 5 && cut(&"a".repeat(9_000)).len() > 2);
    }
}
