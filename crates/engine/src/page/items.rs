//! Pages of an array, alone or inside an object whose other fields stay.

use super::cut::{Room, cut};
use super::{Next, Page, Pager, Start, too_small};
use crate::error::Error;
use crate::json::{Index, Type, compact, escape_into, scan, unescape};
use crate::most::most;
use crate::options::Recovery;
use crate::render::laid_out;
use crate::report::Amount;

/// The share of the budget that an object's other fields may take before they are condensed.
const OTHERS: f64 = 0.5;

/// The array to page: the one that `key` leads to, else the largest that object keys lead to; `None` where there is none.
pub(super) fn find(index: &Index<'_>, key: Option<&str>) -> Result<Option<u32>, Error> {
    if let Some(key) = key {
        return at(index, &steps(key)).map(Some).ok_or_else(|| Error::InvalidOption {
            option: "key",
            message: format!("must lead to an array, as data.items or /data/items does; {key:?} leads to none"),
        });
    }
    let mut largest: Option<u32> = None;
    let mut objects = vec![0];
    while let Some(object) = objects.pop() {
        for child in index.children(object) {
            match index.kind(child) {
                Type::Object => objects.push(child),
                Type::Array if !index.is_empty(child) => {
                    let size = |node: u32| index.lexeme(node).len();
                    // Of equally large ones the first.
                    if largest.is_none_or(|known| (size(child), known) > (size(known), child)) {
                        largest = Some(child);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(largest)
}

fn steps(key: &str) -> Vec<String> {
    match key.strip_prefix('/') {
        Some(pointer) => pointer.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect(),
        None => key.split('.').map(str::to_owned).collect(),
    }
}

/// The array that object keys lead to.
fn at(index: &Index<'_>, steps: &[String]) -> Option<u32> {
    let mut node = 0;
    for step in steps {
        let named = |child: &u32| unescape(index.name(index.nodes[*child as usize].key)) == *step;
        node = if index.kind(node) == Type::Object { index.children(node).filter(named).last()? } else { return None };
    }
    (index.kind(node) == Type::Array).then_some(node)
}

/// What stands around the items of a page.
struct Frame {
    before: String,
    /// From the last item to where the page's own field stands.
    between: String,
    /// The name of that field.
    field: &'static str,
    after: String,
    /// Other fields were condensed.
    condensed: bool,
}

impl Frame {
    fn new(pager: &Pager<'_>, index: &Index<'_>, array: u32) -> Result<Self, Error> {
        if array == 0 {
            return Ok(Self { before: "{\"items\":[".into(), between: "],".into(), field: "page", after: "}".into(), condensed: false });
        }
        let frame = Self::around(index, array);
        let others = format!("{}{}{}", frame.before, frame.between, frame.after);
        if (pager.fill)(&others) <= OTHERS {
            return Ok(frame);
        }
        // The array is a placeholder while the rest is made smaller.
        let shell = format!("{}{}{}", frame.before, frame.between.trim_end_matches(','), frame.after);
        let path = path(index, array);
        let small = scan(&shell).and_then(|shell| {
            let room = Room::new(shell.text, pager.fill);
            cut(&shell, 0, &room, &|text| (pager.fill)(text) / OTHERS)
        });
        let small = match small {
            Some(small) => small,
            None => {
                let room = Room::new(&shell, pager.fill);
                super::condensed(&shell, room.bytes / 2, &|text| (pager.fill)(text) / OTHERS)?
            }
        };
        let frame = scan(&small).and_then(|index| at(&index, &path).map(|array| Self::around(&index, array)));
        // Where the array's own place was condensed away, the items stand alone.
        Ok(Self {
            condensed: true,
            ..frame.unwrap_or_else(|| Self {
                before: "{\"items\":[".into(),
                between: "],".into(),
                field: "page",
                after: "}".into(),
                condensed: true,
            })
        })
    }

    fn around(index: &Index<'_>, array: u32) -> Self {
        let holder = (0..array).rev().find(|&node| index.nodes[node as usize].next > array).unwrap_or(0);
        let (node, close) = (index.nodes[array as usize], index.nodes[holder as usize].end as usize - 1);
        let taken = |name: &str| index.children(holder).any(|child| index.name(index.nodes[child as usize].key) == name);
        let root = index.nodes[0];
        Self {
            before: compact(&index.text[root.start as usize..node.start as usize]) + "[",
            between: "]".to_owned() + &compact(&index.text[node.end as usize..close]) + ",",
            field: ["page", "_page", "__page"].into_iter().find(|name| !taken(name)).unwrap_or("___page"),
            after: compact(&index.text[close..root.end as usize]),
            condensed: false,
        }
    }
}

/// The keys that lead to a node.
fn path(index: &Index<'_>, node: u32) -> Vec<String> {
    let mut keys = vec![];
    let mut at = 0;
    while at != node {
        let Some(child) = index.children(at).find(|&child| index.nodes[child as usize].next > node) else { break };
        keys.push(unescape(index.name(index.nodes[child as usize].key)));
        at = child;
    }
    keys
}

pub(super) fn page(pager: &Pager<'_>, index: &Index<'_>, array: u32, start: Start) -> Result<Page, Error> {
    let items: Vec<u32> = index.children(array).collect();
    let (from, total) = (start.offset, items.len());
    if from >= total && (from > 0 || pager.options.cursor.is_some()) {
        return Err(Error::InvalidCursor);
    }
    let rest = &items[from..];
    let frame = Frame::new(pager, index, array)?;
    let fingerprint = pager.fingerprint();
    let render = |count: usize, body: &str, shortened: bool| {
        let to = from + count;
        let next_cursor = if to < total { pager.cursor(fingerprint, to, total) } else { None };
        let range = if count == 0 { format!("0 of {total}") } else { format!("{}-{to} of {total}", from + 1) };
        let mut note = format!("Showing items {range}.");
        if to < total {
            note = format!("{note} {}", pager.way(next_cursor.as_deref(), &format!("{} items were", total - to)));
        } else if from > 0 {
            note.push_str(" This is the last page.");
        }
        if shortened {
            note.push_str(&format!(" Item {to} alone is over the limit and is cut."));
        }
        if frame.condensed {
            note.push_str(" Other fields are shortened.");
        }
        if start.changed {
            note.push_str(" The result changed since the last page: items may repeat or be missing.");
        }
        let mut field = format!("\"{}\":{{\"items\":\"{range}\",\"total\":{total}", frame.field);
        if let Next::Recovery(Recovery { response_id, .. }) = &pager.options.next {
            field.push_str(&format!(",\"response_id\":\"{response_id}\""));
        }
        if let Some(cursor) = &next_cursor {
            field.push_str(&format!(",\"next_cursor\":\"{cursor}\""));
        }
        field.push_str(",\"note\":\"");
        escape_into(&mut field, &note);
        field.push_str("\"}");
        let text = format!("{}{body}{}{field}{}", frame.before, frame.between, frame.after);
        Page { text: laid_out(&text, pager.options.indent), next_cursor, whole: false, rest: Some(Amount::Items(total - to)) }
    };
    let room = Room::new(pager.value, pager.fill);
    let body = |count: usize| {
        let (first, last) = (rest.first()?, rest.get(count.checked_sub(1)?)?);
        let slice = index.nodes[*first as usize].start as usize..index.nodes[*last as usize].end as usize;
        // Not written just to see that it is far too much.
        (slice.len() / 16 <= room.bytes.saturating_mul(16)).then(|| compact(&index.text[slice]))
    };
    let fill = |count: usize| body(count).map_or(f64::INFINITY, |body| (pager.fill)(&render(count, &body, false).text));
    let count = most(rest.len(), fill);
    // The last page has a shorter note: all may fit where less does not.
    let count = if count < rest.len() && fill(rest.len()) <= 1.0 { rest.len() } else { count };
    if let Some(body) = body(count) {
        return Ok(render(count, &body, false));
    }
    let Some(&first) = rest.first() else {
        let page = render(0, "", false);
        let filled = (pager.fill)(&page.text);
        return if filled <= 1.0 { Ok(page) } else { Err(too_small(filled)) };
    };
    let filled = |item: &str| (pager.fill)(&render(1, item, true).text);
    let item = match cut(index, first, &room, &filled) {
        Some(item) => item,
        None => super::condensed(index.lexeme(first), room.bytes, &filled).or_else(|error| {
            // Nothing of it fits; its place is kept.
            let mark = format!("\"… [{} more characters cut]\"", index.lexeme(first).chars().count());
            if filled(&mark) <= 1.0 { Ok(mark) } else { Err(error) }
        })?,
    };
    Ok(render(1, &item, true))
}
