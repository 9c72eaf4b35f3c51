//! Puts environment variables into the texts of a tree: `${NAME}`, `${NAME:-default}`. `${env:NAME}`, as some clients write it, is the same;
//! `$${` stands for `${` itself.

use super::{Node, Scalar, Value};
use crate::config::fault::Fault;

/// Puts variables in; what is missing or malformed goes to `faults`. Recursive: a tree is never deeper than [`super::MAX_DEPTH`].
pub(in crate::config) fn expand(node: &mut Node, path: &str, lookup: &dyn Fn(&str) -> Option<String>, faults: &mut Vec<Fault>) {
    let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match &mut node.value {
        Value::Cut => {}
        Value::Scalar(scalar) => {
            if let Err(message) = put_in(scalar, lookup) {
                faults.push(Fault { position: Some(node.at), path: path.to_owned(), message });
                node.value = Value::Cut;
            }
        }
        Value::List(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                expand(item, &format!("{path}[{at}]"), lookup, faults);
            }
        }
        Value::Map(members) => {
            for (key, member) in members {
                expand(member, &join(&key.name), lookup, faults);
            }
        }
    }
}

fn put_in(scalar: &mut Scalar, lookup: &dyn Fn(&str) -> Option<String>) -> Result<(), String> {
    if scalar.text.contains("${") {
        let text = expanded(&scalar.text, lookup)?;
        scalar.plain = false;
        scalar.written = Some(std::mem::replace(&mut scalar.text, text));
    }
    Ok(())
}

fn expanded(text: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            out.push_str(before);
            out.push_str("${");
            rest = after;
            continue;
        }
        out.push_str(before);
        let (inside, after) =
            after.split_once('}').ok_or("a variable begins with `${` and has no `}`; write `$${` for the characters themselves")?;
        out.push_str(&value(inside, lookup)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The value of what stands between the braces.
fn value(inside: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
    let name = name.strip_prefix("env:").unwrap_or(name);
    let is_name =
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err("expected a variable such as `${NAME}` or `${NAME:-default}`; write `$${` for the characters themselves".to_owned());
    }
    match (lookup(name), default) {
        (Some(value), None) => Ok(value),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.to_owned()),
        (None, None) => Err(format!("the environment variable {name} is not set; set it, or write `${{{name}:-default}}`")),
    }
}
