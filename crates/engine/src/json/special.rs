//! Which elements of a list stand out, most first: by statistics, by words of trouble and of the call, by what the caller protects, and the last.
//!
//! What has been shown is less news: each further element that stands out for the same reason counts for less, so that a budget shows the different
//! things that are odd about a list before more of one.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{Hash as _, Hasher as _};

use super::ids::{IdHasher, IdMap};
use super::index::{Index, NO_KEY, Type};
use super::names;
use super::news::News;
use super::plan::Ground;
use super::rank;
use crate::order::Order as _;
use crate::words::Hit;

/// A list of so many numbers or points is a series, whose extremes are looked for.
const SERIES: usize = 8;
const HIGHEST: f32 = 0.8;
const LOWEST: f32 = 0.5;
/// What stands out, beside the first record.
const SPECIAL: f32 = 1.2;
/// The last element, nearly as much as the first.
const LAST: f32 = 1.5;
/// The last point of a series is what it has come to.
const LATEST: f32 = 2.0;
/// A list's elements that stand out, at most this many in a list.
const MAX_SPECIAL: usize = 256;
/// Bytes of an element whose parts are all near.
const NEAR: f32 = 500.0;
/// Fields of this worth are read.
const READ: f32 = 0.3;
/// Strengths are told apart in so many steps to 1.
const STEPS: f32 = 16.0;
/// Weaker signs are none.
const LEAST: f32 = 0.1;
/// A word of trouble beside a word of the call.
const HIT: f32 = 0.9;
/// A word of the call.
const ASKED: f32 = 1.2;
/// A word of trouble in the name of a counter that stands at nothing.
const ALL_CLEAR: f32 = 0.1;
/// A word of trouble in what a record is called: that may be all there is to it, as in the title of a film.
const TITLED: f32 = 0.4;
/// How much less a reason counts each time it was taken: as the same statistic, or the same word in another place.
const NEWS_FADES: f32 = 0.5;
const WORDS_FADE: f32 = 0.15;
/// What stands out loses half its worth after so many others.
const RANKS: f32 = 10.0;
/// Two signs are more than one, never more than all.
const SECOND_SIGN: f32 = 0.25;
const MOST: f32 = 1.2;

/// Why an element stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Reason {
    News(u32),
    Word(u16),
    Extreme(bool),
}

struct Sign {
    ordinal: u32,
    reason: Reason,
    strength: f32,
}

/// The elements of a list that stand out, most first, each with its worth beside the others.
pub(crate) fn special(ground: &Ground<'_, '_>, (list, shape): (u32, u32), elements: &[u32], scalars: bool) -> Vec<(f32, u32)> {
    let index = ground.index;
    let mut special = choose(&signs(ground, (list, shape), elements, scalars));
    let last = elements.len() as u32 - 1;
    let worth = if scalars && series(index, elements) { LATEST } else { LAST };
    if elements.len() > 2 && !special.iter().any(|s| s.1 == last && s.0 > worth) {
        special.retain(|s| s.1 != last);
        special.push((worth, last));
        special.order_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    special
}

/// Adds the elements of a list that hold something protected to those that stand out, and tells after how many of these there are no more of them.
/// Of many, those come first that would without it.
pub(crate) fn protected(ground: &Ground<'_, '_>, list: u32, elements: &[u32], special: &mut Vec<(f32, u32)>) -> usize {
    let inside = ground.rules.protected_in(ground.index, list);
    let mut ordinals: Vec<u32> = inside.map(|node| elements.partition_point(|&e| e <= node) as u32 - 1).collect();
    ordinals.dedup();
    if ordinals.is_empty() {
        return 0;
    }
    let worths: IdMap<u32, f32> = special.iter().map(|&(worth, ordinal)| (ordinal, worth)).collect();
    special.retain(|s| ordinals.binary_search(&s.1).is_err());
    let least = if ground.rules.crowded() { 0.0 } else { SPECIAL };
    special.extend(ordinals.iter().enumerate().map(|(rank, ordinal)| {
        let worth = worths.get(ordinal).copied().unwrap_or(least);
        (worth.max(rank::plain(rank as u32, rank::NAMES_HALF)), *ordinal)
    }));
    special.order_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    special.iter().rposition(|s| ordinals.binary_search(&s.1).is_ok()).map_or(0, |last| last + 1)
}

/// Every sign, by element and strongest first, each reason once an element.
fn signs(ground: &Ground<'_, '_>, (list, shape): (u32, u32), elements: &[u32], scalars: bool) -> Vec<Sign> {
    let index = ground.index;
    let mut signs = Vec::new();
    for news in news_in(ground, list).iter().filter(|n| n.node > list) {
        let ordinal = elements.partition_point(|&e| e <= news.node) as u32 - 1;
        // What is odd about a field that nobody reads is no news.
        let read = (ground.weights[news.shape as usize] / READ).min(1.0);
        let parent = ground.shapes.shapes[news.shape as usize].parent;
        let own = parent == shape || ground.shapes.shapes[parent as usize].parent == shape;
        let read = if own { read } else { read * near(index, elements[ordinal as usize]) };
        signs.push(Sign { ordinal, reason: Reason::News(news.shape), strength: news.strength * read });
    }
    for hit in hits_in(ground, list) {
        // The key of a map's entry is part of it.
        let at = elements.partition_point(|&e| index.nodes[e as usize].end <= hit.at);
        if at < elements.len() {
            let field = field(index, hit).filter(|_| !hit.asked);
            let clear = !hit.asked && all_clear(index, hit) || nothing(index, elements[at]) && field.is_some_and(names::describes);
            let worth = if hit.asked { ASKED } else { HIT * near(index, elements[at]) };
            let said = if clear {
                ALL_CLEAR
            } else if field.is_some_and(names::titles) {
                TITLED
            } else {
                1.0
            };
            let strength = worth * said * hit.strength;
            signs.push(Sign { ordinal: at as u32, reason: Reason::Word(hit.word), strength });
        }
    }
    if index.kind(list) == Type::Object {
        // What the call names among the keys of a map is meant, however often the rest of the text says it.
        let keys = elements.iter().map(|&e| index.name(index.nodes[e as usize].key));
        let named = ground.finder.named(keys).into_iter();
        signs.extend(named.map(|(ordinal, word, strength)| Sign { ordinal, reason: Reason::Word(word), strength: ASKED * strength }));
    }
    if scalars && elements.len() >= SERIES {
        let (mut low, mut high) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0));
        for (at, &element) in elements.iter().enumerate() {
            let Some(x) = number(index, element) else { continue };
            low = if x < low.0 { (x, at) } else { low };
            high = if x > high.0 { (x, at) } else { high };
        }
        if high.0 > low.0 {
            signs.push(Sign { ordinal: high.1 as u32, reason: Reason::Extreme(true), strength: HIGHEST });
            signs.push(Sign { ordinal: low.1 as u32, reason: Reason::Extreme(false), strength: LOWEST });
        }
    }
    signs.order_by(|a, b| a.ordinal.cmp(&b.ordinal).then(a.reason.cmp(&b.reason)).then(b.strength.total_cmp(&a.strength)));
    signs.dedup_by(|b, a| a.ordinal == b.ordinal && a.reason == b.reason);
    signs
}

/// How much of what stands out somewhere in an element is said of the element itself: little, where it is long.
fn near(index: &Index<'_>, element: u32) -> f32 {
    let node = index.nodes[element as usize];
    (NEAR / (node.end - node.start) as f32).sqrt().min(1.0)
}

/// The elements that stand out for the same reasons about as much, the strongest last, and what the strongest came to when last looked at.
struct Group<'s> {
    worth: f32,
    members: Vec<(f32, &'s [Sign])>,
}

impl Group<'_> {
    /// The ordinal of the element that is next.
    fn next(&self) -> u32 {
        self.members.last().map_or(u32::MAX, |member| member.1[0].ordinal)
    }
}

impl Ord for Group<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worth.total_cmp(&other.worth).then(other.next().cmp(&self.next()))
    }
}
impl PartialOrd for Group<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Group<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Group<'_> {}

/// Takes the strongest again and again, each reason counting for less the oftener it was taken.
fn choose(signs: &[Sign]) -> Vec<(f32, u32)> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut known: IdMap<u64, usize> = IdMap::default();
    for signs in signs.chunk_by(|a, b| a.ordinal == b.ordinal) {
        let worth = together(signs.iter().map(|s| s.strength));
        if worth > LEAST {
            let mut hasher = IdHasher::default();
            for sign in signs {
                (sign.reason, (STEPS * sign.strength) as u32).hash(&mut hasher);
            }
            let group = *known.entry(hasher.finish()).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Group { worth: 0.0, members: Vec::new() });
            }
            groups[group].members.push((worth, signs));
        }
    }
    for group in &mut groups {
        let stronger = |a: &(f32, &[Sign]), b: &(f32, &[Sign])| b.0.total_cmp(&a.0).then(a.1[0].ordinal.cmp(&b.1[0].ordinal));
        if group.members.len() > MAX_SPECIAL {
            group.members.select_nth_unstable_by(MAX_SPECIAL, stronger);
            group.members.truncate(MAX_SPECIAL);
        }
        group.members.order_by(|a, b| stronger(b, a));
        group.worth = group.members.last().map_or(0.0, |member| member.0);
    }
    let mut taken: HashMap<Reason, f32> = HashMap::new();
    let mut heap: BinaryHeap<_> = groups.into();
    let mut special: Vec<(f32, u32)> = Vec::new();
    while let Some(mut best) = heap.pop() {
        let Some(&(_, signs)) = best.members.last() else { continue };
        best.worth = together(signs.iter().map(|s| s.strength / (1.0 + taken.get(&s.reason).copied().unwrap_or(0.0))));
        if heap.peek().is_some_and(|next| best < *next) {
            heap.push(best);
            continue;
        }
        for sign in signs {
            let step = match sign.reason {
                Reason::News(_) => NEWS_FADES,
                Reason::Word(_) | Reason::Extreme(_) => WORDS_FADE,
            };
            *taken.entry(sign.reason).or_default() += step;
        }
        let rank = special.len() as f32;
        special.push((SPECIAL * best.worth / (1.0 + rank / RANKS), signs[0].ordinal));
        if special.len() >= MAX_SPECIAL {
            break;
        }
        best.members.pop();
        // What it came to is an upper bound for the next of the same reasons.
        heap.push(best);
    }
    special
}

/// What several signs come to, the weakest first.
fn together(strengths: impl Iterator<Item = f32> + Clone) -> f32 {
    let mut rest = strengths.clone();
    let (Some(first), second, None) = (rest.next(), rest.next(), rest.next()) else {
        let mut strengths: Vec<f32> = strengths.collect();
        strengths.sort_unstable_by(f32::total_cmp);
        return strengths.into_iter().fold(0.0f32, join).min(MOST);
    };
    second.map_or(first, |second| join(first, second)).min(MOST)
}

fn join(sum: f32, strength: f32) -> f32 {
    strength.max(sum) + SECOND_SIGN * strength.min(sum)
}

/// Whether a word stands in the name of something that did not happen: `"errors": 0`.
fn all_clear(index: &Index<'_>, hit: &Hit) -> bool {
    let at = index.nodes.partition_point(|n| n.start <= hit.at);
    let Some(node) = index.nodes.get(at) else { return false };
    // The last value that begins before the word ends after it, if the word is in that value and not in the next key.
    if node.key == NO_KEY || index.key(node.key).len() as u32 + 8 < node.start - hit.at {
        return false;
    }
    let inside_value = at.checked_sub(1).and_then(|a| index.nodes.get(a)).is_some_and(|n| n.end > hit.at && !opens(index, n.start));
    !inside_value && nothing(index, at as u32)
}

/// The name of the field in whose value a word stands.
fn field<'a>(index: &Index<'a>, hit: &Hit) -> Option<&'a str> {
    let at = index.nodes.partition_point(|n| n.start <= hit.at);
    let value = at.checked_sub(1).map(|a| &index.nodes[a]).filter(|n| n.end > hit.at && n.key != NO_KEY);
    value.map(|n| index.name(n.key))
}

fn opens(index: &Index<'_>, start: u32) -> bool {
    matches!(index.text.as_bytes()[start as usize], b'{' | b'[')
}

/// Whether a value, or every number in a small record, is nothing.
fn nothing(index: &Index<'_>, node: u32) -> bool {
    const SMALL: usize = 12;
    match index.kind(node) {
        Type::Object => {
            let mut numbers = index.children(node).take(SMALL).filter(|&c| index.kind(c) == Type::Number).peekable();
            numbers.peek().is_some() && numbers.all(|n| nothing(index, n))
        }
        Type::Array => index.is_empty(node),
        _ => matches!(index.lexeme(node), "0" | "0.0" | "null" | "false" | "\"\"" | "\"0\"" | "\"false\"" | "\"none\""),
    }
}

/// The news inside a value.
pub(crate) fn news_in<'g>(ground: &Ground<'g, '_>, node: u32) -> &'g [News] {
    let news = &ground.shapes.news;
    let end = ground.index.nodes[node as usize].next;
    let from = news.partition_point(|n| n.node < node);
    let len = news[from..].partition_point(|n| n.node < end);
    &news[from..from + len]
}

/// The words inside a value.
pub(crate) fn hits_in<'g>(ground: &Ground<'g, '_>, node: u32) -> &'g [Hit] {
    let hits = ground.hits;
    let n = ground.index.nodes[node as usize];
    let from = hits.partition_point(|h| h.at < n.start);
    let len = hits[from..].partition_point(|h| h.at < n.end);
    &hits[from..from + len]
}

/// Whether scalars or points are a series of numbers: its end is one, and it is long.
pub(super) fn series(index: &Index<'_>, elements: &[u32]) -> bool {
    elements.len() >= SERIES && elements.last().is_some_and(|&e| number(index, e).is_some())
}

/// The number that an element of a series stands for: itself, or the last of a point.
fn number(index: &Index<'_>, element: u32) -> Option<f64> {
    let value = index.children(element).last().unwrap_or(element);
    let text = index.lexeme(value).trim_matches('"');
    (text.len() <= 32).then(|| text.parse().ok()).flatten()
}
