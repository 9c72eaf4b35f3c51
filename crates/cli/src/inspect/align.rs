//! Which lines of an original are in its preview: those that both have, in their order.
//!
//! Lines that stand once in each are certain, as far as they are in order; from there it goes on both ways as long as lines are equal, and
//! what is between takes the next equal line. That is linear but for the order, which a plain difference of two large texts is not. A line
//! that opens something goes with what follows, one that closes it with what came before.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Runs of lines, from the first to the one after the last.
pub(super) type Runs = Vec<[usize; 2]>;

/// The lines of an original, and where each stands.
pub(super) struct Original {
    lines: Vec<u64>,
    places: HashMap<u64, Vec<usize>>,
}

impl Original {
    pub(super) fn new(text: &str) -> Self {
        let lines = hashes(text);
        let mut places: HashMap<u64, Vec<usize>> = HashMap::with_capacity(lines.len());
        for (at, line) in lines.iter().enumerate() {
            places.entry(*line).or_default().push(at);
        }
        Self { lines, places }
    }

    /// The lines that are kept in a preview, and the lines of the preview that are of the original.
    pub(super) fn align(&self, preview: &str) -> (Runs, Runs) {
        let of = sources(self, preview);
        let mut kept = vec![false; self.lines.len()];
        of.iter().flatten().for_each(|at| kept[*at] = true);
        (runs(&kept), runs(&of.iter().map(Option::is_some).collect::<Vec<_>>()))
    }
}

/// The line of the original that each line of a preview is.
fn sources(original: &Original, preview: &str) -> Vec<Option<usize>> {
    let Original { lines: old, places } = original;
    let kinds: Vec<Kind> = preview.split('\n').map(Kind::of).collect();
    let new = hashes(preview);
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for line in &new {
        *counts.entry(*line).or_default() += 1;
    }
    let certain = new.iter().enumerate().filter_map(|(at, line)| match places.get(line).map(Vec::as_slice) {
        Some([only]) if counts[line] == 1 => Some((*only, at)),
        _ => None,
    });
    let mut of: Vec<Option<usize>> = vec![None; new.len()];
    for (old_at, new_at) in rising(&certain.collect::<Vec<_>>()) {
        of[new_at] = Some(old_at);
    }
    back(&mut of, old, &new, |at| kinds[at] != Kind::Closes);
    on(&mut of, old, &new, |at| kinds[at] != Kind::Opens);
    back(&mut of, old, &new, |_| true);
    on(&mut of, old, &new, |_| true);
    fill(&mut of, &new, places, old.len());
    of
}

/// Lines follow the line before them.
fn on(of: &mut [Option<usize>], old: &[u64], new: &[u64], may: impl Fn(usize) -> bool) {
    for at in 1..new.len() {
        if of[at].is_none()
            && may(at)
            && let Some(before) = of[at - 1]
            && old.get(before + 1) == Some(&new[at])
        {
            of[at] = Some(before + 1);
        }
    }
}

/// Lines stand before the line after them.
fn back(of: &mut [Option<usize>], old: &[u64], new: &[u64], may: impl Fn(usize) -> bool) {
    for at in (1..new.len()).rev() {
        if of[at - 1].is_none()
            && may(at - 1)
            && let Some(before) = of[at].and_then(|after| after.checked_sub(1))
            && old[before] == new[at - 1]
        {
            of[at - 1] = Some(before);
        }
    }
}

/// What a line of indented JSON does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Opens,
    Closes,
    Other,
}

impl Kind {
    fn of(line: &str) -> Self {
        if line.ends_with(['{', '[']) {
            Self::Opens
        } else if line.trim_start().starts_with(['}', ']']) {
            Self::Closes
        } else {
            Self::Other
        }
    }
}

/// Lines that are not certain take the next equal one that is free; what is out of order gives way.
fn fill(of: &mut [Option<usize>], new: &[u64], places: &HashMap<u64, Vec<usize>>, end: usize) {
    // The first certain place at or after each line.
    let mut limits = vec![end; of.len()];
    let mut limit = end;
    for at in (0..of.len()).rev() {
        limits[at] = limit;
        limit = of[at].map_or(limit, |place| place.min(limit));
    }
    let mut free = 0;
    for at in 0..of.len() {
        let wanted = of[at];
        of[at] = match wanted {
            Some(place) if place >= free && place < limits[at] => Some(place),
            _ => places.get(&new[at]).and_then(|places| {
                let next = places.partition_point(|place| *place < free);
                places.get(next).copied().filter(|place| *place < limits[at])
            }),
        };
        free = of[at].map_or(free, |place| place + 1);
    }
}

/// A longest run of pairs that rise in both; they come in the order of the second.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair that ends the lowest run of each length, and what comes before each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (old, _)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].0 < *old);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        run.push(pairs[at]);
        next = before[at];
    }
    run.reverse();
    run
}

/// Lines as numbers. A comma at the end says only that something follows.
fn hashes(text: &str) -> Vec<u64> {
    let hash = |line: &str| {
        let mut hasher = DefaultHasher::new();
        line.trim_end().trim_end_matches(',').hash(&mut hasher);
        hasher.finish()
    };
    text.split('\n').map(hash).collect()
}

fn runs(marks: &[bool]) -> Runs {
    let mut runs: Runs = Vec::new();
    for (at, _) in marks.iter().enumerate().filter(|(_, marked)| **marked) {
        match runs.last_mut() {
            Some(run) if run[1] == at => run[1] += 1,
            _ => runs.push([at, at + 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_both_have_are_found_in_their_order() {
        for (old, new, kept, of) in [
            ("a\nb\nc", "a\nb\nc", vec![[0, 3]], vec![[0, 3]]),
            ("a\nb\nc", "a\nc", vec![[0, 1], [2, 3]], vec![[0, 2]]),
            ("{\n 1,\n 2\n}", "{\n 1\n}", vec![[0, 2], [3, 4]], vec![[0, 3]]),
            ("a\nb", "x", vec![], vec![]),
            ("same\nsame\nsame\nend", "same\nend", vec![[2, 4]], vec![[0, 2]]),
            // What changed places is of one of them only.
            ("a\nb\nc\nd", "c\nd\na\nb", vec![[0, 2]], vec![[2, 4]]),
            ("", "", vec![[0, 1]], vec![[0, 1]]),
        ] {
            assert_eq!(Original::new(old).align(new), (kept, of), "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_record_keeps_its_own_braces() {
        let record = |n: usize| format!(" {{\n  \"id\": {n},\n  \"state\": \"open\"\n }},\n");
        let old: String = (0..100).map(record).collect();
        let new: String = [3, 50, 99].map(record).concat();
        let (kept, of) = Original::new(&old).align(&new);
        assert_eq!(of, [[0, 13]]);
        assert_eq!(kept, [[12, 16], [200, 204], [396, 401]]);
    }
}
