//! The client in Python: a module for 3.9 and newer with nothing but the standard library, and a file with the place and token of the bridge.
//!
//! Objects are `TypedDict`s, by a class where their fields are identifiers, else by a call. Annotations are never evaluated; what is (aliases,
//! calls of `TypedDict`) names other types in quotes, so that no order matters.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::code::{Function, Written, columns, documentation, escaped, listed, printable, typed_output};
use super::identifiers::{Scope, free_in_python, is_plain, kept, pascal};
use super::types::{Field, Object, Type, Types};
use super::{Bridge, File};
use crate::tool::Tool;

/// Columns of a line of code, as formatters have it.
const WIDTH: usize = 88;

const RUNTIME: &str = include_str!("runtime.py");

const HEAD: &str = "\
from __future__ import annotations

import http.client as _http
import json as _json
import os as _os
import socket as _socket
from typing import Any, Dict, List, Literal, Optional, Tuple, TypedDict, Union


";

/// Names of the module's own, and those that annotations use.
pub(crate) const RESERVED: [&str; 19] = [
    "Any",
    "Dict",
    "List",
    "Literal",
    "Optional",
    "Tuple",
    "TypedDict",
    "Union",
    "Unset",
    "UNSET",
    "ToolError",
    "PreviewError",
    "Exception",
    "OSError",
    "RecursionError",
    "TypeError",
    "ValueError",
    "ConnectionRefusedError",
    "NotImplemented",
];

/// Fields of these names would hide in a class what its annotations mean.
const IN_ANNOTATIONS: [&str; 12] =
    ["Any", "Dict", "List", "Literal", "Optional", "Union", "bool", "float", "int", "str", "None", "TypedDict"];

/// So many types and fields are looked into for one schema; objects beyond hold anything.
const MOST_FIELDS: usize = 100_000;
/// The name of a type inside another is its way there, as far as it is this long.
const MOST_PATH: usize = 100;

/// Parameters of our own.
const PARAMETERS: [&str; 7] = ["_timeout", "_extra", "_call", "_call_json", "UNSET", "Unset", "result"];

pub(crate) fn files(module: &str, functions: &[Function], bridge: &Bridge) -> Vec<File> {
    let secrets = format!(".{module}.json");
    let mut content =
        format!("\"\"\"The tools of the snugfit session {module}. Generated; written anew whenever the session starts.\"\"\"\n\n{HEAD}");
    content.push_str(&RUNTIME.replace("@secrets@", &secrets));
    for function in functions {
        content.push_str(&format!("\n\n{}", function.definition));
    }
    let place = serde_json::json!({ "url": bridge.url, "token": bridge.token }).to_string() + "\n";
    vec![File { path: format!("{module}.py"), content, mode: 0o600 }, File { path: secrets, content: place, mode: 0o600 }]
}

pub(crate) fn write(tools: &[Tool], names: &[String]) -> Vec<Written> {
    let mut scope = Scope::with(RESERVED.into_iter().chain(names.iter().map(String::as_str)));
    let typed: Vec<Option<String>> = tools
        .iter()
        .zip(names)
        .map(|(tool, name)| typed_output(tool).map(|_| scope.take(&format!("{}_json", name.trim_end_matches('_')))))
        .collect();
    tools.iter().zip(names).zip(typed).map(|((tool, name), typed)| write_tool(tool, name, typed, &mut scope)).collect()
}

fn write_tool(tool: &Tool, name: &str, typed: Option<String>, scope: &mut Scope) -> Written {
    let base = pascal(name);
    let output = typed_output(tool).zip(typed).map(|(schema, typed)| {
        let mut output = Spelling::new(Types::of(schema), &base, "Result", scope);
        let result = output.spell(&Type::Named(0), "Result", false);
        (typed, result, output.finish())
    });
    let mut input = Spelling::new(Types::of_input(&tool.input_schema), &base, "Args", scope);
    let object = input.types.object(&Type::Named(0));
    let open = object.is_none();
    let Object { fields, rest } = object.unwrap_or_default();
    // The parameters that every call needs come first.
    let (required, optional): (Vec<Field<'_>>, Vec<Field<'_>>) = fields.into_iter().partition(|field| field.required);
    // The typed variant names its result where a parameter would hide what it means.
    let result = output.iter().flat_map(|(_, result, _)| result.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    let mut own = Scope::with(PARAMETERS.into_iter().chain(result));
    let parameters: Vec<Parameter> =
        required.into_iter().chain(optional).map(|field| Parameter::of(&field, &mut own, &mut input)).collect();
    let extra = if open { Some("Any".to_owned()) } else { rest.map(|rest| input.spell(&rest, "Extra", false)) };
    let input_types = input.finish();

    let arguments = arguments(tool, &parameters, extra.is_some());
    let said = documentation(tool, name);
    let head = signature(name, &parameters, extra.as_deref(), "str");
    let mut declaration = format!("{input_types}{head}{}", docstring(&said, &parameters));
    let mut definition = format!("{declaration}{}", call("return _call", &arguments));
    if let Some((typed, result, types)) = &output {
        let head = signature(typed, &parameters, extra.as_deref(), result);
        let said = format!("Parses the result of {name}; raises PreviewError where that is only a preview.");
        let call = call(&format!("result: {result} = _call_json"), &arguments);
        definition.push_str(&format!("\n\n{types}{head}{}{call}    return result\n", docstring(&said, &[])));
        // What the help shows is to stand in the module in one piece, and between the two there is a body.
        declaration.clone_from(&definition);
    }
    let shown: Vec<String> =
        parameters.iter().map(|parameter| format!("{}{}", parameter.name, if parameter.required { "" } else { "?" })).collect();
    let typed = output.map(|(typed, _, _)| typed);
    Written { call: format!("{name}({})", listed(&shown)), typed, declaration, definition }
}

/// A parameter of a function.
struct Parameter {
    name: String,
    property: String,
    annotation: String,
    required: bool,
    /// `None` is a value; what was not given is `UNSET`.
    nullable: bool,
    doc: String,
}

impl Parameter {
    fn of<'t>(field: &Field<'t>, own: &mut Scope, input: &mut Spelling<'t, '_>) -> Self {
        let name = own.take(&free_in_python(kept(field.name)));
        let spelled = input.spell(&field.of, &pascal(field.name), false);
        let nullable = input.types.takes_null(&field.of);
        let annotation = match (field.required, nullable) {
            (true, _) => spelled,
            (false, true) if spelled == "Any" => spelled,
            (false, true) => format!("Union[{spelled}, Unset]"),
            (false, false) => format!("Optional[{spelled}]"),
        };
        Self { name, property: field.name.to_owned(), annotation, required: field.required, nullable, doc: field.doc.clone() }
    }

    fn declared(&self) -> String {
        let default = match (self.required, self.nullable) {
            (true, _) => "",
            (false, true) => " = UNSET",
            (false, false) => " = None",
        };
        format!("{}: {}{default}", self.name, self.annotation)
    }
}

/// The line that begins a function. Up to two parameters that every call needs may be given by their place.
fn signature(name: &str, parameters: &[Parameter], extra: Option<&str>, result: &str) -> String {
    let required = parameters.iter().filter(|parameter| parameter.required).count();
    let mut list: Vec<String> = parameters.iter().map(Parameter::declared).collect();
    list.insert(if required <= 2 { required } else { 0 }, "*".to_owned());
    list.push("_timeout: Optional[float] = None".to_owned());
    list.extend(extra.map(|of| format!("**_extra: {of}")));
    let line = format!("def {name}({}) -> {result}:", list.join(", "));
    if columns(&line) <= WIDTH {
        return line + "\n";
    }
    let broken: String = list.iter().map(|parameter| format!("    {parameter},\n")).collect();
    format!("def {name}(\n{broken}) -> {result}:\n")
}

/// What the function hands on: the tool, its input, the fields of which `None` is a value, and the time.
fn arguments(tool: &Tool, parameters: &[Parameter], extra: bool) -> [String; 4] {
    let mut fields: Vec<String> = extra.then(|| "**_extra".to_owned()).into_iter().collect();
    fields.extend(parameters.iter().map(|parameter| format!("{}: {}", escaped(&parameter.property), parameter.name)));
    let line = format!("{{{}}}", fields.join(", "));
    let input = if columns(&line) + 8 <= WIDTH {
        line
    } else {
        format!("{{\n{}        }}", fields.iter().map(|field| format!("            {field},\n")).collect::<String>())
    };
    let nullable = parameters.iter().filter(|parameter| parameter.nullable).map(|parameter| escaped(&parameter.property));
    // What comes beside the parameters is given on purpose, `None` as well.
    let nullable: Vec<String> = nullable.chain(extra.then(|| "*_extra".to_owned())).collect();
    let nullable = match &nullable[..] {
        [] => "()".to_owned(),
        [only] => format!("({only},)"),
        several => format!("({})", several.join(", ")),
    };
    [escaped(&tool.name), input, nullable, "_timeout".to_owned()]
}

fn call(head: &str, arguments: &[String; 4]) -> String {
    let line = format!("    {head}({})", arguments.join(", "));
    if !line.contains('\n') && columns(&line) <= WIDTH {
        return line + "\n";
    }
    let broken: String = arguments.iter().map(|argument| format!("        {argument},\n")).collect();
    format!("    {head}(\n{broken}    )\n")
}

/// What a function is for, and each of its parameters.
fn docstring(said: &str, parameters: &[Parameter]) -> String {
    let mut text = said.to_owned();
    let described: Vec<&Parameter> = parameters.iter().filter(|parameter| !parameter.doc.is_empty()).collect();
    if !described.is_empty() {
        let gap = if text.is_empty() { "Args:\n" } else { "\n\nArgs:\n" };
        text.push_str(gap);
        text.push_str(
            &described.iter().map(|parameter| format!("    {}: {}", parameter.name, parameter.doc)).collect::<Vec<_>>().join("\n"),
        );
    }
    if text.is_empty() { String::new() } else { documented(&text, 4) }
}

/// A text as a string on lines of its own.
fn documented(text: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let text = printable(text).replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    let mut lines = text.lines();
    let mut out = format!("{margin}\"\"\"{}", lines.next().unwrap_or_default().trim_end());
    let mut several = false;
    for line in lines {
        several = true;
        out.push('\n');
        if !line.trim().is_empty() {
            out.push_str(&format!("{margin}{}", line.trim_end()));
        }
    }
    if several {
        out.push_str(&format!("\n{margin}"));
    } else if text.ends_with('"') {
        // A quote at the end would end the text early.
        out.push(' ');
    }
    out + "\"\"\"\n"
}

/// Types as Python spells them, and the classes that they need.
struct Spelling<'t, 's> {
    types: Types<'t>,
    scope: &'s mut Scope,
    base: String,
    whole: &'s str,
    /// The names of the types that have one, once something refers to them.
    names: Vec<Option<String>>,
    /// The names of objects that are put together of others, which may contain themselves.
    composed: HashMap<String, String>,
    /// What is still to be declared, by name: one after the other, since an object may hold as many as it likes.
    waiting: Vec<(String, Type<'t>)>,
    /// Fields that may still be looked into: each object that is put together of others has all of theirs.
    left: usize,
    declarations: String,
}

impl<'t, 's> Spelling<'t, 's> {
    fn new(types: Types<'t>, base: &str, whole: &'s str, scope: &'s mut Scope) -> Self {
        let names = vec![None; types.named.len()];
        Self {
            types,
            scope,
            base: base.to_owned(),
            whole,
            names,
            composed: HashMap::new(),
            waiting: Vec::new(),
            left: MOST_FIELDS,
            declarations: String::new(),
        }
    }

    /// The declarations of all types that were spelled.
    fn finish(&mut self) -> String {
        while let Some((name, of)) = self.waiting.pop() {
            match self.dictionary(&of) {
                Some(object) => self.declare(&name, &object),
                None => {
                    let path = name.strip_prefix(&self.base).unwrap_or(&name).to_owned();
                    let spelled = self.spell(&of, &path, true);
                    // A name in quotes alone would be a text, and `None` a value.
                    let alias = if spelled.starts_with('"') || spelled == "None" { format!("Union[{spelled}]") } else { spelled };
                    self.declarations.push_str(&format!("{name} = {alias}\n\n\n"));
                }
            }
        }
        std::mem::take(&mut self.declarations)
    }

    /// The object of a type that is to be a `TypedDict`: whose fields are known, and no others.
    fn dictionary(&mut self, of: &Type<'t>) -> Option<Object<'t>> {
        if !matches!(of, Type::Object(_) | Type::All(_)) {
            return None;
        }
        self.types.object_while(of, &mut self.left).filter(is_dictionary)
    }

    /// A type as code; `path` names it if it needs a class. `quoted`: it is evaluated, so names are put in quotes.
    fn spell(&mut self, of: &Type<'t>, path: &str, quoted: bool) -> String {
        match of {
            Type::Any => "Any".to_owned(),
            Type::Null => "None".to_owned(),
            Type::Boolean => "bool".to_owned(),
            Type::Integer => "int".to_owned(),
            Type::Number => "float".to_owned(),
            Type::String => "str".to_owned(),
            Type::Literal(value) => format!("Literal[{}]", literal(value)),
            Type::Array(items) => format!("List[{}]", self.spell(items, &format!("{path}Item"), quoted)),
            Type::Union(parts) => self.union(parts, path, quoted),
            Type::Named(_) => self.named(of, path, quoted),
            Type::Object(Object { fields, rest: Some(rest) }) if fields.is_empty() => {
                format!("Dict[str, {}]", self.spell(rest, &format!("{path}Item"), quoted))
            }
            Type::Object(_) => match self.dictionary(of) {
                Some(object) => in_quotes(&self.later(path, object), quoted),
                None => "Dict[str, Any]".to_owned(),
            },
            Type::All(parts) => match self.types.object_while(of, &mut self.left) {
                Some(object) if is_dictionary(&object) => {
                    let key = format!("{of:?}");
                    if let Some(name) = self.composed.get(&key) {
                        return in_quotes(name, quoted);
                    }
                    let name = self.later(path, object);
                    self.composed.insert(key, name.clone());
                    in_quotes(&name, quoted)
                }
                Some(_) => "Dict[str, Any]".to_owned(),
                // The last part says most.
                None => parts.last().map_or_else(|| "Any".to_owned(), |part| self.spell(part, path, quoted)),
            },
        }
    }

    /// The name of an object that is declared later.
    fn later(&mut self, path: &str, object: Object<'t>) -> String {
        let path: String = path.chars().take(MOST_PATH).collect();
        let name = self.scope.take(&format!("{}{path}", self.base));
        self.waiting.push((name.clone(), Type::Object(object)));
        name
    }

    fn named(&mut self, of: &Type<'t>, path: &str, quoted: bool) -> String {
        let (target, Some(number)) = self.types.unnamed(of) else { return "Any".to_owned() };
        let target = target.clone();
        // A name would say less than the type.
        if !matches!(target, Type::Object(_) | Type::All(_) | Type::Union(_) | Type::Array(_)) {
            return self.spell(&target, path, quoted);
        }
        if self.names[number].is_none() {
            let hint = if number == 0 { self.whole.to_owned() } else { pascal(&self.types.named[number].hint) };
            self.names[number] = Some(self.scope.take(&format!("{}{hint}", self.base)));
            let name = self.names[number].clone().unwrap_or_default();
            self.waiting.push((name, target));
        }
        in_quotes(self.names[number].as_deref().unwrap_or("Any"), quoted)
    }

    fn union(&mut self, parts: &[Type<'t>], path: &str, quoted: bool) -> String {
        let literals: Vec<String> = parts
            .iter()
            .filter_map(|part| match part {
                Type::Literal(value) => Some(literal(value)),
                _ => None,
            })
            .collect();
        let mut spelled: Vec<String> = Vec::new();
        if !literals.is_empty() {
            spelled.push(format!("Literal[{}]", literals.join(", ")));
        }
        let mut seen = HashSet::new();
        for (at, part) in parts.iter().enumerate() {
            if !matches!(part, Type::Literal(_) | Type::Null) {
                let path = if matches!(part, Type::Object(_)) && at > 0 { format!("{path}{}", at + 1) } else { path.to_owned() };
                let part = self.spell(part, &path, quoted);
                if seen.insert(part.clone()) {
                    spelled.push(part);
                }
            }
        }
        let null = parts.contains(&Type::Null);
        match (&spelled[..], null) {
            ([], _) => "None".to_owned(),
            ([only], false) => only.clone(),
            ([only], true) => format!("Optional[{only}]"),
            (several, false) => format!("Union[{}]", several.join(", ")),
            (several, true) => format!("Union[{}, None]", several.join(", ")),
        }
    }

    /// Writes a `TypedDict`.
    fn declare(&mut self, name: &str, object: &Object<'t>) {
        let (required, optional): (Vec<&Field<'t>>, Vec<&Field<'t>>) = object.fields.iter().partition(|field| field.required);
        let (mut bases, mut own) = (Vec::new(), None);
        // One kind of fields is the class's own, if a class can hold it; the others come from a base.
        for (fields, total) in [(&required, true), (&optional, false)] {
            if fields.is_empty() {
                continue;
            }
            let last = !total || optional.is_empty();
            if last && (fields.iter().all(|field| fits_class(field.name)) || bases.is_empty()) {
                own = Some((fields, total));
            } else {
                let base = self.scope.take(&format!("_{name}{}", if total { "Required" } else { "Optional" }));
                let written = self.one(&base, fields, total, &[]);
                self.declarations.push_str(&format!("{written}\n\n"));
                bases.push(base);
            }
        }
        let written = match own {
            Some((fields, total)) => self.one(name, fields, total, &bases),
            None => format!("class {name}({}):\n    pass\n", bases.join(", ")),
        };
        self.declarations.push_str(&format!("{written}\n\n"));
    }

    /// A `TypedDict` with fields of one kind.
    fn one(&mut self, name: &str, fields: &[&Field<'t>], total: bool, bases: &[String]) -> String {
        let path = name.strip_prefix(&self.base).unwrap_or(name).trim_start_matches('_').to_owned();
        let class = fields.iter().all(|field| fits_class(field.name));
        let mut lines = String::new();
        for field in fields {
            let spelled = self.spell(&field.of, &format!("{path}{}", pascal(field.name)), !class);
            let margin = if class { "    " } else { "        " };
            if !field.doc.is_empty() {
                lines.push_str(&format!("{margin}#: {}\n", printable(&field.doc)));
            }
            if class {
                lines.push_str(&format!("{margin}{}: {spelled}\n", field.name));
            } else {
                lines.push_str(&format!("{margin}{}: {spelled},\n", escaped(field.name)));
            }
        }
        if class {
            let base = if bases.is_empty() { "TypedDict".to_owned() } else { bases.join(", ") };
            format!("class {name}({base}{}):\n{lines}", if total { "" } else { ", total=False" })
        } else {
            format!("{name} = TypedDict(\n    \"{name}\",\n    {{\n{lines}    }},\n{})\n", if total { "" } else { "    total=False,\n" })
        }
    }
}

/// Whether the fields of an object are known, and there are no others.
fn is_dictionary(object: &Object<'_>) -> bool {
    object.rest.is_none() && !object.fields.is_empty()
}

fn in_quotes(name: &str, quoted: bool) -> String {
    if quoted { format!("\"{name}\"") } else { name.to_owned() }
}

/// Whether a field can be one of a class: an identifier that means nothing else there, and whose name Python does not change.
fn fits_class(name: &str) -> bool {
    is_plain(name)
        && !name.contains('$')
        && !name.starts_with("__")
        && !IN_ANNOTATIONS.contains(&name)
        && free_in_python(name.to_owned()) == name
}

fn literal(value: &Value) -> String {
    match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => escaped(text),
        other => other.to_string(),
    }
}
