//! JSONPath (RFC 9535).

mod eval;
mod parse;
mod query;

use snugfit_engine::json::Index;

pub(super) use eval::text_of;

use crate::error::Error;

/// The nodes that a JSONPath selects, in its order, some perhaps more than once.
pub(super) fn select(path: &str, index: &Index<'_>) -> Result<Vec<u32>, Error> {
    eval::eval(&parse::parse(path)?, index)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;
    use snugfit_engine::json::scan;

    use super::super::pointer::Places;
    use super::*;

    /// The values that a path selects, and their pointers.
    fn selected(path: &str, document: &str) -> Result<(Vec<Value>, Vec<String>), Error> {
        let index = scan(document).expect("JSON");
        let places = Places::new(&index);
        let nodes = select(path, &index)?;
        let value = |node: &u32| serde_json::from_str(index.lexeme(*node)).expect("a value");
        Ok((nodes.iter().map(value).collect(), nodes.iter().map(|&node| places.pointer(node)).collect()))
    }

    #[test]
    fn selectors() {
        let document = r#"{"store":{"book":[{"title":"A","price":8.95},{"title":"B","price":12.99,"isbn":"x"},{"title":"C","price":8.99}],
            "bike":{"price":19.95}},"n":[1,2,3,4],"big":[12345678901234567890,12345678901234567891],"\u00e9":1,"a b":{"'":2},"d":1,"d":2}"#;
        for (path, pointers) in [
            ("$", vec![""]),
            ("$.store.book[*].title", vec!["/store/book/0/title", "/store/book/1/title", "/store/book/2/title"]),
            ("$..price", vec!["/store/book/0/price", "/store/book/1/price", "/store/book/2/price", "/store/bike/price"]),
            ("$.store.book[-1]", vec!["/store/book/2"]),
            ("$.n[1:3]", vec!["/n/1", "/n/2"]),
            ("$.n[::-2]", vec!["/n/3", "/n/1"]),
            ("$.n[0,0,-1]", vec!["/n/0", "/n/0", "/n/3"]),
            ("$.store.book[?@.isbn]", vec!["/store/book/1"]),
            ("$.store.book[?@.price < 10 && !(@.title == 'A')]", vec!["/store/book/2"]),
            ("$.store.book[?search(@.title, '[AB]')]", vec!["/store/book/0", "/store/book/1"]),
            ("$.store.book[?match(@.title, '[AB]|x')].price", vec!["/store/book/0/price", "/store/book/1/price"]),
            ("$.store[?count(@.*) == 3]", vec!["/store/book"]),
            ("$[?length(@) == 4]", vec!["/n"]),
            ("$.n[?@ > $.n[2]]", vec!["/n/3"]),
            ("$.big[?@ == $.big[1]]", vec!["/big/1"]),
            ("$.é", vec!["/é"]),
            ("$['a b'][\"'\"]", vec!["/a b/'"]),
            ("$.nothing", vec![]),
        ] {
            assert_eq!(selected(path, document).expect(path).1, pointers, "{path}");
        }
        assert_eq!(selected("$.d", document).expect("of equal keys the last").0, [serde_json::json!(2)]);
    }

    #[test]
    fn mistakes_have_a_position() {
        for (path, position) in [
            ("$.", 3),
            ("$.a[", 5),
            ("$.a[01]", 5),
            ("$.a b", 4),
            ("$[?@.a = 1]", 8),
            ("$[?@.a == 'é\\x']", 13),
            ("$[?'a']", 7),
            ("$[?@.* == 1]", 11),
            ("$[?f(@)]", 4),
            ("$[?length(@.a)]", 15),
            ("a", 1),
        ] {
            let Err(Error::InvalidSelector { selector: "path", position: at, .. }) = selected(path, "{}") else { panic!("{path}") };
            assert_eq!(at, position, "{path}");
        }
    }

    #[test]
    fn no_selector_runs_for_long_or_deep() {
        let list = format!("[{}]", vec!["[1,1,1,1]"; 5_000].join(","));
        let Err(Error::InvalidSelector { .. }) = selected("$..*..*..*[?@..*]..*[?count($[?@ == @]) > count(@..*)]..*", &list) else {
            // Few enough to be done: that is fine as well.
            return;
        };
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let index = scan(&deep).expect("JSON");
        assert_eq!(select("$..*", &index).expect("iterative").len(), 99_999);
        assert_eq!(select("$[?@ == $[0]]", &index).expect("iterative").len(), 1);
        let nested = format!("$[?{}@{}]", "(".repeat(10_000), ")".repeat(10_000));
        assert!(matches!(select(&nested, &index), Err(Error::InvalidSelector { .. })));
    }

    /// The public compliance tests, where they are at hand.
    #[test]
    fn complies_with_rfc_9535() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/jsonpath/cts.json");
        let Ok(text) = std::fs::read_to_string(file) else { return };
        let suite: Value = serde_json::from_str(&text).expect("JSON");
        let mut failures = vec![];
        for test in suite["tests"].as_array().expect("tests") {
            let path = test["selector"].as_str().expect("a selector");
            let document = if test["document"].is_null() { "null".to_owned() } else { test["document"].to_string() };
            let actual = selected(path, &document);
            let passes = if test["invalid_selector"] == true {
                actual.is_err()
            } else {
                let allowed =
                    |one: &str, many: &str| -> Vec<Value> { test[many].as_array().cloned().unwrap_or_else(|| vec![test[one].clone()]) };
                actual.as_ref().is_ok_and(|(values, pointers)| {
                    let paths: Vec<String> = pointers.iter().map(|pointer| normalised(pointer, &test["document"])).collect();
                    allowed("result", "results").contains(&Value::from(values.clone()))
                        && allowed("result_paths", "results_paths").contains(&Value::from(paths))
                })
            };
            if !passes {
                failures.push(format!("{}: {path} on {document}: {actual:?}", test["name"]));
            }
        }
        assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    }

    /// A pointer as a normalised path (RFC 9535, 2.7).
    fn normalised(pointer: &str, document: &Value) -> String {
        let mut value = document;
        let mut path = "$".to_owned();
        for step in pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")) {
            if let Some(items) = value.as_array() {
                path += &format!("[{step}]");
                value = &items[step.parse::<usize>().expect("an index")];
            } else {
                let name: String = step
                    .chars()
                    .map(|c| match c {
                        '\u{8}' => "\\b".to_owned(),
                        '\u{c}' => "\\f".to_owned(),
                        '\n' => "\\n".to_owned(),
                        '\r' => "\\r".to_owned(),
                        '\t' => "\\t".to_owned(),
                        '\'' | '\\' => format!("\\{c}"),
                        '\0'..='\x1f' => format!("\\u{:04x}", c as u32),
                        c => c.to_string(),
                    })
                    .collect();
                path += &format!("['{name}']");
                value = &value[step.as_str()];
            }
        }
        path
    }
}
