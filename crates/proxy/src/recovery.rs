//! The recovery tool, by which a model reads what a preview left out.

use serde_json::{Value, json};
use snugfit_engine::Budget;
use snugfit_recovery::{Error, Selector, read};

const DESCRIPTION: &str = "Reads the original of a tool result that was shortened to a partial view, by the response_id of its truncation notice. \
    Name the missing part by path, search or lines; answers are short, and cursor leads on. \
    With response_id alone it returns the complete original, which may be very long. It never runs a tool again.";

/// The most characters of a tool's result that Claude Code takes if the tool says so.
const MOST_IN_CLAUDE_CODE: u32 = 500_000;

/// The definition of the tool, as JSON text.
pub(crate) fn definition(name: &str) -> String {
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "name": name,
        "description": DESCRIPTION,
        "inputSchema": {
            "type": "object",
            "properties": {
                "response_id": text("From the notice"),
                "path": text("JSON Pointer such as /issues/7/body, or JSONPath"),
                "search": text("Literal or /regex/i"),
                "context": { "type": "integer", "description": "Lines around matches" },
                "lines": text("120-180, or -50 for the last"),
                "cursor": text("next_cursor of the last answer"),
            },
            "required": ["response_id"],
            "additionalProperties": false,
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
        "_meta": { "anthropic/maxResultSizeChars": MOST_IN_CLAUDE_CODE },
    })
    .to_string()
}

/// The part of an original that a call asks for; without a selector all of it.
pub(crate) fn part(original: &str, selector: Option<Selector>, budget: &Budget) -> Result<String, Error> {
    selector.map_or_else(|| Ok(original.to_owned()), |selector| read(original, &selector, budget))
}

/// What a call asks for: the id, and the part; `arguments` is JSON text.
///
/// # Errors
/// What a model is told that it did wrong.
pub(crate) fn request(arguments: &str) -> Result<(String, Option<Selector>), String> {
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
        return Err(r#"the input must be an object such as {"response_id":"…"}"#.to_owned());
    };
    const KNOWN: [&str; 6] = ["response_id", "path", "search", "context", "lines", "cursor"];
    if let Some(extra) = arguments.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(format!("{extra:?} is no argument; there are {}", KNOWN.join(", ")));
    }
    let id = arguments.get("response_id").and_then(Value::as_str).filter(|id| !id.is_empty());
    let id = id.ok_or("response_id must be the id that the truncation notice of a preview gives, a string")?;
    let text = |name: &str| match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{name} must be a string")),
    };
    let context = match arguments.get("context") {
        None | Some(Value::Null) => Selector::CONTEXT,
        Some(lines) => {
            let lines = lines.as_u64().filter(|lines| *lines <= Selector::MAX_CONTEXT as u64);
            lines.ok_or_else(|| format!("context must be a whole number of lines from 0 to {}", Selector::MAX_CONTEXT))? as usize
        }
    };
    let (path, search, lines, cursor) = (text("path")?, text("search")?, text("lines")?, text("cursor")?);
    // Models fill in arguments that they do not mean with empty texts; an empty path alone is the whole, within the budget.
    let empty_path = path.as_deref() == Some("");
    let mut named: Vec<(&str, Selector)> = Vec::new();
    let mut add = |name, given: Option<String>, selector: &dyn Fn(String) -> Selector| {
        if let Some(given) = given.filter(|given| !given.is_empty()) {
            named.push((name, selector(given)));
        }
    };
    add("path", path, &Selector::Path);
    add("search", search, &|pattern| Selector::Search { pattern, context });
    add("lines", lines, &Selector::Lines);
    add("cursor", cursor, &Selector::Cursor);
    if named.len() > 1 {
        let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        return Err(format!("name one of path, search, lines, cursor, not {}", names.join(" and ")));
    }
    let selector = named.pop().map(|(_, selector)| selector).or_else(|| empty_path.then(|| Selector::Path(String::new())));
    Ok((id.to_owned(), selector))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_short() {
        let definition: Value = serde_json::from_str(&definition("compressor_recover_response")).expect("JSON");
        let seen = definition["description"].to_string().len() + definition["inputSchema"].to_string().len();
        assert!(seen <= 900, "{seen}");
    }

    #[test]
    fn a_part_or_the_whole_is_read_and_mistakes_are_told() {
        let original = (1..=500).map(|n| format!("line {n}\n")).collect::<String>();
        let ask = |rest: &str| {
            let (id, selector) = request(&format!(r#"{{"response_id":"an id"{rest}}}"#))?;
            assert_eq!(id, "an id");
            part(&original, selector, &Budget::chars(1000)).map_err(|error| error.to_string())
        };
        assert_eq!(ask(""), Ok(original.clone()));
        assert!(ask(r#","lines":"7-8""#).expect("lines").contains("line 7\n"));
        assert!(ask(r#","search":"line 33","context":0,"path":"""#).expect("matches").contains("line 333"));
        for (rest, said) in [
            (r#","path":"/a","lines":"1""#, "not path and lines"),
            (r#","path":1"#, "path must be a string"),
            (r#","context":-1,"search":"a""#, "whole number of lines"),
            (r#","file":"x""#, "\"file\" is no argument"),
        ] {
            assert!(ask(rest).expect_err("a mistake").contains(said), "{rest}");
        }
        for nothing in ["[]", "{}", r#"{"response_id":""}"#, r#"{"response_id":7}"#] {
            assert!(request(nothing).is_err(), "{nothing}");
        }
    }
}
