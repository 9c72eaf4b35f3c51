//! What always holds of a fitted text, whatever the input and the options: the specification's "What always holds" as one check.

use std::fmt::Display;

use snugfit_engine::{Amount, Error, Fitted, MAX_OMITTED, NoticeForm, Options, Place, Report, Unit, fit, measure};
use unicode_segmentation::GraphemeCursor;

use super::tree::{Kind, Tree, decode};

/// The signs of the specification, and what comes when an input holds them all.
const SIGNS: [&str; 6] = ["…", "⋯", "‥", "⟨cut⟩", "⟨cut 1⟩", "⟨cut 2⟩"];
/// Values nested deeper than this are read, but not compared one by one.
const DEEP: usize = 400;

/// Fits, checks everything that must hold, and gives the result; `None` where the budget was too small (and the error told the truth).
pub fn check(input: &str, options: &Options) -> Result<Option<Fitted>, String> {
    let fitted = match fit(input, options) {
        Ok(fitted) => fitted,
        Err(Error::BudgetTooSmall { budget, needed, unit, .. }) => {
            too_small(input, options, budget, needed, unit)?;
            return Ok(None);
        }
        Err(error) => return Err(format!("fit fails with {}: {error}", error.code())),
    };
    ensure(fit(input, options).as_ref() == Ok(&fitted), "the same call gave another result")?;
    fitted_holds(input, options, &fitted).map_err(|e| format!("{e}\n  preview: {}", clip(&fitted.text)))?;
    Ok(Some(fitted))
}

fn ensure(holds: bool, what: impl Display) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_string()) }
}

fn same<T: PartialEq + std::fmt::Debug>(name: &str, got: &T, expected: &T) -> Result<(), String> {
    ensure(got == expected, format!("{name}: {got:?} instead of {expected:?}"))
}

pub fn clip(text: &str) -> String {
    let head: String = text.chars().take(1500).collect();
    format!("{head:?} ({} chars)", text.chars().count())
}

pub fn limit(options: &mut Options, unit: Unit) -> &mut Option<usize> {
    match unit {
        Unit::Chars => &mut options.budget.chars,
        Unit::Bytes => &mut options.budget.bytes,
        Unit::Tokens(_) => &mut options.budget.tokens,
        _ => &mut options.budget.lines,
    }
}

/// The least that would do must do.
fn too_small(input: &str, options: &Options, budget: usize, needed: usize, unit: Unit) -> Result<(), String> {
    let mut more = options.clone();
    let given = limit(&mut more, unit);
    same("the budget that BUDGET_TOO_SMALL names", &Some(budget), given)?;
    ensure(needed > budget, format!("needs {needed} {unit}, which {budget} holds"))?;
    *given = Some(needed);
    match fit(input, &more) {
        Ok(fitted) => fitted_holds(input, &more, &fitted)
            .map_err(|e| format!("at the least budget of {needed} {unit}: {e}\n  preview: {}", clip(&fitted.text))),
        Err(Error::BudgetTooSmall { unit: other, .. }) if other != unit => Ok(()),
        Err(error) => Err(format!("a budget of {needed} {unit} was said to do, and: {error}")),
    }
}

fn fitted_holds(input: &str, options: &Options, fitted: &Fitted) -> Result<(), String> {
    let Fitted { text, report } = fitted;
    for (unit, limit) in options.budget.limits() {
        let size = measure(text, unit);
        ensure(size <= limit, format!("{size} {unit} of {limit}"))?;
        if unit == Unit::Chars && text != input {
            ensure(
                size + options.notice_chars <= limit,
                format!("{size} {unit} of {limit}, and {} to be kept free", options.notice_chars),
            )?;
        }
    }
    report_holds(input, text, report)?;
    if options.budget.holds(input) {
        ensure(text == input && report.complete, "an input within the budget was changed")?;
        return Ok(());
    }
    let tree = Tree::parse(input).ok();
    let (preview, notice) = peel(text, options, tree.as_ref(), report)?;
    if let Some(notice) = &notice {
        notice_holds(notice, options, report)?;
    }
    match &tree {
        Some(source) => json_holds(source, &preview, options, report, notice.is_some() && preview == *text),
        None => text_holds(input, &preview, report),
    }
}

fn report_holds(input: &str, text: &str, report: &Report) -> Result<(), String> {
    let counters = [report.items_omitted, report.keys_omitted, report.strings_truncated, report.lines_omitted, report.replaced];
    let nothing = counters.iter().all(|&c| c == 0);
    same("complete", &report.complete, &nothing)?;
    same("pruned", &report.pruned, &!nothing)?;
    ensure(report.fits, "fits is false")?;
    same("input_chars", &report.input_chars, &input.chars().count())?;
    same("output_chars", &report.output_chars, &text.chars().count())?;
    ensure(!report.kind.is_empty(), "no kind")?;
    ensure(report.omitted.len() <= MAX_OMITTED, "too many cuts named")?;
    ensure(!nothing || report.omitted.is_empty(), "cuts are named and none counted")?;
    let lines = input.lines().count().max(input.split(['\r', '\n']).count());
    for cut in &report.omitted {
        ensure(!matches!(cut.amount, Amount::Items(0) | Amount::Chars(0)), format!("a cut of nothing: {cut:?}"))?;
        match &cut.place {
            Place::Path(path) => ensure(path.is_empty() || path.starts_with('/'), format!("no JSON Pointer: {path:?}"))?,
            Place::Lines(from, to) => ensure(1 <= *from && from <= to && *to <= lines, format!("lines {from} to {to} of {lines}"))?,
        }
    }
    Ok(())
}

/// The preview without its notice, and the notice.
fn peel(text: &str, options: &Options, source: Option<&Tree<'_>>, report: &Report) -> Result<(String, Option<String>), String> {
    let Some(notice) = options.notice.as_ref().filter(|_| report.pruned) else { return Ok((text.to_owned(), None)) };
    let own = source.is_some_and(|s| s.get(0, "truncation").is_some());
    let root = source.map(|s| s.nodes[0].kind);
    let inside = |out: &Tree<'_>| -> Option<String> {
        let last = out.children(0).last()?;
        let holder = if root == Some(Kind::Object) { last } else { out.children(last).next()? };
        (out.nodes[holder].key == "\"truncation\"").then(|| out.nodes[holder].lexeme.to_owned())
    };
    match (root, notice.form) {
        (Some(Kind::Object), _) if !own => {}
        (Some(Kind::Array), NoticeForm::Inline) => {}
        (None, NoticeForm::Inline) => {
            let at = text.rfind("\n\n{\"truncation\":").ok_or("no notice on a last line")?;
            let line = &text[at + 2..];
            ensure(!line.contains('\n'), "the notice is not one line")?;
            let tree = Tree::parse(line).map_err(|at| format!("the notice is no JSON at byte {at}: {line}"))?;
            let holder = tree.get(0, "truncation").ok_or("no truncation")?;
            return Ok((text[..at].to_owned(), Some(tree.nodes[holder].lexeme.to_owned())));
        }
        _ => return envelope(text),
    }
    let out = Tree::parse(text).map_err(|at| format!("no JSON at byte {at}"))?;
    let found = inside(&out).ok_or("no notice at the end")?;
    Ok((text.to_owned(), Some(found)))
}

fn envelope(text: &str) -> Result<(String, Option<String>), String> {
    let tree = Tree::parse(text).map_err(|at| format!("the envelope is no JSON at byte {at}"))?;
    let blocks: Vec<String> = tree
        .get(0, "content")
        .map(|content| tree.children(content).filter_map(|block| tree.get(block, "text")).map(|t| decode(tree.nodes[t].lexeme)).collect())
        .unwrap_or_default();
    let [preview, block] = &blocks[..] else { return Err(format!("an envelope of {} blocks", blocks.len())) };
    let notice =
        tree.get(0, "_meta").and_then(|meta| tree.get(meta, "truncation")).map(|n| tree.nodes[n].lexeme).ok_or("no _meta.truncation")?;
    same("the notice's block", block, &format!("{{\"truncation\":{notice}}}"))?;
    Ok((preview.clone(), Some(notice.to_owned())))
}

pub fn notice_holds(notice: &str, options: &Options, report: &Report) -> Result<(), String> {
    let size = notice.chars().count();
    ensure(size <= 600, format!("a notice of {size} characters: {notice}"))?;
    let tree = Tree::parse(notice).map_err(|at| format!("the notice is no JSON at byte {at}: {notice}"))?;
    let value = |at: Option<usize>| at.map(|n| tree.nodes[n].lexeme.to_owned()).unwrap_or_default();
    same("complete in the notice", &value(tree.get(0, "complete")), &"false".to_owned())?;
    ensure(value(tree.get(0, "message")).len() > 20, "no message")?;
    let counters = tree.get(0, "report").ok_or("no report in the notice")?;
    for (name, number) in
        [("items_omitted", report.items_omitted), ("keys_omitted", report.keys_omitted), ("strings_truncated", report.strings_truncated)]
    {
        same(name, &value(tree.get(counters, name)), &number.to_string())?;
    }
    if report.lines_omitted > 0 {
        same("lines_omitted", &value(tree.get(counters, "lines_omitted")), &report.lines_omitted.to_string())?;
    }
    let recovery = options.notice.as_ref().and_then(|n| n.recovery.as_ref());
    let id = recovery.map(|r| format!("\"{}\"", r.response_id)).unwrap_or_default();
    same("response_id", &value(tree.get(0, "response_id")), &id)?;
    ensure(recovery.is_none_or(|r| notice.contains(&r.tool)), "the recovery tool is not named")
}

/// What a preview kept of a JSON text, and what it lost.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    missing: usize,
    collapsed: usize,
    strings: usize,
    /// Some object lacks keys and nothing around it says so yet.
    unmarked: bool,
}

fn json_holds(source: &Tree<'_>, preview: &str, options: &Options, report: &Report, noticed: bool) -> Result<(), String> {
    let out = Tree::parse(preview).map_err(|at| format!("no JSON at byte {at}"))?;
    same("type", &out.nodes[0].kind, &source.nodes[0].kind)?;
    if options.indent == 0 && options.layout == snugfit_engine::Layout::Compact && report.pruned {
        let compact = out.compact();
        ensure(preview.trim_start_matches('\u{feff}') == compact, "compact JSON with white space")?;
    }
    let equal = source.compact() == out.compact();
    ensure(
        equal == report.complete,
        format!("complete is {}, and the values are {}", report.complete, if equal { "all there" } else { "not all there" }),
    )?;
    if source.depth() > DEEP {
        return Ok(());
    }
    let mut wrong = String::from("no sign is free");
    for sign in SIGNS.iter().filter(|sign| !held(source, sign)) {
        let compare = Compare { source, out: &out, sign, noticed };
        match compare.value(0, 0) {
            Ok(counts) => {
                ensure(!counts.unmarked, format!("keys are missing unmarked (sign {sign})"))?;
                same("items and keys omitted", &(report.items_omitted + report.keys_omitted), &(counts.missing + counts.collapsed))?;
                return same("strings truncated", &report.strings_truncated, &counts.strings);
            }
            Err((at, what)) if sign == &SIGNS[0] || wrong.starts_with("no sign") => {
                wrong = format!("{what}: {}", clip(out.nodes[at].lexeme))
            }
            Err(_) => {}
        }
    }
    Err(wrong)
}

/// Whether a source holds the sign where a marker would stand: as a key, or before `[`.
fn held(source: &Tree<'_>, sign: &str) -> bool {
    let before = format!("{sign}[");
    source.nodes.iter().any(|n| decode(n.key) == sign || n.kind == Kind::String && decode(n.lexeme).contains(&before))
}

/// Where in the output it is wrong, and how.
type Wrong = (usize, &'static str);

struct Compare<'c, 'a> {
    source: &'c Tree<'a>,
    out: &'c Tree<'a>,
    sign: &'c str,
    noticed: bool,
}

impl Compare<'_, '_> {
    fn value(&self, s: usize, o: usize) -> Result<Counts, Wrong> {
        let (source, out) = (&self.source.nodes[s], &self.out.nodes[o]);
        match (source.kind, out.kind) {
            (Kind::Object, Kind::Object) => self.object(s, o),
            (Kind::Array, Kind::Array) => self.array(s, o),
            (Kind::Object | Kind::Array, Kind::String) if self.is_collapsed(out.lexeme) => {
                Ok(Counts { collapsed: self.source.children(s).count(), ..Counts::default() })
            }
            _ if source.lexeme == out.lexeme => Ok(Counts::default()),
            (Kind::String, Kind::String) => self.string(source.lexeme, out.lexeme).map_err(|what| (o, what)),
            (Kind::Other, Kind::String) if source.lexeme.len() > 100 && self.is_collapsed(out.lexeme) => {
                Ok(Counts { strings: 1, ..Counts::default() })
            }
            _ => Err((o, "not the value that stood there")),
        }
    }

    fn is_collapsed(&self, lexeme: &str) -> bool {
        let text = &lexeme[1..lexeme.len() - 1];
        text.strip_prefix(self.sign)
            .and_then(|t| t.strip_prefix("[+"))
            .and_then(|t| t.strip_suffix(" chars]"))
            .is_some_and(|n| n.parse::<usize>().is_ok())
    }

    fn object(&self, s: usize, o: usize) -> Result<Counts, Wrong> {
        let mut counts = Counts::default();
        let members: Vec<usize> = self.source.children(s).collect();
        let (mut at, mut kept) = (0, 0);
        let mut marker: Option<String> = None;
        for member in self.out.children(o) {
            let node = &self.out.nodes[member];
            if node.key.trim_matches('"') == self.sign {
                if node.kind != Kind::String || marker.is_some() {
                    return Err((member, "no marker of keys"));
                }
                marker = Some(decode(node.lexeme));
                continue;
            }
            if o == 0 && self.noticed && node.key == "\"truncation\"" && member == self.out.children(0).last().unwrap_or(0) {
                continue;
            }
            let mut wrong = (member, "a key that stood not there");
            let found = (at..members.len()).filter(|&m| self.source.nodes[members[m]].key == node.key).find_map(|m| {
                match self.value(members[m], member) {
                    Ok(inner) => Some((m, inner)),
                    Err(inner) => {
                        wrong = inner;
                        None
                    }
                }
            });
            let (m, inner) = found.ok_or(wrong)?;
            counts.add(inner);
            at = m + 1;
            kept += 1;
        }
        let missing = members.len() - kept;
        counts.missing += missing;
        let text = marker.unwrap_or_default();
        if text.contains("keys cut") {
            counts.unmarked = false;
        }
        match text.split(' ').next().and_then(|n| n.parse::<usize>().ok()) {
            Some(n) if n != missing => return Err((o, "a marker of keys with a wrong number")),
            Some(_) => {}
            None => counts.unmarked |= missing > 0,
        }
        Ok(counts)
    }

    fn array(&self, s: usize, o: usize) -> Result<Counts, Wrong> {
        let mut counts = Counts::default();
        let elements: Vec<usize> = self.source.children(s).collect();
        let (mut at, mut kept, mut marked) = (0, 0, 0);
        let mut cut = false;
        let notice = (o == 0 && self.noticed).then(|| self.out.children(0).last()).flatten();
        for element in self.out.children(o) {
            let node = &self.out.nodes[element];
            if Some(element) == notice {
                continue;
            }
            let text = if node.kind == Kind::String { decode(node.lexeme) } else { String::new() };
            if let Some(marker) = text.strip_prefix(self.sign).and_then(|t| t.strip_prefix('[')).filter(|m| !m.starts_with('+')) {
                cut |= marker.contains("keys cut");
                let gap = marker.split(' ').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
                (marked, at) = (marked + gap, at + gap);
                continue;
            }
            // The markers say where each element stood.
            let Some(&stood) = elements.get(at) else { return Err((element, "an element that stood not there")) };
            let inner = self.value(stood, element)?;
            counts.add(inner);
            at += 1;
            kept += 1;
        }
        if marked != elements.len() - kept {
            return Err((o, "markers of elements with a wrong number"));
        }
        counts.missing += marked;
        counts.unmarked &= !cut;
        Ok(counts)
    }

    /// A string that is not whole says so, and what is left of plain text stood there.
    fn string(&self, source: &str, out: &str) -> Result<Counts, &'static str> {
        let counts = Counts { strings: 1, ..Counts::default() };
        if !out.contains(self.sign) {
            return Err("a string that was changed and not marked");
        }
        let text = decode(source);
        // A document that is nothing else has only a marker in its place.
        if is_identifier(&text) && !out.trim_start_matches('"').starts_with(self.sign) {
            return Err("an identifier that was cut");
        }
        if !text.chars().all(|c| c.is_alphanumeric() || c == ' ' || !c.is_ascii()) || text.contains('\u{fffd}') {
            return Ok(counts);
        }
        let (raw, left) = (&source[1..source.len() - 1], &out[1..out.len() - 1]);
        let mark = format!("{}[+", self.sign);
        let Some((head, rest)) = left.split_once(&mark) else { return Err("a text without the mark of its cut") };
        let Some((number, tail)) = rest.split_once(']').map(|(number, tail)| (number.trim_end_matches(" chars"), tail)) else {
            return Err("a text without the mark of its cut");
        };
        if tail.contains(&mark) {
            return Ok(counts);
        }
        if raw.starts_with(head) && raw.trim_end().ends_with(tail) && !raw.ends_with(tail) {
            // White space at the end is no content.
            return Ok(counts);
        }
        if !raw.starts_with(head) || !raw.ends_with(tail) || head.len() + tail.len() > raw.len() {
            return Err("a text whose ends are not its own");
        }
        if number != raw[head.len()..raw.len() - tail.len()].chars().count().to_string() {
            return Err("a text whose mark counts wrong");
        }
        let ends = [decode(&format!("\"{head}\"")).len(), text.len() - decode(&format!("\"{tail}\"")).len()];
        if !ends.iter().all(|&at| is_boundary(&text, at)) {
            return Err("a text cut inside a grapheme cluster");
        }
        Ok(counts)
    }
}

impl Counts {
    fn add(&mut self, inner: Self) {
        self.missing += inner.missing;
        self.collapsed += inner.collapsed;
        self.strings += inner.strings;
        self.unmarked |= inner.unmarked;
    }
}

pub fn is_boundary(text: &str, at: usize) -> bool {
    text.is_char_boundary(at) && GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0) == Ok(true)
}

/// Ids, hashes, URLs, e-mail addresses, times, versions and numbers: one word that means nothing when cut.
pub fn is_identifier(text: &str) -> bool {
    if text.is_empty() || text.len() > 200 || text.contains(char::is_whitespace) || !text.is_ascii() {
        return false;
    }
    let hex = |t: &str| t.len() >= 8 && t.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let number = |t: &str| t.bytes().any(|b| b.is_ascii_digit()) && t.bytes().all(|b| b.is_ascii_digit() || b"+-.:TZ_v".contains(&b));
    let address = |t: &str| t.starts_with("https://") && t[8..].bytes().all(|b| b.is_ascii_alphanumeric() || b"/.-_?=&%#".contains(&b));
    let email = |t: &str| {
        t.split_once('@')
            .is_some_and(|(a, b)| !a.is_empty() && b.contains('.') && t.bytes().all(|c| c.is_ascii_alphanumeric() || b"@.-_+".contains(&c)))
    };
    hex(text) || number(text) || address(text) || email(text)
}

fn text_holds(input: &str, preview: &str, report: &Report) -> Result<(), String> {
    // The padding of columns may go: white space is no content.
    let equal = preview.split_whitespace().eq(input.split_whitespace());
    ensure(
        equal == report.complete,
        format!("complete is {}, and the text is {}", report.complete, if equal { "all there" } else { "not all there" }),
    )?;
    let counted = report.items_omitted + report.keys_omitted + report.strings_truncated + report.lines_omitted;
    let sign = SIGNS.iter().find(|s| preview.contains(**s));
    ensure(counted == 0 || sign.is_some(), "cut and not marked")?;
    match report.kind {
        "ndjson" => lines_of_json(input, preview),
        "text" => plain_lines(input, preview),
        _ => Ok(()),
    }
}

/// Lines stay lines: each that is no marker is what is left of a line of the source, in order.
fn lines_of_json(input: &str, preview: &str) -> Result<(), String> {
    let source: Vec<&str> = input.trim_start_matches('\u{feff}').lines().filter(|l| !l.trim().is_empty()).collect();
    let trees: Vec<Option<Tree<'_>>> = source.iter().map(|l| Tree::parse(l).ok()).collect();
    let mut at = 0;
    for line in preview.trim_start_matches('\u{feff}').lines() {
        if SIGNS.iter().any(|s| line.starts_with(&format!("{s} "))) {
            continue;
        }
        let out = Tree::parse(line).map_err(|_| format!("a line that is neither JSON nor a marker: {}", clip(line)))?;
        let found = (at..source.len()).find(|&n| {
            trees[n]
                .as_ref()
                .is_some_and(|tree| SIGNS.iter().any(|sign| Compare { source: tree, out: &out, sign, noticed: false }.value(0, 0).is_ok()))
        });
        at = 1 + found.ok_or_else(|| format!("a line that stood not there: {}", clip(line)))?;
    }
    Ok(())
}

/// Lines of plain text: whole ones stood there, in order; shortened ones begin as a line does, up to a grapheme's end.
fn plain_lines(input: &str, preview: &str) -> Result<(), String> {
    let source: Vec<&str> = input.split('\n').map(str::trim_end).collect();
    let mut at = 0;
    for line in preview.split('\n').map(str::trim_end) {
        let cut =
            SIGNS.iter().filter_map(|s| line.find(&format!("{s}[+")).or_else(|| line.starts_with(&format!("{s} ")).then_some(0))).min();
        match cut {
            None => {
                let found = (at..source.len()).find(|&n| source[n] == line);
                at = 1 + found.ok_or_else(|| format!("a line that stood not there: {}", clip(line)))?;
            }
            Some(0) => {}
            Some(end) => {
                let found = source[at..].iter().find(|l| l.starts_with(&line[..end]) && is_boundary(l, end));
                ensure(found.is_some() || source[at..].contains(&line), format!("a line cut where no line can be: {}", clip(line)))?;
            }
        }
    }
    Ok(())
}
