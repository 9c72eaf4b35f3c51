//! The client in TypeScript: a module whose types can be stripped, its declarations, and a module with the place and token of the bridge.
//!
//! It imports nothing by a name that a type checker would follow, so it passes `tsc --strict` with whatever libraries a program has.

use std::collections::HashSet;

use serde_json::Value;

use super::code::{Function, Written, columns, documentation, escaped, listed, printable, typed_output};
use super::identifiers::{Scope, camel, free_in_typescript, is_plain, kept, pascal};
use super::types::{Field, Object, Type, Types};
use super::{Bridge, File};
use crate::tool::Tool;

/// Columns of a line of code, as formatters have it.
const WIDTH: usize = 80;

const RUNTIME: &str = include_str!("runtime.ts");

/// Names of types that are there already, or that the code uses.
pub(crate) const RESERVED: [&str; 13] = [
    "AbortSignalLike",
    "Array",
    "CallOptions",
    "Error",
    "JSON",
    "Notice",
    "Object",
    "Omit",
    "PreviewError",
    "Promise",
    "Record",
    "String",
    "ToolError",
];

pub(crate) fn files(module: &str, functions: &[Function], bridge: &Bridge) -> Vec<File> {
    let secrets = format!(".{module}.mjs");
    let head = format!("// The tools of the snugfit session {module}. Generated; written anew whenever the session starts.\n\n");
    let join = |parts: Vec<&str>| parts.join("\n");
    let code = functions.iter().map(|function| function.definition.as_str()).chain([RUNTIME]).collect();
    let types = declared_runtime();
    let declarations = functions.iter().map(|function| function.declaration.as_str()).chain([types.as_str()]).collect();
    let place = format!("export const url = {};\nexport const token = {};\n", quote(&bridge.url), quote(&bridge.token));
    vec![
        File { path: format!("{module}.ts"), content: head.clone() + &join(code).replace("@secrets@", &secrets), mode: 0o600 },
        File { path: format!("{module}.d.ts"), content: head + &join(declarations), mode: 0o600 },
        File { path: secrets, content: place, mode: 0o600 },
    ]
}

/// What of the runtime a program sees: the types before its first function, without the bodies of constructors.
fn declared_runtime() -> String {
    let public = RUNTIME.split("/** Calls a tool;").next().unwrap_or_default().trim_end();
    let mut out = String::with_capacity(public.len());
    let mut in_body = false;
    for line in public.lines() {
        if in_body {
            in_body = line != "  }";
            continue;
        }
        in_body = line.starts_with("  constructor(");
        let line = if in_body { line.replace(") {", ");") } else { line.replace("export class", "export declare class") };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

pub(crate) fn write(tools: &[Tool], names: &[String]) -> Vec<Written> {
    let mut scope = Scope::with(RESERVED);
    tools.iter().zip(names).map(|(tool, name)| Writer::new(tool, name, &mut scope).write()).collect()
}

/// Types with the names that they have in the module.
struct Spelling<'t> {
    types: Types<'t>,
    names: Vec<String>,
}

impl<'t> Spelling<'t> {
    fn new(types: Types<'t>, base: &str, whole: &str, scope: &mut Scope) -> Self {
        let names = types
            .named
            .iter()
            .enumerate()
            .map(|(number, named)| scope.take(&format!("{base}{}", if number == 0 { whole.to_owned() } else { pascal(&named.hint) })))
            .collect();
        Self { types, names }
    }

    /// The name of the schema as a whole.
    fn name(&self) -> &str {
        &self.names[0]
    }

    /// The declarations of all types.
    fn declarations(&self) -> String {
        self.types.named.iter().zip(&self.names).map(|(named, name)| self.declaration(name, &named.of)).collect()
    }

    fn declaration(&self, name: &str, of: &Type<'_>) -> String {
        if let Type::Object(object) = of
            && !object.fields.is_empty()
        {
            return format!("export interface {name} {}\n\n", self.object(object, 0));
        }
        let head = format!("export type {name} =");
        let used = columns(&head) + 1;
        if let Type::Union(parts) = of
            && !hugs(parts)
            && self.line(of, 0, (WIDTH - 1).saturating_sub(used)).is_none()
            && let Some(line) = self.line(of, 2, WIDTH - 3)
        {
            return format!("{head}\n  {line};\n\n");
        }
        format!("{head}{};\n\n", after(&self.spell(of, 0, used)))
    }

    /// A type as code; `used` columns stand on its first line already. A broken union begins on a line of its own.
    fn spell(&self, of: &Type<'_>, indent: usize, used: usize) -> String {
        match of {
            Type::Any => "unknown".to_owned(),
            Type::Null => "null".to_owned(),
            Type::Boolean => "boolean".to_owned(),
            Type::Integer | Type::Number => "number".to_owned(),
            Type::String => "string".to_owned(),
            Type::Literal(Value::String(text)) => quote(text),
            Type::Literal(value) => value.to_string(),
            Type::Named(number) => self.names[*number].clone(),
            Type::Array(items) => self.array(items, indent, used),
            Type::Object(object) => self.object(object, indent),
            Type::Union(parts) => self.union(parts, indent, used),
            Type::All(parts) => {
                let spelled = |part: &Type<'_>| match part {
                    Type::Union(_) => format!("({})", self.flat(part, indent)),
                    part => self.flat(part, indent),
                };
                parts.iter().map(spelled).collect::<Vec<_>>().join(" & ")
            }
        }
    }

    /// A type that begins on the line on which it stands.
    fn flat(&self, of: &Type<'_>, indent: usize) -> String {
        match of {
            Type::Union(parts) => self.parts(parts, indent).join(" | "),
            of => self.spell(of, indent, 0),
        }
    }

    fn parts(&self, parts: &[Type<'_>], indent: usize) -> Vec<String> {
        let mut seen = HashSet::new();
        parts.iter().map(|part| self.flat(part, indent)).filter(|part| seen.insert(part.clone())).collect()
    }

    /// A type on one line of at most `room` columns, if it goes on one. It looks no further than that, so that trying a line at every level
    /// of a type costs no more than its size.
    fn line(&self, of: &Type<'_>, indent: usize, room: usize) -> Option<String> {
        let line = match of {
            Type::Object(Object { fields, .. }) if !fields.is_empty() => return None,
            Type::Object(Object { rest: Some(rest), .. }) if **rest != Type::Any => {
                format!("{{ [key: string]: {} }}", self.line(rest, indent + 2, room.min(short(indent)))?)
            }
            Type::Array(items) if is_simple(items) => format!("{}[]", self.line(items, indent, room)?),
            Type::Array(items) => format!("Array<{}>", self.line(items, indent, room)?),
            Type::Union(parts) => self.joined(parts, " | ", indent, room)?,
            Type::All(parts) => self.joined(parts, " & ", indent, room)?,
            of => self.spell(of, indent, 0),
        };
        (columns(&line) <= room).then_some(line)
    }

    /// Types on one line, each once.
    fn joined(&self, parts: &[Type<'_>], with: &str, indent: usize, room: usize) -> Option<String> {
        let mut seen = HashSet::new();
        let mut out = String::new();
        for part in parts {
            let line = self.line(part, indent, room)?;
            let line = if with == " & " && matches!(part, Type::Union(_)) { format!("({line})") } else { line };
            if seen.insert(line.clone()) {
                out.push_str(if out.is_empty() { "" } else { with });
                out.push_str(&line);
                if columns(&out) > room {
                    return None;
                }
            }
        }
        Some(out)
    }

    fn union(&self, parts: &[Type<'_>], indent: usize, used: usize) -> String {
        if hugs(parts) {
            return self.parts(parts, indent).join(" | ");
        }
        if let Some(line) = self.joined(parts, " | ", indent, (WIDTH - 1).saturating_sub(used)) {
            return line;
        }
        let margin = " ".repeat(indent + 2);
        self.parts(parts, indent + 4).iter().map(|part| format!("\n{margin}| {part}")).collect()
    }

    fn array(&self, items: &Type<'_>, indent: usize, used: usize) -> String {
        if is_simple(items) {
            return format!("{}[]", self.spell(items, indent, used));
        }
        let used = used + "Array<>".len();
        let Type::Union(parts) = items else { return format!("Array<{}>", self.spell(items, indent, used)) };
        if hugs(parts) {
            return format!("Array<{}>", self.spell(items, indent, used));
        }
        if let Some(line) = self.line(items, indent, (WIDTH - 1).saturating_sub(used)) {
            return format!("Array<{line}>");
        }
        let margin = " ".repeat(indent);
        match self.line(items, indent + 2, (WIDTH - 2).saturating_sub(indent)) {
            Some(line) => format!("Array<\n{margin}  {line}\n{margin}>"),
            None => format!("Array<{}\n{margin}>", self.union(parts, indent, WIDTH)),
        }
    }

    fn object(&self, Object { fields, rest }: &Object<'_>, indent: usize) -> String {
        let margin = " ".repeat(indent + 2);
        match (fields.is_empty(), rest) {
            (true, None) => return "Record<string, never>".to_owned(),
            (true, Some(rest)) if **rest == Type::Any => return "Record<string, unknown>".to_owned(),
            (true, Some(rest)) => {
                // An alias may contain itself here, but not in a `Record`.
                if let Some(line) = self.line(rest, indent + 2, short(indent)) {
                    return format!("{{ [key: string]: {line} }}");
                }
                let inner = self.spell(rest, indent + 2, indent + "  [key: string]: ;".len());
                return format!("{{\n{margin}[key: string]:{};\n{}}}", after(&inner), " ".repeat(indent));
            }
            _ => {}
        }
        let mut out = "{\n".to_owned();
        for field in fields {
            out.push_str(&doc(&field.doc, indent + 2));
            let head = format!("{margin}{}{}:", key(field.name), if field.required { "" } else { "?" });
            out.push_str(&format!("{head}{};\n", after(&self.spell(&field.of, indent + 2, columns(&head) + 2))));
        }
        if rest.is_some() {
            out.push_str(&format!("{margin}[key: string]: unknown;\n"));
        }
        out + &" ".repeat(indent) + "}"
    }
}

/// Whether a union stays together around the one object that it has.
fn hugs(parts: &[Type<'_>]) -> bool {
    let objects = parts.iter().filter(|part| matches!(part, Type::Object(object) if !object.fields.is_empty())).count();
    let nulls = parts.iter().filter(|part| **part == Type::Null).count();
    objects == 1 && nulls + 1 == parts.len()
}

/// Whether an array of it is `T[]`.
fn is_simple(items: &Type<'_>) -> bool {
    !matches!(items, Type::Union(_) | Type::All(_) | Type::Object(_))
}

/// Columns of what an object of unnamed fields may hold for it to stand on one line.
fn short(indent: usize) -> usize {
    (WIDTH / 2 - 1).saturating_sub(indent)
}

/// A type behind a colon or an equals sign.
fn after(spelled: &str) -> String {
    if spelled.starts_with('\n') { spelled.to_owned() } else { format!(" {spelled}") }
}

struct Writer<'t> {
    tool: &'t Tool,
    name: &'t str,
    input: Spelling<'t>,
    /// With the name of the type of the typed variant.
    output: Option<(Spelling<'t>, String)>,
}

impl<'t> Writer<'t> {
    fn new(tool: &'t Tool, name: &'t str, scope: &mut Scope) -> Self {
        let base = pascal(name);
        let input = Spelling::new(Types::of_input(&tool.input_schema), &base, "Args", scope);
        let output =
            typed_output(tool).map(|schema| (Spelling::new(Types::of(schema), &base, "Result", scope), scope.take(&format!("{base}Json"))));
        Self { tool, name, input, output }
    }

    fn write(&self) -> Written {
        let fields = match self.input.types.root() {
            Type::Object(object) => Some(object),
            _ => None,
        };
        let positional = fields.map_or_else(Vec::new, |object| self.positional(object));
        let others = fields.is_some_and(|object| !positional.is_empty() && positional.len() < object.fields.len());
        let signatures = self.signatures(&positional, others);

        let mut types = self.input.declarations();
        if let Some((output, json)) = &self.output {
            types.push_str(&output.declarations());
            let result = format!("Promise<{}>", output.name());
            let calls: String = signatures.iter().map(|parameters| signature("", parameters, &result, 2)).collect();
            types.push_str(&format!("/** Parses the result of `{}`; rejects with a `PreviewError` where that is only a preview. */\nexport interface {json} {{\n{calls}}}\n\n", self.name));
        }
        let documented = doc(&documentation(self.tool, self.name), 0);
        let overloads = |head: &str| -> String {
            let head = format!("{head} {}", self.name);
            signatures.iter().map(|parameters| signature(&head, parameters, "Promise<string>", 0)).collect()
        };
        let (tool, list) = (quote(&self.tool.name), list(&positional.iter().map(|(_, field)| quote(field.name)).collect::<Vec<_>>()));
        let body = call("return _call", &[&tool, &list, &others.to_string(), "given"], "", 2);
        let mut definition = format!(
            "{types}{documented}{}{} {{\n{body}}}\n",
            overloads("export function"),
            signature(&format!("export function {}", self.name), &["...given: unknown[]".to_owned()], "Promise<string>", 0)
                .trim_end_matches(";\n")
        );
        let mut declaration = format!("{types}{documented}{}", overloads("export declare function"));
        if let Some((_, json)) = &self.output {
            let make = format!("{}.json = _json", self.name);
            definition.push_str(&call(&make, &[&tool, &list, &others.to_string()], &format!(" as {json}"), 0));
            declaration.push_str(&format!("export declare namespace {} {{\n  const json: {json};\n}}\n", self.name));
        }
        Written {
            call: self.call(&positional),
            typed: self.output.as_ref().map(|_| format!("{}.json", self.name)),
            declaration,
            definition,
        }
    }

    /// The fields that may be given by their place, with the names of their parameters: those required, where they are one or two and the
    /// first is no object, from which it could not be told.
    fn positional<'a>(&self, object: &'a Object<'t>) -> Vec<(String, &'a Field<'t>)> {
        let required: Vec<&Field<'_>> = object.fields.iter().filter(|field| field.required).collect();
        let told = required.first().is_some_and(|first| !self.input.types.takes_objects(&first.of));
        if object.rest.is_some() || required.len() > 2 || !told {
            return Vec::new();
        }
        let mut scope = Scope::with(["args", "call", "options"]);
        required.into_iter().map(|field| (scope.take(&free_in_typescript(camel(field.name))), field)).collect()
    }

    /// The parameters of each way to call.
    fn signatures(&self, positional: &[(String, &Field<'_>)], others: bool) -> Vec<Vec<String>> {
        let args = self.input.name();
        let takes_nothing =
            self.input.types.object(self.input.types.root()).is_some_and(|object| object.fields.iter().all(|field| !field.required));
        let in_one = vec![format!("args{}: {args}", if takes_nothing { "?" } else { "" }), "call?: CallOptions".to_owned()];
        if positional.is_empty() {
            return vec![in_one];
        }
        let mut by_place: Vec<String> = positional
            .iter()
            .map(|(name, field)| match self.input.line(&field.of, 0, WIDTH / 2) {
                Some(of) => format!("{name}: {of}"),
                None => format!("{name}: {args}[{}]", quote(field.name)),
            })
            .collect();
        if others {
            let names = positional.iter().map(|(_, field)| quote(field.name)).collect::<Vec<_>>().join(" | ");
            by_place.push(format!("options?: Omit<{args}, {names}>"));
        }
        by_place.push("call?: CallOptions".to_owned());
        vec![by_place, in_one]
    }

    /// How the function is called, in short: by the names that its signature has.
    fn call(&self, positional: &[(String, &Field<'_>)]) -> String {
        let fields = self.input.types.object(self.input.types.root()).unwrap_or_default().fields;
        let mut arguments: Vec<String> = positional.iter().map(|(name, _)| name.clone()).collect();
        let others: Vec<String> = fields
            .iter()
            .filter(|field| positional.iter().all(|(_, taken)| taken.name != field.name))
            .map(|field| format!("{}{}", key(field.name), if field.required { "" } else { "?" }))
            .collect();
        if !others.is_empty() {
            arguments.push(format!("{{ {} }}", listed(&others)));
        }
        format!("{}({})", self.name, arguments.join(", "))
    }
}

/// A signature, its parameters one a line where they do not fit on one.
fn signature(head: &str, parameters: &[String], result: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let line = format!("{margin}{head}({}): {result};", parameters.join(", "));
    if columns(&line) <= WIDTH {
        return line + "\n";
    }
    // No comma may follow a rest parameter.
    let comma = |parameter: &str| if parameter.starts_with("...") { "" } else { "," };
    let broken: String = parameters.iter().map(|parameter| format!("{margin}  {parameter}{}\n", comma(parameter))).collect();
    format!("{margin}{head}(\n{broken}{margin}): {result};\n")
}

/// A statement that calls a function, its arguments one a line where they do not fit on one.
fn call(head: &str, arguments: &[&str], end: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let line = format!("{margin}{head}({}){end};", arguments.join(", "));
    if columns(&line) <= WIDTH {
        return line + "\n";
    }
    let broken: String = arguments.iter().map(|argument| format!("{margin}  {argument},\n")).collect();
    format!("{margin}{head}(\n{broken}{margin}){end};\n")
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}

/// A comment of documentation, or nothing.
fn doc(text: &str, indent: usize) -> String {
    if text.is_empty() {
        return String::new();
    }
    let margin = " ".repeat(indent);
    // Nothing may end the comment, or tell a compiler what to overlook.
    let text = printable(text).replace("*/", "*\\/").replace("@ts-", "ts-");
    if !text.contains('\n') {
        return format!("{margin}/** {text} */\n");
    }
    let lines: String = text.lines().map(|line| format!("{margin} * {line}").trim_end().to_owned() + "\n").collect();
    format!("{margin}/**\n{lines}{margin} */\n")
}

/// The name of a field.
fn key(name: &str) -> String {
    if is_plain(name) || kept(name) == name { name.to_owned() } else { quote(name) }
}

/// A text as a literal, in the quotes that need fewer escapes.
pub(crate) fn quote(text: &str) -> String {
    let quoted = escaped(text);
    if text.matches('"').count() <= text.matches('\'').count() {
        return quoted;
    }
    format!("'{}'", quoted[1..quoted.len() - 1].replace("\\\"", "\"").replace('\'', "\\'"))
}
