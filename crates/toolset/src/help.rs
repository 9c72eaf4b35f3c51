//! Help texts: what a command has, and how a subcommand is called.

use serde_json::{Value, json};

use crate::accepts::{Accepts, plain};
use crate::argv::Command;
use crate::check::check;
use crate::flags::{Flag, Flags};
use crate::markdown::plain as plain_text;
use crate::object::resolve;
use crate::sentence::{first, one_line};
use crate::tool::Tool;

/// Above this many subcommands the help tool names them without a sentence each.
pub const MOST_WITH_SENTENCES: usize = 60;

/// All subcommands with the first sentence of each, or (`brief`) as a model reads it in the help tool's description: above
/// [`MOST_WITH_SENTENCES`] names alone.
#[must_use]
pub fn overview(command: &Command, brief: bool) -> String {
    let (name, count) = (command.name(), command.subcommands().len());
    if brief && count > MOST_WITH_SENTENCES {
        let names: Vec<&str> = command.subcommands().map(|(name, _)| name).collect();
        return format!("Shell: {name} <command> --flag value; {name} <command> --help. Commands: {}", names.join(" "));
    }
    let lines = command.subcommands().map(|(name, tool)| line(name, tool)).collect::<String>();
    if brief {
        return format!("Shell: {name} <command> --flag value; {name} <command> --help. Commands:\n{}", lines.trim_end());
    }
    format!(
        "Usage: {name} <command> [--flag value …]; {name} <command> --help has a command's flags.\n--json '{{…}}' gives the whole input of a command, --json - reads it from stdin.\n\nCommands:\n{lines}"
    )
}

fn line(name: &str, tool: &Tool) -> String {
    let sentence = first(&plain_text(&tool.description));
    let sentence = sentence.strip_suffix('.').unwrap_or(&sentence);
    if sentence.is_empty() { format!("{name}\n") } else { format!("{name}: {sentence}\n") }
}

/// How one subcommand is called.
#[must_use]
pub fn of_tool(command: &str, subcommand: &str, tool: &Tool) -> String {
    let flags = Flags::of(tool);
    let (required, optional): (Vec<&Flag<'_>>, Vec<&Flag<'_>>) = flags.list.iter().partition(|flag| flag.property.required);
    let mut text = String::new();
    if !tool.description.trim().is_empty() {
        text.push_str(tool.description.trim());
        text.push_str("\n\n");
    }
    if let Some(hints) = hints(tool) {
        text.push_str(&format!("{hints}\n\n"));
    }
    text.push_str(&format!("Usage: {command} {subcommand}"));
    for flag in &required {
        text.push_str(&format!(" {}", usage(flag, flags.root)));
    }
    text.push_str(if optional.is_empty() { "\n" } else { " [flags]\n" });
    for (title, list) in [("Required", required), ("Optional", optional)] {
        if !list.is_empty() {
            text.push_str(&format!("\n{title}:\n"));
            for flag in list {
                text.push_str(&entry(flag, flags.root));
            }
        }
    }
    text.push_str("\nGlobal:\n  --json <object>  the whole input as JSON; - reads it from stdin\n  --help  this text\n");
    text.push_str(&format!("\nExample:\n  {command} {subcommand}{}\n", example(&flags)));
    text
}

/// What the annotations say that somebody should know before calling.
fn hints(tool: &Tool) -> Option<String> {
    if tool.hint("readOnlyHint") == Some(true) {
        return Some("Only reads.".to_owned());
    }
    (tool.hint("destructiveHint") == Some(true)).then(|| "May destroy or overwrite.".to_owned())
}

fn usage(flag: &Flag<'_>, root: &Value) -> String {
    if flag.accepts.is_switch() && flag.accepts.values.is_none() {
        format!("--{}", flag.name)
    } else {
        format!("--{} <{}>", flag.name, kind(flag, root))
    }
}

/// The type of a flag's value, as short as a line of help wants it.
fn kind(flag: &Flag<'_>, root: &Value) -> String {
    let words = flag.accepts.in_words(root);
    if words.chars().count() > 120 { words.chars().take(119).chain(['…']).collect() } else { words }
}

fn entry(flag: &Flag<'_>, root: &Value) -> String {
    let schema = resolve(root, flag.property.schema);
    let described = [flag.property.schema, schema].iter().find_map(|schema| schema.get("description").and_then(Value::as_str));
    let mut line = format!("  {}", usage(flag, root));
    if flag.accepts.is_switch() && flag.property.required {
        line.push_str(&format!(" | --no-{}", flag.name));
    }
    let facts = facts(flag, schema);
    let description = described.map(one_line).filter(|text| !text.is_empty());
    for part in [description, (!facts.is_empty()).then(|| format!("({})", facts.join("; ")))].into_iter().flatten() {
        line.push_str(&format!("  {part}"));
    }
    line.push('\n');
    line
}

/// Bounds and defaults in words.
fn facts(flag: &Flag<'_>, schema: &Value) -> Vec<String> {
    let mut facts = Vec::new();
    if flag.accepts.array {
        facts.push("repeat the flag, or one JSON array".to_owned());
    }
    facts.extend(bounds(schema));
    if let Some(default) = flag.property.schema.get("default").or_else(|| schema.get("default")) {
        facts.push(format!("default {}", plain(default)));
    }
    facts
}

/// What a schema asks of a value beside its type, in words.
pub(crate) fn bounds(schema: &Value) -> Vec<String> {
    let mut bounds = Vec::new();
    for (key, words) in [
        ("minimum", "at least"),
        ("exclusiveMinimum", "more than"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "less than"),
        ("multipleOf", "multiple of"),
        ("minLength", "shortest"),
        ("maxLength", "longest"),
        ("pattern", "matches"),
        ("format", "format"),
        ("minItems", "items at least"),
        ("maxItems", "items at most"),
    ] {
        if let Some(value) = schema.get(key) {
            bounds.push(format!("{words} {}", plain(value)));
        }
    }
    bounds
}

/// The arguments of an example: the required flags, or the first optional one.
fn example(flags: &Flags<'_>) -> String {
    let required: Vec<&Flag<'_>> = flags.list.iter().filter(|flag| flag.property.required).collect();
    let shown = if required.is_empty() { flags.list.iter().take(1).collect() } else { required };
    shown.into_iter().map(|flag| format!(" {}", example_of(flag, flags.root))).collect()
}

fn example_of(flag: &Flag<'_>, root: &Value) -> String {
    let value = example_value(root, flag.property.schema, 0);
    match &value {
        Value::Bool(true) => format!("--{}", flag.name),
        Value::Bool(false) => format!("--{} false", flag.name),
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => {
            items.iter().map(|item| format!("--{} {}", flag.name, quote(&plain(item)))).collect::<Vec<_>>().join(" ")
        }
        _ => format!("--{} {}", flag.name, if value.is_number() { value.to_string() } else { quote(&plain(&value)) }),
    }
}

/// A value that the schema takes, its own examples first.
pub(crate) fn example_value(root: &Value, schema: &Value, depth: usize) -> Value {
    let target = resolve(root, schema);
    let accepts = Accepts::of(root, schema);
    let given = [schema, target].into_iter().flat_map(|schema| {
        let examples = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
        examples.chain(schema.get("example")).chain(schema.get("default")).collect::<Vec<_>>()
    });
    let listed = accepts.values.iter().flatten().copied();
    if let Some(value) = given.chain(listed).find(|value| !value.is_null() && check(root, schema, value).is_ok()) {
        return value.clone();
    }
    if depth > 4 {
        return Value::Null;
    }
    let least = |key: &str| target.get(key).and_then(Value::as_f64);
    if accepts.string {
        return string_example(target).into();
    }
    if accepts.integer || accepts.number {
        let low = least("minimum").or(least("exclusiveMinimum").map(|bound| bound.floor() + 1.0));
        let high = least("maximum").or(least("exclusiveMaximum").map(|bound| bound.ceil() - 1.0));
        let step = least("multipleOf").filter(|step| *step > 0.0).unwrap_or(1.0);
        let wanted = low.unwrap_or(1.0).max(high.map_or(5.0, |high| high.min(5.0)));
        let value = (wanted / step).ceil() * step;
        return if value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
    }
    if accepts.boolean {
        return true.into();
    }
    if accepts.array {
        let count = least("minItems").unwrap_or(1.0).clamp(1.0, 3.0) as usize;
        let item = accepts.items.map_or_else(|| "text".into(), |items| example_value(root, items, depth + 1));
        return vec![item; count].into();
    }
    if accepts.object {
        let fields = crate::object::properties(target)
            .into_iter()
            .filter(|property| property.required)
            .map(|property| (property.name.to_owned(), example_value(root, property.schema, depth + 1)));
        return Value::Object(fields.collect());
    }
    Value::Null
}

fn string_example(schema: &Value) -> String {
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T09:00:00Z",
        Some("time") => "09:00:00",
        Some("email") => "ada@example.com",
        Some("uri" | "url") => "https://example.com",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        Some("ipv4") => "192.0.2.1",
        _ => "text",
    };
    let length = |key: &str| schema.get(key).and_then(Value::as_u64).map(|length| length.min(200) as usize);
    let mut text = text.to_owned();
    while text.len() < length("minLength").unwrap_or(0) {
        text.push('x');
    }
    if let Some(most) = length("maxLength") {
        text.truncate(most);
    }
    text
}

/// A text as a POSIX shell reads it back, in double quotes where that is safe.
pub(crate) fn quote(text: &str) -> String {
    if text.contains(['$', '`', '\\', '"', '!', '\n']) { format!("'{}'", text.replace('\'', r"'\''")) } else { format!("\"{text}\"") }
}
