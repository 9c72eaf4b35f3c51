//! What the plan of a JSON text has judged, in words.

use super::index::{Index, NO_KEY};
use super::names::name_weight;
use super::plan::Plan;
use super::score::{field_weights, naming};
use super::shape::Children;
use super::special::{hits_in, news_in};
use crate::explain::{MAX_SCORES, Score, Scored};
use crate::order::Order as _;
use crate::report::Place;

/// Signs of a record that are told.
const MAX_SIGNS: usize = 3;
/// Characters of a value that are shown.
const MAX_SHOWN: usize = 40;

/// The scores of the fields, and of the records that stand out.
pub(super) fn scores(plan: &Plan<'_, '_>) -> Vec<Score> {
    let mut scores = fields(plan);
    scores.extend(records(plan));
    scores
}

fn fields(plan: &Plan<'_, '_>) -> Vec<Score> {
    let (index, shapes, weights) = (plan.ground.index, plan.ground.shapes, plan.ground.weights);
    let mut unasked = field_weights(index, shapes, &[]);
    naming(index, shapes, &mut unasked);
    let mut above: Vec<f32> = vec![1.0; shapes.shapes.len()];
    let mut found = Vec::new();
    for (id, shape) in shapes.shapes.iter().enumerate().skip(1) {
        // A parent comes before its children.
        above[id] = above[shape.parent as usize] * weights[shape.parent as usize];
        if !index.key(shape.key).is_empty() {
            found.push((above[id] * weights[id], id));
        }
    }
    highest(found)
        .map(|(score, id)| {
            let name = name_weight(index.name(shapes.shapes[id].key));
            let path = shapes.path(id as u32, 0).into_iter().map(|key| step(index, key).unwrap_or_else(|| "/*".to_owned()));
            let parts = [
                ("name", name),
                ("values", unasked[id] / name),
                ("asked for", weights[id] / unasked[id].max(f32::MIN_POSITIVE)),
                ("keys above", above[id]),
            ];
            Score {
                of: Scored::Field,
                place: Place::Path(path.collect()),
                score,
                parts: parts.map(|(what, factor)| (what.to_owned(), factor)).to_vec(),
            }
        })
        .collect()
}

fn records(plan: &Plan<'_, '_>) -> Vec<Score> {
    let lists = plan.opens.iter().filter(|open| open.how == Children::Elements);
    let found = lists.flat_map(|open| open.special().iter().map(|&(score, ordinal)| (score, open.elements[ordinal as usize])));
    highest(found.collect())
        .map(|(score, node)| Score {
            of: Scored::Record,
            place: Place::Path(pointer(plan.ground.index, node)),
            score,
            parts: signs(plan, node),
        })
        .collect()
}

/// The highest scores, equals in the order of the text.
fn highest<T: Copy + Ord>(mut found: Vec<(f32, T)>) -> impl Iterator<Item = (f32, T)> {
    found.order_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().take(MAX_SCORES)
}

/// What makes a record stand out, the strongest first.
fn signs(plan: &Plan<'_, '_>, node: u32) -> Vec<(String, f32)> {
    let index = plan.ground.index;
    let news = news_in(plan.ground, node).iter().map(|news| {
        let name = index.name(index.nodes[news.node as usize].key);
        let value: String = index.lexeme(news.node).chars().take(MAX_SHOWN).collect();
        (["unusual", name, &value].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "), news.strength)
    });
    let hits = hits_in(plan.ground, node).iter().map(|hit| {
        let word: String =
            index.text[hit.at as usize..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).take(MAX_SHOWN).collect();
        (format!("{} {word}", if hit.asked { "asked for" } else { "word" }), hit.strength)
    });
    let mut signs: Vec<(String, f32)> = news.chain(hits).collect();
    signs.order_by(|a, b| b.1.total_cmp(&a.1));
    signs.truncate(MAX_SIGNS);
    if signs.is_empty() {
        signs.push(("its place in the list".to_owned(), 1.0));
    }
    signs
}

/// Where a value stands, as a JSON Pointer.
fn pointer(index: &Index<'_>, node: u32) -> String {
    let (mut at, mut path) = (0, String::new());
    while at != node {
        let found = index.children(at).enumerate().find(|&(_, child)| index.nodes[child as usize].next > node);
        let Some((position, child)) = found else { break };
        let key = index.nodes[child as usize].key;
        path.push_str(&step(index, key).filter(|_| key != NO_KEY).unwrap_or_else(|| format!("/{position}")));
        at = child;
    }
    path
}

/// A key as a step of a JSON Pointer; `None` for what has no key.
fn step(index: &Index<'_>, key: u32) -> Option<String> {
    (!index.key(key).is_empty()).then(|| format!("/{}", index.name(key).replace('~', "~0").replace('/', "~1")))
}
