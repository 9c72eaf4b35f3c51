//! Budgets in tokens: never over, well used, together with other limits.

#[path = "../../engine/tests/support/make.rs"]
#[allow(dead_code, unreachable_pub)]
mod make;

use std::sync::LazyLock;

use make::{FIELDS, SHAPES, TEXTS, records};
use snugfit_engine::{Budget, Encoding, Error, Fitted, Notice, NoticeForm, Options, Recovery, fit, fit_blocks};

static ENCODINGS: LazyLock<[Encoding; 3]> = LazyLock::new(|| {
    let load = |packed| Encoding::from_vocabulary(packed).expect("a vocabulary");
    [Encoding::ESTIMATE, load(snugfit_vocabulary::O200K_BASE), load(snugfit_vocabulary::CL100K_BASE)]
});

/// Texts of every kind, each many times the largest budget below.
fn inputs() -> impl Iterator<Item = (String, String)> {
    let lists = SHAPES.iter().map(|&shape| (format!("{shape:?}"), records(shape, &FIELDS, 120, 1)));
    lists.chain(TEXTS.iter().map(|text| (format!("{text:?}"), text.make(40_000, 1))))
}

fn recovery_notice() -> Notice {
    let response_id = "0f8fad5b-d9cb-869f-a165-70867728950e".to_owned();
    Notice {
        recovery: Some(Recovery { tool: "compressor_recover_response".to_owned(), response_id, ..Recovery::default() }),
        form: NoticeForm::Inline,
    }
}

fn fitted(input: &str, budget: Budget, notice: Option<Notice>) -> Fitted {
    fit(input, &Options { notice, ..Options::new(budget) }).unwrap_or_else(|error| panic!("{budget:?}: {error}"))
}

#[test]
fn token_budgets_are_kept_and_used() {
    for (name, input) in inputs() {
        for encoding in *ENCODINGS {
            for (limit, notice) in [(600, None), (3_000, Some(recovery_notice()))] {
                let text = fitted(&input, Budget::tokens(limit, encoding), notice).text;
                let count = encoding.count(&text);
                assert!(count <= limit, "{name}: {count} of {limit} {encoding:?}");
                assert!(10 * count >= 9 * limit, "{name}: only {count} of {limit} {encoding:?}");
            }
        }
    }
}

#[test]
fn all_limits_of_a_budget_hold_together() {
    for (name, input) in inputs() {
        for encoding in *ENCODINGS {
            for (chars, bytes, tokens, lines) in [(6_000, 5_000, 1_000, 60), (2_000, 100_000, 5_000, 500), (9_000, 9_000, 9_000, 12)] {
                let budget = Budget { chars: Some(chars), bytes: Some(bytes), lines: Some(lines), tokens: Some(tokens), encoding };
                match fit(&input, &Options::new(budget)) {
                    Ok(Fitted { text, .. }) => assert!(budget.holds(&text), "{name}: {budget:?}"),
                    Err(error) => assert!(lines == 12 && error.code() == "BUDGET_TOO_SMALL", "{name}: {budget:?}: {error}"),
                }
            }
        }
    }
}

#[test]
fn an_input_within_a_token_budget_comes_back_and_one_token_less_cuts_it() {
    for (name, input) in inputs() {
        for encoding in *ENCODINGS {
            let count = encoding.count(&input);
            assert_eq!(fitted(&input, Budget::tokens(count, encoding), None).text, input, "{name}");
            let cut = fitted(&input, Budget::tokens(count - 1, encoding), None).text;
            assert!(encoding.count(&cut) < count, "{name}: {encoding:?}");
        }
    }
}

#[test]
fn blocks_share_a_token_budget() {
    let inputs: Vec<String> = inputs().map(|(_, input)| input).take(4).collect();
    let texts: Vec<&str> = inputs.iter().map(String::as_str).chain(["a short one"]).collect();
    for encoding in *ENCODINGS {
        let options = Options { notice: Some(recovery_notice()), ..Options::new(Budget::tokens(2_000, encoding)) };
        let blocks = fit_blocks(&texts, &options).expect("a budget that does");
        let shown = blocks.texts.iter().zip(&texts).map(|(new, old)| new.as_deref().unwrap_or(old));
        let count: usize = shown.chain(blocks.notice.as_ref().map(|n| n.1.as_str())).map(|text| encoding.count(text)).sum();
        assert!((1_700..=2_000).contains(&count), "{count} of 2000 {encoding:?}");
        assert_eq!(blocks.texts[4], None, "a small block stays whole");
    }
}

#[test]
fn a_budget_that_is_too_small_names_the_tokens_that_do() {
    for encoding in *ENCODINGS {
        let input = records(SHAPES[0], &FIELDS, 50, 1);
        let options = |limit| Options { notice: Some(recovery_notice()), ..Options::new(Budget::tokens(limit, encoding)) };
        let Err(Error::BudgetTooSmall { budget: 5, needed, unit, .. }) = fit(&input, &options(5)) else { panic!("5 tokens do") };
        assert_eq!(unit.to_string(), "tokens");
        assert!(needed < 350, "{needed} {encoding:?}");
        assert!(fit(&input, &options(needed)).is_ok(), "{needed} {encoding:?}");
    }
}

#[test]
fn texts_that_cost_other_tokenizers_minutes_are_fitted() {
    for input in ["A".repeat(50_000), "漢".repeat(50_000), " ".repeat(1_000_000), "0a".repeat(5_000_000), "中A".repeat(100_000)] {
        for encoding in *ENCODINGS {
            for limit in [200, 20_000] {
                let text = fitted(&input, Budget::tokens(limit, encoding), None).text;
                assert!(encoding.count(&text) <= limit, "{} bytes in {limit} {encoding:?}", input.len());
            }
        }
    }
}

#[test]
fn what_is_no_vocabulary_is_refused() {
    let error = Encoding::from_vocabulary(b"{}").expect_err("no vocabulary");
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("INVALID_OPTION", "encoding: not a vocabulary of snugfit: it does not begin as one")
    );
}
