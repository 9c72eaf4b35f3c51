//! Tools as subcommands of one command: the one parser of their arguments, whatever shell they come from.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::accepts::Accepts;
use crate::check::check;
use crate::flags::{Flag, Flags, Meaning};
use crate::help;
use crate::names;
use crate::object::properties;
use crate::tool::{Tool, Tools};

/// What a list of arguments comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// A text to print.
    Help(String),
    /// A tool to run.
    Call {
        /// Its name, as its owner calls it.
        tool: String,
        /// Its input, a JSON object.
        input: String,
    },
    /// A mistake; the message says what was expected.
    Usage(String),
}

/// A command whose subcommands are tools.
#[derive(Debug, Clone)]
pub struct Command {
    name: String,
    tools: Tools,
    subcommands: Vec<String>,
    by_name: HashMap<String, usize>,
}

impl Command {
    /// The command `name`, which is made fit for a shell, with a subcommand for each tool.
    #[must_use]
    pub fn new(name: &str, tools: Tools) -> Self {
        let originals: Vec<&str> = tools.list().iter().map(|tool| tool.name.as_str()).collect();
        let subcommands = names::unique(&originals, names::kebab, "-", &[]);
        // The less a spelling is somebody's own, the later it counts: subcommands, then owners' names, then the snake form.
        let mut by_name = HashMap::new();
        let snakes = subcommands.iter().map(|name| name.replace('-', "_"));
        let spellings = subcommands.iter().cloned().enumerate();
        let spellings = spellings.chain(originals.iter().map(|&name| name.to_owned()).enumerate()).chain(snakes.enumerate());
        for (index, spelling) in spellings {
            by_name.entry(spelling).or_insert(index);
        }
        Self { name: names::command(name), tools, subcommands, by_name }
    }

    /// How a tool is called, by its owner's name: the command and its subcommand.
    #[must_use]
    pub fn call_of(&self, tool: &str) -> Option<String> {
        let index = self.tools.list().iter().position(|known| known.name == tool)?;
        Some(format!("{} {}", self.name, self.subcommands[index]))
    }

    /// The name, fit for a shell.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tools with the names of their subcommands, in order.
    pub fn subcommands(&self) -> impl ExactSizeIterator<Item = (&str, &Tool)> {
        self.subcommands.iter().map(String::as_str).zip(self.tools.list())
    }

    /// What arguments, without the command's own name, come to. `stdin` is what `--json -` reads.
    #[must_use]
    pub fn parse(&self, args: &[String], stdin: Option<&str>) -> Parsed {
        let Some((first, rest)) = args.split_first() else { return Parsed::Help(help::overview(self, false)) };
        if matches!(first.as_str(), "--help" | "-h") {
            return Parsed::Help(help::overview(self, false));
        }
        if let Some(index) = self.find(first) {
            return self.parse_call(index, rest, stdin);
        }
        match (first.as_str(), rest) {
            ("help", []) => Parsed::Help(help::overview(self, false)),
            ("help", [name, ..]) => self.find(name).map_or_else(|| self.unknown(name), |index| Parsed::Help(self.help(index))),
            _ => self.unknown(first),
        }
    }

    /// The help of a subcommand in any spelling; `None` where there is none such.
    #[must_use]
    pub fn help_of(&self, name: &str) -> Option<String> {
        self.find(name).map(|index| self.help(index))
    }

    fn help(&self, index: usize) -> String {
        help::of_tool(&self.name, &self.subcommands[index], &self.tools.list()[index])
    }

    fn find(&self, typed: &str) -> Option<usize> {
        self.by_name.get(typed).or_else(|| self.by_name.get(&names::words(typed).join("-"))).copied()
    }

    fn unknown(&self, typed: &str) -> Parsed {
        let (name, typed_short) = (&self.name, names::excerpt(typed));
        if typed.starts_with('-') {
            return Parsed::Usage(format!("{name}: {typed_short} comes after a command: {name} <command> [flags]. See {name} --help"));
        }
        let hint = match names::closest(typed, self.subcommands.iter().map(String::as_str), 3)[..] {
            [] => "there are no commands".to_owned(),
            ref close => format!("the closest are {}", close.join(", ")),
        };
        Parsed::Usage(format!("{name}: there is no command {typed_short:?}; {hint}. See {name} --help"))
    }

    fn parse_call(&self, index: usize, args: &[String], stdin: Option<&str>) -> Parsed {
        let tool = &self.tools.list()[index];
        let flags = Flags::of(tool);
        match Reader::new(&flags).read(args) {
            Ok(None) => Parsed::Help(self.help(index)),
            Ok(Some(given)) => match given.into_input(tool, &flags, stdin) {
                Ok(input) => Parsed::Call { tool: tool.name.clone(), input: Value::Object(input).to_string() },
                Err(mistake) => self.mistake(index, &mistake),
            },
            Err(mistake) => self.mistake(index, &mistake),
        }
    }

    fn mistake(&self, index: usize, mistake: &str) -> Parsed {
        let command = format!("{} {}", self.name, self.subcommands[index]);
        Parsed::Usage(format!("{command}: {mistake}. See {command} --help"))
    }
}

/// What was given for one flag.
#[derive(Debug, Default)]
struct Given<'t> {
    /// The texts, in order, with the flag as typed.
    texts: Vec<(&'t str, &'t str)>,
    /// What a switch was set to, with the flag as typed.
    switched: Option<(&'t str, bool)>,
}

/// What was given in all.
#[derive(Debug)]
struct AllGiven<'t> {
    json: Option<&'t str>,
    flags: Vec<Given<'t>>,
}

/// Reads arguments into what was given for each flag.
struct Reader<'f, 'a> {
    flags: &'f Flags<'a>,
}

impl<'f, 'a> Reader<'f, 'a> {
    fn new(flags: &'f Flags<'a>) -> Self {
        Self { flags }
    }

    /// `None`: help is asked for.
    fn read<'t>(&self, args: &'t [String]) -> Result<Option<AllGiven<'t>>, String> {
        let mut all = AllGiven { json: None, flags: self.flags.list.iter().map(|_| Given::default()).collect() };
        let mut rest = args.iter().map(String::as_str).peekable();
        while let Some(arg) = rest.next() {
            if matches!(arg, "--help" | "-h") {
                return Ok(None);
            }
            let Some(body) = arg.strip_prefix("--").filter(|body| !body.is_empty()) else {
                return Err(self.unexpected(arg, rest.peek().copied()));
            };
            let (typed, inline) = body.split_once('=').map_or((body, None), |(name, value)| (name, Some(value)));
            let flag = &arg[..2 + typed.len()];
            if typed == "json" {
                let value = take(flag, inline, &mut rest, "a JSON object, or - for stdin")?;
                if all.json.replace(value).is_some() {
                    return Err("--json is given twice".to_owned());
                }
                continue;
            }
            match self.flags.find(typed) {
                None => return Err(self.unknown(flag, typed)),
                Some(Meaning::Unset(index)) => {
                    if inline.is_some() {
                        return Err(format!("{flag} takes no value"));
                    }
                    switch(&mut all.flags[index], flag, false)?;
                }
                Some(Meaning::Set(index)) => {
                    let Flag { accepts, .. } = &self.flags.list[index];
                    let given = &mut all.flags[index];
                    let bare = inline.is_none()
                        && accepts.boolean
                        && rest.peek().is_none_or(|next| if accepts.is_switch() { !is_switch_value(accepts, next) } else { is_flag(next) });
                    if bare {
                        switch(given, flag, true)?;
                    } else {
                        let value = take(flag, inline, &mut rest, &accepts.in_words(self.flags.root))?;
                        given.texts.push((flag, value));
                    }
                }
            }
        }
        Ok(Some(all))
    }

    fn unknown(&self, flag: &str, typed: &str) -> String {
        let flag = names::excerpt(flag);
        match self.flags.meant(typed) {
            Some(meant) => format!("unknown flag {flag}; did you mean --{meant}?"),
            None if self.flags.list.is_empty() => format!("unknown flag {flag}; this command takes none"),
            None => format!("unknown flag {flag}"),
        }
    }

    fn unexpected(&self, arg: &str, next: Option<&str>) -> String {
        if arg == "--" {
            return format!("{:?} follows no flag; a value after -- belongs to the flag before it", names::excerpt(next.unwrap_or("--")));
        }
        let shown = names::excerpt(arg);
        match self.flags.list.iter().find(|flag| flag.property.required).or(self.flags.list.first()) {
            Some(flag) => format!("unexpected argument {shown:?}; values follow a flag, as in --{} {}", flag.name, help::quote(&shown)),
            None => format!("unexpected argument {shown:?}; this command takes none"),
        }
    }
}

fn switch<'t>(given: &mut Given<'t>, flag: &'t str, on: bool) -> Result<(), String> {
    match given.switched.replace((flag, on)) {
        None => Ok(()),
        Some((earlier, _)) if earlier == flag => Err(format!("{flag} is given twice")),
        Some((earlier, _)) => Err(format!("{earlier} and {flag} contradict each other")),
    }
}

/// The value of a flag: after `=`, or the next argument, or the one after `--`.
fn take<'t>(
    flag: &str,
    inline: Option<&'t str>,
    rest: &mut std::iter::Peekable<impl Iterator<Item = &'t str>>,
    expected: &str,
) -> Result<&'t str, String> {
    if let Some(value) = inline {
        return Ok(value);
    }
    match rest.peek().copied() {
        Some("--") => {
            rest.next();
            rest.next().ok_or_else(|| format!("{flag} needs a value ({expected}) after --"))
        }
        Some(next) if is_flag(next) => {
            Err(format!("{flag} needs a value ({expected}); one that looks like a flag is written {flag}={}", names::excerpt(next)))
        }
        Some(value) => {
            rest.next();
            Ok(value)
        }
        None => Err(format!("{flag} needs a value ({expected})")),
    }
}

/// Whether an argument has the form of a flag: `--name`, `--name=value`, `-h`. Negative numbers, `- item` and `--- title` do not.
fn is_flag(arg: &str) -> bool {
    if arg == "-h" {
        return true;
    }
    let Some(body) = arg.strip_prefix("--") else { return false };
    let name = body.split_once('=').map_or(body, |(name, _)| name);
    name.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !name.contains(char::is_whitespace)
}

fn is_switch_value(accepts: &Accepts<'_>, arg: &str) -> bool {
    arg == "--" || arg.eq_ignore_ascii_case("true") || arg.eq_ignore_ascii_case("false") || accepts.null && arg == "null"
}

impl AllGiven<'_> {
    /// The input that the arguments describe, checked.
    fn into_input(self, tool: &Tool, flags: &Flags<'_>, stdin: Option<&str>) -> Result<Map<String, Value>, String> {
        if let Some(json) = self.json {
            let beside =
                self.flags.iter().find_map(|given| given.texts.first().map(|text| text.0).or(given.switched.map(|switch| switch.0)));
            return match beside {
                Some(flag) => Err(format!("--json gives the whole input; leave out {flag}, or put it into the JSON")),
                None => whole_input(tool, json, stdin),
            };
        }
        let mut input = Map::new();
        let mut missing = Vec::new();
        for (given, flag) in self.flags.into_iter().zip(&flags.list) {
            match value_of(given, flag, flags.root)? {
                Some(value) => {
                    input.insert(flag.property.name.to_owned(), value);
                }
                None if flag.property.required => missing.push(format!("--{} ({})", flag.name, flag.accepts.in_words(flags.root))),
                None => {}
            }
        }
        if missing.is_empty() { Ok(input) } else { Err(format!("required and not given: {}", missing.join(", "))) }
    }
}

/// The value of one flag; `None` where it was not given.
fn value_of(given: Given<'_>, flag: &Flag<'_>, root: &Value) -> Result<Option<Value>, String> {
    let Given { texts, switched } = given;
    let (typed, value) = match (&texts[..], switched) {
        ([], None) => return Ok(None),
        ([], Some((typed, on))) => (typed, Value::Bool(on)),
        ([(typed, _), ..], Some(_)) => return Err(format!("{typed} is given twice")),
        ([(typed, text)], None) => (*typed, read_one(flag, root, typed, text)?),
        ([(typed, _), ..], None) if !flag.accepts.array => return Err(format!("{typed} is given twice; it takes one value")),
        ([(typed, _), ..], None) => {
            let items = texts.iter().map(|(typed, text)| read_item(flag, root, typed, text)).collect::<Result<_, _>>()?;
            (*typed, Value::Array(items))
        }
    };
    check(root, flag.property.schema, &value).map_err(|problem| {
        let place = if problem.path.is_empty() { String::new() } else { format!(" at {}", problem.path) };
        format!("{typed} expects {}{place}, not {}", problem.expected, names::excerpt(&value.to_string()))
    })?;
    Ok(Some(value))
}

/// A flag that was given once: an array is one JSON array, or its only element.
fn read_one(flag: &Flag<'_>, root: &Value, typed: &str, text: &str) -> Result<Value, String> {
    let accepts = &flag.accepts;
    let only_arrays =
        accepts.array && accepts.values.is_none() && !(accepts.string || accepts.integer || accepts.boolean || accepts.object);
    if !only_arrays {
        return accepts.read(root, text).map_err(|expected| mismatch(typed, &expected, text));
    }
    if accepts.null && text.trim() == "null" {
        return Ok(Value::Null);
    }
    match serde_json::from_str(text) {
        Ok(value @ Value::Array(_)) if text.trim_start().starts_with('[') => Ok(value),
        _ => Ok(Value::Array(vec![read_item(flag, root, typed, text)?])),
    }
}

fn read_item(flag: &Flag<'_>, root: &Value, typed: &str, text: &str) -> Result<Value, String> {
    static ANYTHING: Value = Value::Bool(true);
    let items = Accepts::of(root, flag.accepts.items.unwrap_or(&ANYTHING));
    items.read(root, text).map_err(|expected| mismatch(typed, &expected, text))
}

fn mismatch(typed: &str, expected: &str, text: &str) -> String {
    format!("{typed} expects {expected}, not {:?}", names::excerpt(text))
}

/// The input of `--json`.
fn whole_input(tool: &Tool, json: &str, stdin: Option<&str>) -> Result<Map<String, Value>, String> {
    let text = match (json, stdin) {
        ("-", Some(stdin)) if !stdin.trim().is_empty() => stdin,
        ("-", _) => return Err("--json - reads the input from stdin, which is empty".to_owned()),
        _ => json,
    };
    let input = match serde_json::from_str(text) {
        Ok(Value::Object(input)) => input,
        Ok(_) => return Err("--json expects a JSON object".to_owned()),
        Err(error) => return Err(format!("--json expects a JSON object, and this cannot be read: {error}")),
    };
    let missing: Vec<String> = properties(&tool.input_schema)
        .iter()
        .filter(|property| property.required && !input.contains_key(property.name))
        .map(|property| format!("{:?}", property.name))
        .collect();
    if !missing.is_empty() {
        return Err(format!("the JSON lacks {}", missing.join(", ")));
    }
    let input = Value::Object(input);
    check(&tool.input_schema, &tool.input_schema, &input).map_err(|problem| {
        let place = if problem.path.is_empty() { String::new() } else { format!(" at {}", problem.path) };
        format!("--json expects {}{place}", problem.expected)
    })?;
    match input {
        Value::Object(input) => Ok(input),
        _ => Err("--json expects a JSON object".to_owned()),
    }
}
