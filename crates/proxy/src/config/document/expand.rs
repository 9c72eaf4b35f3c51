//! Puts environment variables into the texts of a tree: `${NAME}`, `${NAME:-default}`. `${env:NAME}`, as some clients write it, is the same;
//! `$${` stands for `${` itself.

use snugfit_toolset::names::excerpt;

use super::read::path::Path;
use super::{MAX_TEXT, Node, Scalar, Value};
use crate::config::fault::{Fault, MAX_FAULTS};

/// Gives the values of environment variables.
type Lookup<'l> = &'l dyn Fn(&str) -> Option<String>;

/// Puts variables in; what is missing or malformed goes to `faults`, until these are enough.
pub(in crate::config) fn expand(root: &mut Node, lookup: Lookup<'_>, faults: &mut Vec<Fault>) {
    Expansion { lookup, faults, room: MAX_TEXT }.walk(root, &Path::Root);
}

struct Expansion<'a> {
    lookup: Lookup<'a>,
    faults: &'a mut Vec<Fault>,
    /// Bytes that variables may still give.
    room: usize,
}

impl Expansion<'_> {
    /// Recursive: a tree is never deeper than [`super::MAX_DEPTH`].
    fn walk(&mut self, node: &mut Node, path: &Path<'_>) {
        match &mut node.value {
            _ if self.faults.len() >= MAX_FAULTS => {}
            Value::Cut => {}
            Value::Scalar(scalar) => {
                if let Err(message) = self.put_in(scalar) {
                    self.faults.push(Fault { position: Some(node.at), path: path.to_string(), message });
                    node.value = Value::Cut;
                }
            }
            Value::List(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.walk(item, &Path::Item { parent: path, at });
                }
            }
            Value::Map(members) => {
                for (at, (key, member)) in members.iter_mut().enumerate() {
                    self.walk(member, &Path::Member { parent: path, at, name: &key.name });
                }
            }
        }
    }

    fn put_in(&mut self, scalar: &mut Scalar) -> Result<(), String> {
        if scalar.text.contains("${") {
            let text = expanded(&scalar.text, self.lookup, self.room)?;
            self.room -= text.len();
            scalar.plain = false;
            scalar.written = Some(std::mem::replace(&mut scalar.text, text));
        }
        Ok(())
    }
}

fn expanded(text: &str, lookup: Lookup<'_>, room: usize) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut add = |part: &str| {
        if out.len() + part.len() > room {
            return Err(format!("variables make more than {} MiB of the configuration", MAX_TEXT >> 20));
        }
        out.push_str(part);
        Ok(())
    };
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            add(before)?;
            add("${")?;
            rest = after;
            continue;
        }
        add(before)?;
        let (inside, after) =
            after.split_once('}').ok_or("a variable begins with `${` and has no `}`; write `$${` for the characters themselves")?;
        add(&value(inside, lookup)?)?;
        rest = after;
    }
    add(rest)?;
    Ok(out)
}

/// The value of what stands between the braces.
fn value(inside: &str, lookup: Lookup<'_>) -> Result<String, String> {
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
        (None, None) => {
            let name = excerpt(name);
            Err(format!("the environment variable {name} is not set; set it, or write `${{{name}:-default}}`"))
        }
    }
}
