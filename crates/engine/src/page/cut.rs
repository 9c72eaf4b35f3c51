//! A value with its long strings, then its long arrays, cut and marked, every key kept.

use crate::json::{Index, Type, char_count, char_ends};
use crate::most::most;

/// Strings are cut down to so many characters before arrays are.
const SHORT: usize = 40;

/// How much may be written just to be measured.
pub(super) struct Room {
    /// Bytes that fill the budget, roughly.
    pub(super) bytes: usize,
    cap: usize,
}

impl Room {
    /// Measured on the beginning of a text.
    pub(super) fn new(text: &str, fill: &dyn Fn(&str) -> f64) -> Self {
        let mut end = text.len().min(4096);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let filled = fill(&text[..end]).max(1e-9);
        let bytes = (end as f64 / filled).clamp(16.0, 1e9) as usize;
        Self { bytes, cap: bytes * 16 + 4096 }
    }
}

/// The most of a value for which `fill` is at most 1.0; `None` where even its keys are too much.
pub(super) fn cut(index: &Index<'_>, node: u32, room: &Room, fill: &dyn Fn(&str) -> f64) -> Option<String> {
    let all = node..index.nodes[node as usize].next;
    let longest = all.clone().filter(|&n| index.kind(n) == Type::String).map(|n| index.lexeme(n).len()).max().unwrap_or(0);
    let widest = all.filter(|&n| index.kind(n) == Type::Array).map(|n| index.children(n).count()).max().unwrap_or(0);
    let filled = |chars: usize, items: usize| write(index, node, chars, items, room.cap).map_or(f64::INFINITY, |text| fill(&text));
    let taken = |chars: usize, items: usize| write(index, node, chars, items, room.cap).filter(|text| fill(text) <= 1.0);
    if let Some(text) = taken(most(longest, |chars| filled(chars, usize::MAX)), usize::MAX) {
        return Some(text);
    }
    let items = most(widest, |items| filled(SHORT, items));
    let text = taken(SHORT, items).or_else(|| taken(0, 0))?;
    // What the arrays left goes to the strings again.
    taken(most(longest, |chars| filled(chars, items)), items).or(Some(text))
}

struct Level {
    end: u32,
    array: bool,
    count: usize,
}

/// Writes a value with at most so many characters of each string and items of each array; `None` where that gets too long.
fn write(index: &Index<'_>, node: u32, chars: usize, items: usize, cap: usize) -> Option<String> {
    let mut out = String::new();
    let mut levels: Vec<Level> = vec![];
    let mut at = node;
    let last = index.nodes[node as usize].next;
    loop {
        while let Some(level) = levels.pop_if(|level| level.end == at) {
            out.push(if level.array { ']' } else { '}' });
        }
        if at == last || out.len() > cap {
            return (out.len() <= cap).then_some(out);
        }
        if let Some(level) = levels.last_mut() {
            if level.count > 0 {
                out.push(',');
            }
            if level.array && level.count == items {
                let mut rest = 0;
                while at < level.end {
                    at = index.nodes[at as usize].next;
                    rest += 1;
                }
                out.push_str(&format!("\"… [{rest} more items cut]\""));
                continue;
            }
            level.count += 1;
            let key = index.key(index.nodes[at as usize].key);
            if !key.is_empty() {
                out.push_str(key);
                out.push(':');
            }
        }
        match index.kind(at) {
            kind @ (Type::Object | Type::Array) if !index.is_empty(at) => {
                out.push(if kind == Type::Object { '{' } else { '[' });
                levels.push(Level { end: index.nodes[at as usize].next, array: kind == Type::Array, count: 0 });
                at += 1;
                continue;
            }
            Type::Object => out.push_str("{}"),
            Type::Array => out.push_str("[]"),
            Type::String => push_string(&mut out, index.lexeme(at), chars),
            _ => out.push_str(index.lexeme(at)),
        }
        at = index.nodes[at as usize].next;
    }
}

fn push_string(out: &mut String, lexeme: &str, chars: usize) {
    let inner = &lexeme[1..lexeme.len() - 1];
    // A mark that is as long as what it stands for is worth nothing.
    let mark_len = "… [99 more characters cut]".chars().count();
    if inner.len() <= chars + mark_len {
        out.push_str(lexeme);
        return;
    }
    let end = char_ends(inner, true, chars).last().copied().unwrap_or(0);
    let rest = char_count(&inner[end..], true);
    if rest <= mark_len {
        out.push_str(lexeme);
    } else {
        out.push_str(&format!("\"{}… [{rest} more characters cut]\"", &inner[..end]));
    }
}
