//! Counts beside those of another implementation, on texts of every sort.

use std::sync::LazyLock;

use proptest::prelude::*;
use snugfit_engine::Encoding;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

static ENCODINGS: LazyLock<[(Encoding, &CoreBPE); 2]> = LazyLock::new(|| {
    let load = |packed| Encoding::from_vocabulary(packed).expect("a vocabulary");
    [(load(snugfit_vocabulary::O200K_BASE), o200k_base_singleton()), (load(snugfit_vocabulary::CL100K_BASE), cl100k_base_singleton())]
});

fn check(text: &str) -> Result<(), TestCaseError> {
    for (ours, theirs) in *ENCODINGS {
        prop_assert_eq!(ours.count(text), theirs.encode_ordinary(text).len(), "{:?} of {:?}", ours, text);
    }
    Ok(())
}

#[test]
fn every_token_is_one_token() {
    for (ours, theirs) in *ENCODINGS {
        let all = (0..200_000).map_while(|rank| theirs.decode_bytes(&[rank]).ok());
        let words = all.filter_map(|bytes| String::from_utf8(bytes).ok()).filter(|text| theirs.encode_ordinary(text).len() == 1);
        let mut count = 0;
        for word in words {
            assert_eq!(ours.count(&word), 1, "{ours:?} of {word:?}");
            count += 1;
        }
        assert!(count > 90_000, "{ours:?}: {count}");
    }
}

#[test]
fn files_of_every_sort() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let mut folders = vec![format!("{root}bench/fidelity/payloads"), format!("{root}crates/engine/tests/fixtures"), format!("{root}docs")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path.display().to_string());
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                check(&text).unwrap_or_else(|error| panic!("{}: {}", path.display(), error.to_string().split_at(80).0));
                files += 1;
            }
        }
    }
    assert!(files > 50, "{files}");
}

#[test]
fn texts_that_cost_other_tokenizers_minutes() {
    for text in [
        "A".repeat(5_000),
        "a".repeat(5_000),
        " ".repeat(5_000) + "x",
        "\n".repeat(5_000),
        "漢字".repeat(1_500),
        "中A".repeat(2_000),
        "\u{301}A".repeat(2_000),
        "'s".repeat(2_000),
        "0123456789".repeat(500),
        "/".repeat(5_000),
        "=".repeat(5_000),
        "👩‍👩‍👧‍👦".repeat(500),
        " \n".repeat(2_000),
        "abcdefghijklmnopqrstuvwxyz".repeat(200),
        "<|endoftext|> <|fim_prefix|>".to_owned(),
    ] {
        check(&text).unwrap_or_else(|error| panic!("{error}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC*") {
        check(&text)?;
    }

    #[test]
    fn letters_marks_and_spaces(text in "[a-cA-C中文\u{301}\u{2b0}ǅ'’sſ 0-9٣\\r\\n\t/(\u{a0}-]{0,40}") {
        check(&text)?;
    }

    #[test]
    fn few_letters(text in "[ab ]{0,200}") {
        check(&text)?;
    }
}
