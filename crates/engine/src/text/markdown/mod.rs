//! Markdown and prose: headings, the first sentence of each section, lists, tables and code in brief, what the call names whole.

mod blocks;
mod rows;
mod worth;

use super::Ask;
use super::lines::{Pick, split};
use crate::detect::Sample;
use crate::report::Report;
use blocks::{Block, blocks};

/// Share of lines that must be prose or Markdown.
const ENOUGH: f32 = 0.55;
/// A text without any sign of Markdown is prose only if it is surely prose.
const PROSE_ONLY: f32 = 0.7;

/// From which byte on the text is worth how much (1 is the measure), in order; a text without places counts 1.
pub(crate) type Places = [(u32, f32)];

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    let mut found = blocks(sample.head, &split(sample.head).collect::<Vec<_>>());
    found.retain(|f| f.0 != Block::Blank);
    if found.is_empty() {
        return false;
    }
    let (mut signs, mut headings, mut marked, mut prose, mut data) = (0, 0, 0, 0, 0);
    for (block, line) in &found {
        let line = line.trim_start();
        let linked = line.contains("](") || line.contains("**") || line.matches('`').count() >= 2;
        match block {
            Block::Heading(_) | Block::Rule | Block::Underline => {
                signs += 1;
                headings += 1;
            }
            Block::Meta if line.starts_with('[') => {
                signs += 1;
                marked += 1;
            }
            Block::Fence | Block::Code | Block::Meta | Block::Head | Block::Delimiter | Block::Row => marked += 1,
            Block::Item(_) if !linked && is_data(line.trim_start_matches(['-', '*', '+', ' '])) => data += 1,
            _ if linked => {
                signs += 1;
                marked += 1;
            }
            Block::Item(_) | Block::Quote => marked += 1,
            _ if prosy(line) => prose += 1,
            _ if key_value(line) => data += 1,
            _ => {}
        }
    }
    let share = |n: usize| n as f32 / found.len() as f32;
    if signs == 0 {
        return share(prose) >= PROSE_ONLY && sample.head.len() > 200;
    }
    // Comments of data look like headings; a text has something under them.
    share(headings + marked + prose) >= ENOUGH && share(data) < 0.3 && (marked + prose) * 2 >= headings
}

/// Whether a line is words: mostly letters, in words of usual length. Scripts without spaces count by their letters.
fn prosy(line: &str) -> bool {
    let (mut letters, mut spaces, mut others, mut dense) = (0usize, 0usize, 0usize, 0usize);
    for c in line.chars().take(400) {
        if c.is_alphabetic() {
            letters += 1;
            dense += usize::from(c >= '\u{2e80}');
        } else if c.is_whitespace() {
            spaces += 1;
        } else if !matches!(c, ',' | '.' | '\'' | '’' | '"' | '-' | '—') {
            others += 1;
        }
    }
    let words = spaces + 1;
    letters + spaces >= 24 && letters >= 10 * others && (letters / words <= 12 && words >= 4 || dense * 2 > letters)
}

/// An item of YAML or of an accessibility snapshot.
fn is_data(item: &str) -> bool {
    key_value(item) || item.ends_with(':') || item.contains("[ref=") || item.starts_with("uid=")
}

/// `key: value`, as in YAML and other data; a value of many words is prose.
fn key_value(line: &str) -> bool {
    let key = line.split([':', '=']).next().unwrap_or_default();
    let value = line.get(key.len() + 1..).unwrap_or_default();
    key.len() < line.len()
        && !key.is_empty()
        && key.len() < 40
        && !key.contains(' ')
        && !value.starts_with("//")
        && value.split(' ').count() <= 4
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    fit_places(text, &[], ask, report)
}

/// As [`fit`], for text of which some places are worth less than others.
pub(crate) fn fit_places(text: &str, places: &Places, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    Pick { lines: &worth::weigh(text, places, ask), novelty: true, note: None, note_room: 0 }.choose(text, ask, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_and_prose_are_found_and_data_is_not() {
        let prose = "It was the best of times, it was the worst of times, it was the age of wisdom.\nIt was the season of Light, and it was the season of Darkness everywhere.\nWe had everything before us, we had nothing before us, we were all going.\n";
        for (text, is) in [
            ("# Title\n\nSome words about it.\n\n- one\n- two\n", true),
            ("Intro\n=====\n\nSee [the guide](https://example.com/guide) first.\n", true),
            (prose, true),
            (
                "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。吾輩はここで始めて人間というものを見た。しかもあとで聞くとそれは書生という人間中で一番獰悪な種族であったそうだ。\n",
                true,
            ),
            ("# settings\nname: x\nport: 80\nhosts:\n  - a: 1\n  - b: 2\n", false),
            (
                "2026-05-01 00:00:01 INFO worker 3 processed batch 12 in 40ms\n2026-05-01 00:00:02 INFO worker 4 processed batch 13 in 41ms\n",
                false,
            ),
            ("id,name\n1,a\n2,b\n", false),
            ("# HELP up Whether it is up.\n# TYPE up gauge\nup{a=\"b\"} 1\n# HELP n Number of all.\n# TYPE n counter\nn 3\n", false),
            ("- generic [ref=e1]:\n  - link \"Home\" [ref=e2]:\n    - /url: /\n  - heading \"Title\" [level=1] [ref=e3]\n", false),
            ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", false),
        ] {
            assert_eq!(looks(&Sample::new(text)), is, "{text}");
        }
    }
}
