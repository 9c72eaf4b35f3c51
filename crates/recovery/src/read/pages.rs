//! Pages of whole items, lines or matches, each as full as the budget allows.

use snugfit_engine::json::{Index, NO_KEY, Type, char_count, char_ends, compact};
use snugfit_engine::{Budget, Options, fit, most};

use super::answer::{About, push_string, rough_chars, shortened, within};
use super::document::{Body, Part, Pointers};
use super::lines::Lines;
use super::search::{self, Needle, scalar_text};
use super::window;
use super::{Request, Selector};
use crate::error::Error;

/// One value of a part.
#[derive(Clone, Copy)]
pub(super) struct Entry<'d, 't> {
    pub(super) part: &'d Part<'t>,
    pub(super) node: u32,
}

/// The value at `path`: whole if it fits, else its children, or the characters of a long string, page by page.
pub(super) fn value(entry: Entry<'_, '_>, path: &str, request: &Request, budget: &Budget) -> Result<String, Error> {
    let Body::Json(index) = &entry.part.body else { return Err(Error::InvalidCursor) };
    let node = entry.node;
    let lexeme = index.lexeme(node);
    let stream = index.stream && node == 0;
    // White space may be most of it, but hardly more than this.
    let may_fit = lexeme.len() / 64 <= rough_chars(budget).saturating_add(64);
    if request.from == 0 && request.offset == 0 && may_fit && !stream {
        let about = About { of: format!("{}, complete", name(path)), ..About::default() };
        let answer = about.json(&compact(lexeme));
        if budget.holds(&answer) {
            return Ok(answer);
        }
    }
    match index.kind(node) {
        Type::Object | Type::Array if !index.is_empty(node) => {
            let ids: Vec<u32> = index.children(node).collect();
            children(index, node, &ids, 0, path, request, budget)
        }
        Type::String => chars(&lexeme[1..lexeme.len() - 1], true, path, request, budget),
        _ => chars(lexeme, false, path, request, budget),
    }
}

/// What a path is called in an answer.
fn name(path: &str) -> &str {
    if path.is_empty() { "the whole response" } else { path }
}

/// Elements `from` to `to` of an array.
pub(super) fn range(
    entry: Entry<'_, '_>,
    (from, to): (usize, usize),
    path: &str,
    request: &Request,
    budget: &Budget,
) -> Result<String, Error> {
    let Body::Json(index) = &entry.part.body else { return Err(Error::InvalidCursor) };
    let ids: Vec<u32> = index.children(entry.node).skip(from).take(to + 1 - from).collect();
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    children(index, entry.node, &ids, from, parent, request, budget)
}

/// Children of a container, from the one that the request has come to; `first` is the place of the first of them.
fn children(
    index: &Index<'_>,
    node: u32,
    ids: &[u32],
    first: usize,
    path: &str,
    request: &Request,
    budget: &Budget,
) -> Result<String, Error> {
    let from = request.from;
    let rest = ids.get(from..).filter(|rest| !rest.is_empty()).ok_or(Error::InvalidCursor)?;
    let total = if ids.len() == index.children(node).count() { ids.len() } else { index.children(node).count() };
    let object = index.kind(node) == Type::Object;
    let (open, close) = if object { ('{', '}') } else { ('[', ']') };
    let next = |read: usize| (from + read < ids.len()).then(|| request.cursor(from + read, 0));
    let about = |n: usize| {
        let (a, b) = (first + from, first + from + n - 1);
        let of = if object {
            format!("keys {}-{} of {total} in {}", a + 1, b + 1, name(path))
        } else if a == b {
            format!("{path}/{a}, of {total} items")
        } else {
            format!("{path}/{a}..{b}, of {total} items")
        };
        About { of, next_cursor: next(n), ..About::default() }
    };
    let render = |n: usize| {
        let mut part = String::from(open);
        for (at, &child) in rest[..n].iter().enumerate() {
            if at > 0 {
                part.push(',');
            }
            push_key(&mut part, index.key(index.nodes[child as usize].key));
            part.push_str(&compact(index.lexeme(child)));
        }
        part.push(close);
        about(n).json(&part)
    };
    let n = most(rest.len(), |n| if too_long(index, &rest[..n], budget) { f64::INFINITY } else { budget.fill(&render(n)) });
    if n > 0 {
        return Ok(render(n));
    }
    let child = rest[0];
    let key = index.key(index.nodes[child as usize].key);
    let step = if object { window::pointer_step(key) } else { (first + from).to_string() };
    let of = format!("{}, shortened: read {} by its own path", about(1).of, window::cut(&format!("{path}/{step}"), name_width(budget)));
    let about = About { of, next_cursor: next(1), ..About::default() };
    let write = |key: &str, value: &str| {
        let mut part = String::from(open);
        push_key(&mut part, key);
        part.push_str(value);
        part.push(close);
        about.json(&part)
    };
    // A key that leaves no room is cut as well.
    let key =
        if key.len() / 2 > rough_chars(budget) / 4 { format!("\"{}\"", window::cut(&key[1..key.len() - 1], 40)) } else { key.to_owned() };
    shortened(index.lexeme(child), &write(&key, ""), budget, |value| write(&key, value))
}

/// Whether values are far too long to be written just to see that they do not fit.
fn too_long(index: &Index<'_>, nodes: &[u32], budget: &Budget) -> bool {
    let (Some(&first), Some(&last)) = (nodes.first(), nodes.last()) else { return false };
    let bytes = (index.nodes[last as usize].end - index.nodes[first as usize].start) as usize;
    bytes / 64 > rough_chars(budget).saturating_add(64)
}

fn push_key(out: &mut String, key: &str) {
    if !key.is_empty() {
        out.push_str(key);
        out.push(':');
    }
}

/// The text of a block that is no JSON, as a string.
pub(super) fn text_as_value(text: &str, path: &str, request: &Request, budget: &Budget) -> Result<String, Error> {
    chars(&window::escaped(text), true, path, request, budget)
}

/// The characters of a long scalar, from the byte that the request has come to. `escaped`: a backslash begins an escape.
fn chars(raw: &str, escaped: bool, path: &str, request: &Request, budget: &Budget) -> Result<String, Error> {
    let from = request.offset;
    let rest = raw.get(from..).filter(|rest| !rest.is_empty() || raw.is_empty()).ok_or(Error::InvalidCursor)?;
    let (before, total) = (char_count(&raw[..from], escaped), char_count(raw, escaped));
    let ends = char_ends(rest, escaped, rough_chars(budget).saturating_mul(2));
    let render = |n: usize| {
        let end = if n == 0 { 0 } else { ends[n - 1] };
        let next_cursor = (from + end < raw.len()).then(|| request.cursor(0, from + end));
        let of = format!("characters {}-{} of {total} of {}", before + 1, before + n, name(path));
        About { of, next_cursor, ..About::default() }.json(&format!("\"{}\"", &rest[..end]))
    };
    let most = most(ends.len(), |n| budget.fill(&render(n)));
    within(render(window::between_clusters(rest, &ends, most)), budget)
}

/// Lines `first` to `last`, from the one that the request has come to.
pub(super) fn lines(lines: &Lines<'_>, first: usize, last: usize, request: &Request, budget: &Budget) -> Result<String, Error> {
    let (at, offset) = (first + request.from, request.offset);
    if at >= last {
        return Err(Error::InvalidCursor);
    }
    let count = lines.count();
    let whole = lines.between(at, at + 1);
    let line = whole.get(offset..).ok_or(Error::InvalidCursor)?;
    let limit = rough_chars(budget).saturating_mul(16);
    let render = |n: usize| {
        let text = &lines.between(at, at + n)[offset..];
        let mut of = if n == 1 { format!("line {} of {count}", at + 1) } else { format!("lines {}-{} of {count}", at + 1, at + n) };
        if offset > 0 {
            of = format!("{of}, the first from character {}", whole[..offset].chars().count() + 1);
        }
        let next_cursor = (at + n < last).then(|| request.cursor(request.from + n, 0));
        About { of, next_cursor, ..About::default() }.text(text)
    };
    let n = most(last - at, |n| {
        if lines.start(at + n) - lines.start(at) > limit.saturating_add(offset) { f64::INFINITY } else { budget.fill(&render(n)) }
    });
    if n > 0 {
        return Ok(render(n));
    }
    let (before, total) = (whole[..offset].chars().count(), whole.chars().count());
    let ends = char_ends(line, false, rough_chars(budget).saturating_mul(2));
    let render = |n: usize| {
        let end = if n == 0 { 0 } else { ends[n - 1] };
        let next_cursor = if end < line.len() {
            Some(request.cursor(request.from, offset + end))
        } else {
            (at + 1 < last).then(|| request.cursor(request.from + 1, 0))
        };
        let of = format!("line {} of {count}, characters {}-{} of {total}", at + 1, before + 1, before + n);
        About { of, next_cursor, ..About::default() }.text(&line[..end])
    };
    let most = most(ends.len(), |n| budget.fill(&render(n)));
    within(render(window::between_clusters(line, &ends, most.max(1))), budget)
}

/// Values with their pointers.
pub(super) fn entries(entries: &[Entry<'_, '_>], request: &Request, budget: &Budget) -> Result<String, Error> {
    let from = request.from;
    let rest = entries.get(from..).filter(|rest| !rest.is_empty()).ok_or(Error::InvalidCursor)?;
    let pointers = pointers_of(rest.iter().map(|entry| entry.part));
    let pointer = |entry: &Entry<'_, '_>| pointer_in(&pointers, entry.part, entry.node);
    let about = |n: usize| About {
        of: format!("matches {}-{} of {}", from + 1, from + n, entries.len()),
        matches: Some(entries.len()),
        next_cursor: (from + n < entries.len()).then(|| request.cursor(from + n, 0)),
    };
    let limit = rough_chars(budget).saturating_mul(64);
    let render = |n: usize| {
        let mut part = String::from("[");
        for (at, entry) in rest[..n].iter().enumerate() {
            let Body::Json(index) = &entry.part.body else { continue };
            let lexeme = index.lexeme(entry.node);
            if lexeme.len() > limit {
                return None;
            }
            push_entry(&mut part, at, &pointer(entry), &compact(lexeme));
        }
        part.push(']');
        Some(about(n).json(&part))
    };
    let n = most(rest.len(), |n| render(n).map_or(f64::INFINITY, |answer| budget.fill(&answer)));
    if let Some(answer) = render(n).filter(|_| n > 0) {
        return Ok(answer);
    }
    let Body::Json(index) = &rest[0].part.body else { return Err(Error::InvalidCursor) };
    let mut about = about(1);
    about.of = format!("{}, shortened: read it by its own path", about.of);
    let path = window::cut(&pointer(&rest[0]), name_width(budget));
    let write = |value: &str| {
        let mut part = String::from("[");
        push_entry(&mut part, 0, &path, value);
        part.push(']');
        about.json(&part)
    };
    shortened(index.lexeme(rest[0].node), &write(""), budget, write)
}

fn push_entry(part: &mut String, at: usize, path: &str, value: &str) {
    part.push_str(if at > 0 { ",{\"path\":" } else { "{\"path\":" });
    push_string(part, path);
    part.push_str(",\"value\":");
    part.push_str(value);
    part.push('}');
}

/// The pointers of each part, made once.
fn pointers_of<'d, 't: 'd>(parts: impl Iterator<Item = &'d Part<'t>>) -> Vec<(*const Part<'t>, Pointers<'d, 't>)> {
    let mut pointers: Vec<(*const Part<'t>, Pointers<'d, 't>)> = vec![];
    for part in parts {
        if !pointers.iter().any(|(known, _)| std::ptr::eq(*known, part)) {
            pointers.push((part, part.pointers()));
        }
    }
    pointers
}

fn pointer_in<'t>(pointers: &[(*const Part<'t>, Pointers<'_, 't>)], part: &Part<'t>, node: u32) -> String {
    pointers.iter().find(|(known, _)| std::ptr::eq(*known, part)).map(|(_, pointers)| pointers.of(node)).unwrap_or_default()
}

/// The answer where a search finds nothing.
pub(super) fn no_matches(pattern: &str, budget: &Budget) -> Result<String, Error> {
    let hint = if pattern.starts_with('/') { "" } else { "; a search is for exactly these characters, /…/i ignores case" };
    let of = format!("no match of {}{hint}", window::cut(pattern, 100));
    within(About { of, matches: Some(0), next_cursor: None }.json("[]"), budget)
}

/// How much of a long path or key is shown where it leaves little room.
fn name_width(budget: &Budget) -> usize {
    (rough_chars(budget) / 6).clamp(40, 300)
}

/// How wide a view of a long line or text is tried, widest first.
fn widths(budget: &Budget) -> [usize; 4] {
    let rough = rough_chars(budget);
    [(rough / 6).clamp(80, 400), 120, 60, 24]
}

/// Lines that match, numbered, with those around them; `None` where none do.
pub(super) fn text_matches(
    lines: &Lines<'_>,
    needle: &Needle,
    context: usize,
    request: &Request,
    budget: &Budget,
) -> Result<Option<String>, Error> {
    let found = search::lines(needle, lines);
    if found.is_empty() {
        return Ok(None);
    }
    let rest = found.get(request.from..).filter(|rest| !rest.is_empty()).ok_or(Error::InvalidCursor)?;
    let context = context.min(Selector::MAX_CONTEXT);
    let render = |n: usize, context: usize, width: usize| {
        let mut text = String::new();
        let mut last: Option<usize> = None;
        for (at, &line) in rest[..n].iter().enumerate() {
            let from = line.saturating_sub(context).max(last.map_or(0, |last| last + 1));
            let next = rest[..n].get(at + 1).copied().unwrap_or(usize::MAX);
            let to = (line + context).min(lines.count() - 1).min(next - 1);
            if last.is_some_and(|last| from > last + 1) {
                text.push_str("\n--");
            }
            for shown in from..=to {
                if !text.is_empty() {
                    text.push('\n');
                }
                let (sign, hit) = if shown == line { (':', needle.find(lines.line(shown))) } else { ('-', None) };
                text.push_str(&format!("{}{sign}{}", shown + 1, window::around(lines.line(shown), hit, width)));
            }
            last = Some(to);
        }
        let about = About {
            of: format!("matches {}-{} of {}, in {} lines", request.from + 1, request.from + n, found.len(), lines.count()),
            matches: Some(found.len()),
            next_cursor: (n < rest.len()).then(|| request.cursor(request.from + n, 0)),
        };
        about.text(&text)
    };
    let mut smallest = String::new();
    for (context, width) in widths(budget).into_iter().enumerate().map(|(at, width)| (if at == 0 { context } else { 0 }, width)) {
        let n = most(rest.len(), |n| budget.fill(&render(n, context, width)));
        if n > 0 {
            return Ok(Some(render(n, context, width)));
        }
        smallest = render(1, context, width);
    }
    within(smallest, budget).map(Some)
}

/// A place that a search found: a value of a JSON part, or a line of a text.
enum Hit {
    Node(usize, u32),
    Line(usize, usize),
}

/// The records or fields that match, with their pointers; `None` where none do.
pub(super) fn value_matches(parts: &[Part<'_>], needle: &Needle, request: &Request, budget: &Budget) -> Result<Option<String>, Error> {
    let texts: Vec<Option<Lines<'_>>> =
        parts.iter().map(|part| if let Body::Text(text) = part.body { Some(Lines::new(text)) } else { None }).collect();
    let mut hits = vec![];
    for (at, part) in parts.iter().enumerate() {
        match (&part.body, &texts[at]) {
            (Body::Json(index), _) => hits.extend(search::values(needle, index).into_iter().map(|node| Hit::Node(at, node))),
            (_, Some(lines)) => hits.extend(search::lines(needle, lines).into_iter().map(|line| Hit::Line(at, line))),
            _ => {}
        }
    }
    if hits.is_empty() {
        return Ok(None);
    }
    let rest = hits.get(request.from..).filter(|rest| !rest.is_empty()).ok_or(Error::InvalidCursor)?;
    let pointers: Vec<_> = parts.iter().map(|part| part.pointers()).collect();
    let render = |n: usize, width: usize| {
        let mut part = String::from("[");
        let mut count = 0;
        let mut last = None;
        for hit in &rest[..n] {
            match *hit {
                Hit::Line(at, line) => {
                    let Some(lines) = &texts[at] else { continue };
                    let mut value = format!("{},\"text\":", line + 1);
                    push_string(&mut value, &window::around(lines.line(line), needle.find(lines.line(line)), width));
                    part.push_str(if count > 0 { ",{\"path\":" } else { "{\"path\":" });
                    push_string(&mut part, &parts[at].prefix);
                    part.push_str(&format!(",\"line\":{value}}}"));
                }
                Hit::Node(at, node) => {
                    let Body::Json(index) = &parts[at].body else { continue };
                    let record = record_of(index, &pointers[at], node, width);
                    // Several fields of one record show it once.
                    if last.replace((at, record)) == Some((at, record)) {
                        continue;
                    }
                    push_entry(&mut part, count, &pointers[at].of(record), &shown(index, record, needle, width));
                }
            }
            count += 1;
        }
        part.push(']');
        let about = About {
            of: format!("matches {}-{} of {}", request.from + 1, request.from + n, hits.len()),
            matches: Some(hits.len()),
            next_cursor: (n < rest.len()).then(|| request.cursor(request.from + n, 0)),
        };
        about.json(&part)
    };
    let mut smallest = String::new();
    for width in widths(budget) {
        let n = most(rest.len(), |n| budget.fill(&render(n, width)));
        if n > 0 {
            return Ok(Some(render(n, width)));
        }
        smallest = render(1, width);
    }
    within(smallest, budget).map(Some)
}

/// The object around a value, if it is small enough to be shown as a whole.
fn record_of(index: &Index<'_>, pointers: &Pointers<'_, '_>, node: u32, width: usize) -> u32 {
    let parent = pointers.places.as_ref().and_then(|places| places.parent(node));
    let small = |parent: &u32| index.nodes[node as usize].key != NO_KEY && index.lexeme(*parent).len() <= width;
    parent.filter(small).unwrap_or(node)
}

/// A value in about `width` characters: around the match where it is a long string.
fn shown(index: &Index<'_>, node: u32, needle: &Needle, width: usize) -> String {
    let lexeme = index.lexeme(node);
    if lexeme.len() <= width {
        return compact(lexeme);
    }
    if index.kind(node) == Type::String {
        let text = scalar_text(index, node);
        let mut out = String::new();
        push_string(&mut out, &window::around(&text, needle.find(&text), width));
        return out;
    }
    match fit(lexeme, &Options::new(Budget::chars(width))) {
        Ok(fitted) => fitted.text,
        Err(_) => format!("\"…[+{} chars]\"", lexeme.chars().count()),
    }
}
