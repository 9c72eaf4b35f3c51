//! What holds for a tool, of all that is said of it.

use snugfit_proxy::config::{Config, Mode, Policy, Profile, ResultFlags};

use super::yaml;

#[test]
fn what_is_more_specific_or_closer_to_the_caller_wins() {
    let config = |text: &str| yaml(text).unwrap();
    let base = "servers: { s: { command: x, results: { budget: { chars: 5000 } } }, t: { command: x } }\nresults: { budget: { chars: 9000 }, perTool: { 's.exact': { budget: { chars: 400 } }, 's.ex*': { mode: trim }, 's.e*': { mode: page } } }";
    let chars = |n| snugfit_proxy::config::Budget::new(None, Some(n)).unwrap();
    let flags = ResultFlags { budget: Some(chars(7000)), mode: Some(Mode::Trim) };
    let none = ResultFlags::default();
    for (flags, variable, server, tool, expected) in [
        (&none, None, "s", "exact", (Mode::Condense, Some(400), None)),
        (&none, None, "s", "extra", (Mode::Trim, Some(5000), None)),
        (&none, None, "s", "eve", (Mode::Page, Some(5000), None)),
        (&none, None, "t", "any", (Mode::Condense, Some(9000), None)),
        (&none, Some("6000"), "t", "any", (Mode::Condense, None, Some(6000))),
        (&none, Some(""), "t", "any", (Mode::Condense, Some(9000), None)),
        (&flags, Some("6000"), "t", "any", (Mode::Trim, Some(7000), None)),
        (&flags, Some("6000"), "s", "exact", (Mode::Trim, Some(400), None)),
        (&flags, Some("6000"), "s", "eve", (Mode::Page, Some(5000), None)),
    ] {
        let policy = Policy::new(&config(base), flags, variable).unwrap().for_tool(server, tool, Profile::Cline);
        assert_eq!((policy.mode, policy.budget.chars, policy.budget.tokens), expected, "{server}.{tool} {variable:?}");
    }
    let policy = Policy::new(&config("{}"), &none, None).unwrap();
    assert_eq!(policy.for_tool("s", "t", policy.profile(Some("claude-code"))).budget.chars, Some(49_000));
    assert_eq!(policy.for_tool("s", "t", policy.profile(None)).budget.tokens, Some(20_000));
    let policy = Policy::new(&config("results: { profile: codex }"), &none, None).unwrap();
    assert_eq!(policy.profile(Some("claude-code")), Profile::Codex);
}

#[test]
fn a_budget_above_the_clients_own_is_warned_of() {
    let warning = |text: &str, profile| Policy::new(&yaml(text).unwrap(), &ResultFlags::default(), None).unwrap().warning(profile);
    assert_eq!(warning("{}", Profile::Cline), None);
    assert_eq!(warning("results: { budget: { chars: 7000 } }", Profile::Cline), None);
    assert_eq!(
        warning("results: { budget: { chars: 9000 } }", Profile::Cline).unwrap(),
        "the budget is above what cline takes (about 7800 characters): it may cut results a second time, without a way back"
    );
    assert!(warning("results: { budget: { tokens: 100000 } }", Profile::GeminiCli).is_some());
    assert!(warning("results: { budget: { tokens: 20000 } }", Profile::Codex).is_some());
    assert_eq!(warning("results: { budget: { tokens: 100000 } }", Profile::Generic), None);
}

#[test]
fn the_variable_for_tokens_must_be_a_budget() {
    for (value, expected) in [
        ("many", "SNUGFIT_MAX_TOKENS: expected a whole number of tokens, such as 20000"),
        ("-1", "SNUGFIT_MAX_TOKENS: expected a whole number of tokens, such as 20000"),
        ("100", "SNUGFIT_MAX_TOKENS: `tokens` is too small: a preview and its notice need at least 120"),
    ] {
        assert_eq!(Policy::new(&Config::default(), &ResultFlags::default(), Some(value)).unwrap_err().to_string(), expected);
    }
}
