//! Options that the types let through and `fit` does not: each refusal names the option and says what would do.

use snugfit_engine::{Budget, Options, fit};

#[test]
fn options_that_cannot_be_kept_are_refused_by_name() {
    let options = || Options::new(Budget::chars(1000));
    let path = |segments: usize| vec!["/a".repeat(segments)];
    for (options, expected) in [
        (Options::new(Budget::default()), "at least one of chars, bytes, lines, tokens"),
        (Options::new(Budget::chars(0)), "at least 1 of"),
        (Options { indent: 17, ..options() }, "0 to 16 spaces"),
        (Options { protect: path(63), ..options() }, "a path of 63 segments; 62 are the most"),
        (Options { drop: path(100), ..options() }, "a path of 100 segments"),
    ] {
        let error = fit("[1]", &options).unwrap_err();
        assert_eq!(error.code(), "INVALID_OPTION");
        assert!(error.to_string().contains(expected), "{error}");
    }
    for fitting in [Options { protect: path(62), ..options() }, Options { drop: vec!["/**/a/*/0".to_owned(), "b".to_owned()], ..options() }]
    {
        assert_eq!(fit("[1]", &fitting).expect("fits").text, "[1]");
    }
}
