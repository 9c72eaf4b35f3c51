//! Results in fewer characters that say the same: TOON, and CSV where a result is a plain table.

use serde_json::{Map, Value};

/// What a result is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// [Token-Oriented Object Notation](https://toonformat.dev).
    Toon,
    /// A header and a line for each record; what is no list of flat records is written as TOON.
    Csv,
}

/// JSON text in another form; `None` where it is no JSON of an object or array, or would not be shorter.
///
/// ```
/// use snugfit_toolset::toon::{Form, render};
/// assert_eq!(render(r#"[{"id":1,"name":"a"},{"id":2,"name":"b, c"}]"#, Form::Csv).as_deref(), Some("id,name\n1,a\n2,\"b, c\"\n"));
/// assert_eq!(render("plain text", Form::Toon), None);
/// ```
#[must_use]
pub fn render(json: &str, form: Form) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok().filter(|value: &Value| value.is_object() || value.is_array())?;
    let csv = if form == Form::Csv { csv(&value) } else { None };
    let text = csv.or_else(|| toon_format::encode_default(&value).ok())?;
    // An empty object is an empty text in TOON, which says nothing to a reader.
    (!text.is_empty() && text.len() < json.len()).then_some(text)
}

/// A list of objects with the same keys and no objects or arrays in them, as RFC 4180 has it.
fn csv(value: &Value) -> Option<String> {
    let rows: Vec<&Map<String, Value>> = value.as_array()?.iter().map(Value::as_object).collect::<Option<_>>()?;
    let header: Vec<&String> = rows.first()?.keys().collect();
    let is_flat = |row: &&Map<String, Value>| {
        row.len() == header.len() && header.iter().all(|key| row.get(*key).is_some_and(|cell| !cell.is_object() && !cell.is_array()))
    };
    if header.is_empty() || !rows.iter().all(is_flat) {
        return None;
    }
    let mut out = header.iter().map(|key| cell(key)).collect::<Vec<_>>().join(",");
    out.push('\n');
    for row in rows {
        let cells = header.iter().map(|key| match &row[*key] {
            Value::String(text) => cell(text),
            Value::Null => String::new(),
            other => other.to_string(),
        });
        out.push_str(&cells.collect::<Vec<_>>().join(","));
        out.push('\n');
    }
    Some(out)
}

/// Quoted where the text would not be read back as it is; an empty text is quoted, nothing is `null`.
fn cell(text: &str) -> String {
    let plain = !text.is_empty() && !text.contains([',', '"', '\n', '\r']) && !text.starts_with(' ') && !text.ends_with(' ');
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toon_is_shorter_json() {
        let json = r#"{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}"#;
        assert_eq!(render(json, Form::Toon).as_deref(), Some("items[2]{id,name}:\n  1,a\n  2,b"));
    }

    #[test]
    fn csv_is_for_plain_tables_only() {
        assert_eq!(render(r#"[{"aaaa":1,"b":null},{"aaaa":"","b":"x\ny"}]"#, Form::Csv).as_deref(), Some("aaaa,b\n1,\n\"\",\"x\ny\"\n"));
        for json in [r#"[{"aaaa":1},{"bbbb":2},{"aaaa":3}]"#, r#"[{"aaaa":[1,2,3]},{"aaaa":[4]}]"#, r#"{"aaaaaaaa":1,"bbbbbbb":2}"#] {
            assert_eq!(render(json, Form::Csv), render(json, Form::Toon), "{json}");
        }
    }

    #[test]
    fn what_gains_nothing_stays() {
        for text in ["5", "\"text\"", "not json", "", "[]", "{}"] {
            assert_eq!(render(text, Form::Toon), None, "{text}");
        }
    }
}
