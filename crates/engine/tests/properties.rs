//! What always holds, over random inputs, budgets and options. The checks themselves are in `support/check.rs`.
//!
//! `PROPTEST_CASES=20000 cargo test -p snugfit-engine --test properties --profile ci` looks longer.

mod support;

use proptest::prelude::*;
use snugfit_engine::{Budget, Layout, Options, Unit, fit, fit_blocks, fit_bytes, measure};
use support::check::{check, clip, notice_holds};
use support::make::{Field, Rng, Shape, TEXTS, Text, records};
use support::random::{self, any_text, budget, input, json, notice, options, record_list, recovery_notice};
use support::tree::Tree;

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, max_shrink_iters: 4000, ..ProptestConfig::default() }
}

fn holds(input: &str, options: &Options) -> Result<Option<snugfit_engine::Fitted>, TestCaseError> {
    check(input, options).map_err(|e| TestCaseError::fail(format!("{e}\n  input: {}", clip(input))))
}

/// Progress lines and clusters repeat, and markup goes: what is left of those may be less than the budget.
fn lasting() -> Vec<Text> {
    TEXTS.into_iter().filter(|kind| !matches!(kind, Text::Ansi | Text::Html)).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn json_stays_json_within_every_budget(input in json(), options in options()) {
        holds(&input, &options)?;
    }

    #[test]
    fn lists_of_records_keep_values_in_their_places(list in record_list(), options in options()) {
        holds(&list.render(), &options)?;
    }

    #[test]
    fn texts_keep_their_lines(input in any_text(), options in options()) {
        holds(&input, &options)?;
    }

    #[test]
    fn an_input_within_the_budget_comes_back_byte_for_byte(input in input(), notice in notice(), more in 0..50usize) {
        let limit = |unit| Some(measure(&input, unit).max(1) + more);
        let budget = Budget { chars: limit(Unit::Chars), bytes: limit(Unit::Bytes), lines: limit(Unit::Lines), ..Budget::default() };
        let fitted = fit(&input, &Options { notice, indent: 2, layout: Layout::Lines, ..Options::new(budget) }).unwrap();
        prop_assert_eq!(&fitted.text, &input);
        prop_assert!(fitted.report.complete && !fitted.report.pruned);
    }

    #[test]
    fn everything_works_from_350_characters_up(input in input(), chars in 350..2000usize) {
        let options = Options { notice: Some(recovery_notice()), ..Options::new(Budget::chars(chars)) };
        // An object with a `truncation` of its own, and a long scalar, take the envelope, which holds the notice twice.
        let own = Tree::parse(&input).is_ok_and(|t| t.get(0, "truncation").is_some() || t.children(0).next().is_none());
        let fitted = holds(&input, &options)?;
        prop_assert!(fitted.is_some() || own, "too small for {}", clip(&input));
    }

    #[test]
    fn any_bytes_are_fitted(bytes in prop::collection::vec(any::<u8>(), 0..3000), budget in budget(), notice in notice()) {
        let options = Options { notice, ..Options::new(budget) };
        if let Ok(fitted) = fit_bytes(&bytes, &options) {
            prop_assert!(budget.holds(&fitted.text));
            prop_assert!(fitted.report.replaced > 0 || std::str::from_utf8(&bytes).is_ok());
        }
    }

    #[test]
    fn a_larger_budget_keeps_as_much(shape in prop::sample::select(vec![Shape::List, Shape::Wrapped, Shape::ById, Shape::Connection]), list in record_list(), small in 600..6000usize, more in 1..4000usize) {
        let input = records(shape, &list.fields, 40 + list.count, list.seed);
        let leaves = |chars| fit(&input, &Options::new(Budget::chars(chars))).map_or(0, |f| Tree::parse(&f.text).map_or(0, |t| t.leaves()));
        let (less, rest) = (leaves(small), leaves(small + more));
        prop_assert!(rest * 10 + 60 >= less * 9, "{} values at {}, {} at {}", less, small, rest, small + more);
    }

    #[test]
    fn a_small_change_of_the_budget_keeps_most_records(list in record_list(), chars in 1500..8000usize) {
        let mut fields = list.fields.clone();
        fields.retain(|f| *f != Field::Uuid);
        fields.insert(0, Field::Uuid);
        let input = records(Shape::Wrapped, &fields, 100 + list.count, list.seed);
        let kept = |chars| {
            let text = fit(&input, &Options::new(Budget::chars(chars))).map(|f| f.text).unwrap_or_default();
            uuids(&text).map(str::to_owned).collect::<std::collections::HashSet<_>>()
        };
        let (a, b) = (kept(chars), kept(chars + chars / 100));
        let both = a.intersection(&b).count();
        prop_assert!(both * 10 + 20 >= a.len().min(b.len()) * 7, "{} of {} and {} records at {}", both, a.len(), b.len(), chars);
    }

    #[test]
    fn budgets_are_used_on_lists_of_records(shape in prop::sample::select(vec![Shape::List, Shape::Wrapped, Shape::ById, Shape::Connection, Shape::Columns]), seed in any::<u64>(), extra in prop::sample::subsequence(vec![Field::Amount, Field::Email, Field::Tags, Field::Nested, Field::State], 0..=5), chars in 2000..12_000usize) {
        let mut fields = vec![Field::Id, Field::Title, Field::Time];
        fields.extend(extra);
        let input = records(shape, &fields, chars / 8, seed);
        prop_assume!(input.len() > chars * 2);
        let fitted = holds(&input, &Options::new(Budget::chars(chars)))?;
        let used = fitted.map_or(0, |f| f.report.output_chars);
        // No unit of this content is longer than 50 characters: a twentieth of the budget is 100 at the least.
        prop_assert!(used * 100 >= chars * 95, "{} of {} used", used, chars);
    }

    #[test]
    fn budgets_are_used_on_large_texts(kind in prop::sample::select(lasting()), seed in any::<u64>(), chars in 4000..12_000usize) {
        let input = kind.make(chars * 4, seed);
        let fitted = holds(&input, &Options::new(Budget::chars(chars)))?;
        let used = fitted.map_or(0, |f| f.report.output_chars);
        prop_assert!(used * 100 >= chars * 95, "{:?}: {} of {} used", kind, used, chars);
    }

    #[test]
    fn what_is_protected_stays(list in record_list(), at in any::<prop::sample::Index>(), chars in 900..4000usize) {
        let input = records(Shape::Wrapped, &list.fields, 30 + list.count, list.seed);
        let source = Tree::parse(&input).unwrap();
        let record = source.children(1).nth(at.index(30)).unwrap();
        let member = source.children(record).nth(at.index(list.fields.len())).unwrap();
        let node = &source.nodes[member];
        prop_assume!(node.lexeme.len() < chars / 3);
        let pattern = format!("/items/{}/{}", at.index(30), node.key.trim_matches('"'));
        let options = Options { protect: vec![pattern], ..Options::new(Budget::chars(chars)) };
        let fitted = holds(&input, &options)?.unwrap();
        prop_assert!(fitted.text.contains(&format!("{}:{}", node.key, node.lexeme)), "{:?} is gone: {}", options.protect, clip(&fitted.text));
    }

    #[test]
    fn identifiers_are_whole_or_gone(kind in prop::sample::select(TEXTS.to_vec()), inside in any::<bool>(), seed in any::<u64>(), chars in 80..3000usize) {
        let mut rng = Rng(seed);
        let mut text = String::new();
        for line in kind.make(3000, seed).lines() {
            let at = line.floor_char_boundary(rng.below(line.len() + 1));
            let at = line[at..].find(' ').map_or(line.len(), |s| at + s);
            text.push_str(&format!("{} {}{}\n", &line[..at], rng.uuid(), &line[at..]));
        }
        let ids: std::collections::HashSet<&str> = uuids(&text).collect();
        let input = if inside { serde_json::json!({ "name": "x", "log": text }).to_string() } else { text.clone() };
        let Some(fitted) = holds(&input, &Options::new(Budget::chars(chars)))? else { return Ok(()) };
        for id in uuids(&fitted.text) {
            prop_assert!(ids.contains(id), "{:?} is no id of the input ({:?}): {}", id, kind, clip(&fitted.text));
        }
    }

    #[test]
    fn blocks_share_the_budget(texts in prop::collection::vec(input(), 0..5), options in options()) {
        let options = Options { notice_chars: 0, ..options };
        let parts: Vec<&str> = texts.iter().map(String::as_str).collect();
        match fit_blocks(&parts, &options) {
            Err(error) => prop_assert_eq!(error.code(), "BUDGET_TOO_SMALL"),
            Ok(blocks) => {
                prop_assert_eq!(blocks.texts.len(), parts.len());
                let mut seen: Vec<&str> = blocks.texts.iter().zip(&parts).map(|(new, old)| new.as_deref().unwrap_or(old)).collect();
                if let Some((object, block)) = &blocks.notice {
                    prop_assert_eq!(block, &format!("{{\"truncation\":{object}}}"));
                    if let Err(e) = notice_holds(object, &options, &blocks.report) {
                        return Err(TestCaseError::fail(e));
                    }
                    seen.push(block);
                }
                for (unit, limit) in options.budget.limits() {
                    let size: usize = seen.iter().map(|t| measure(t, unit)).sum();
                    prop_assert!(size <= limit, "{} {} of {}", size, unit, limit);
                }
                let chars: usize = seen.iter().map(|t| t.chars().count()).sum();
                prop_assert_eq!(blocks.report.output_chars, chars);
                for (new, old) in blocks.texts.iter().zip(&parts) {
                    if let (Some(new), Ok(tree)) = (new, Tree::parse(old)) {
                        prop_assert_eq!(Tree::parse(new).map(|t| t.nodes[0].kind), Ok(tree.nodes[0].kind));
                    }
                }
                let changed = blocks.texts.iter().zip(&parts).any(|(new, old)| new.as_deref().is_some_and(|new| new != *old));
                prop_assert!(changed || !blocks.report.pruned, "pruned, and no block changed");
            }
        }
    }
}

/// Runs that begin as a UUID does, or may be what is left of one.
fn uuids(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_hexdigit() && c != '-').filter(|run| {
        run.len() > 9
            && run.bytes().filter(|&b| b == b'-').count() >= 2
            && run.bytes().any(|b| b.is_ascii_digit())
            && run.split('-').next().is_some_and(|first| first.len() == 8)
    })
}

#[test]
fn the_generators_make_what_they_say() {
    for (seed, kind) in TEXTS.iter().enumerate() {
        assert!(kind.make(2000, seed as u64).len() >= 2000, "{kind:?}");
        assert_eq!(kind.make(500, 7), kind.make(500, 7), "{kind:?}");
    }
    for shape in support::make::SHAPES {
        let text = records(shape, &support::make::FIELDS, 3, 1);
        assert!(shape == Shape::Lines || Tree::parse(&text).is_ok_and(|t| t.compact() == text), "{text}");
        assert!(shape == Shape::Lines || serde_json::from_str::<serde_json::Value>(&text).is_ok() || text.contains("1e400"), "{text}");
    }
    assert!(
        Tree::parse("[1,]").is_err() && Tree::parse("{\"a\":01}").is_err() && Tree::parse("").is_err() && Tree::parse("[1] x").is_err()
    );
    let _ = random::value;
}
