//! The tools of a session as functions of a module, for agents that write programs.
//!
//! Each tool is written once, when the client is made: what its help shows is a part of the module, letter by letter.

use std::collections::HashMap;

use serde_json::Value;

use super::identifiers::{camel, free_in_typescript, function_in_python, module_in_python, snake};
use super::{Bridge, File, python, typescript};
use crate::error::Error;
use crate::help::MOST_WITH_SENTENCES;
use crate::markdown::plain;
use crate::names;
use crate::sentence::first;
use crate::tool::{Tool, Tools};

/// A language for which there is a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// An ES module; its types can be stripped.
    TypeScript,
    /// Python 3.9 and newer, with nothing but its standard library.
    Python,
}

impl Language {
    /// The language of this name: `typescript` or `python`.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for any other.
    pub fn parse(name: &str) -> Result<Self, Error> {
        match name {
            "typescript" => Ok(Self::TypeScript),
            "python" => Ok(Self::Python),
            _ => Err(Error::InvalidOption(format!("language must be \"typescript\" or \"python\", not {:?}", names::excerpt(name)))),
        }
    }
}

/// A tool as a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name in the module.
    pub name: String,
    /// How it is called, in short: `searchItems(query, { maxResults? })`.
    pub call: String,
    /// The variant whose result is typed, where the tool says what it gives: `searchItems.json`, `search_items_json`.
    pub typed: Option<String>,
    /// Types, documentation and signature, as they stand in the module (of TypeScript in its declarations).
    pub declaration: String,
    /// All of it.
    pub(crate) definition: String,
    tool: String,
    sentence: String,
}

/// What a language makes of one tool.
pub(crate) struct Written {
    pub(crate) call: String,
    pub(crate) typed: Option<String>,
    pub(crate) declaration: String,
    pub(crate) definition: String,
}

/// A module with a function for each tool.
#[derive(Debug, Clone)]
pub struct Client {
    language: Language,
    module: String,
    functions: Vec<Function>,
    by_name: HashMap<String, usize>,
}

impl Client {
    /// The module of a session, named after it as far as the language allows.
    ///
    /// ```
    /// use snugfit_toolset::client::code::{Client, Language};
    /// use snugfit_toolset::{Tool, Tools};
    /// let schema = r#"{"type":"object","properties":{"query":{"type":"string"},"state":{"type":"string"}},"required":["query"]}"#;
    /// let tools = Tools::new(vec![Tool::new("search_issues", "Finds issues.", schema)?])?;
    /// let client = Client::new("tracker", &tools, Language::TypeScript);
    /// assert_eq!(client.functions()[0].call, "searchIssues(query, { state? })");
    /// # Ok::<(), snugfit_toolset::Error>(())
    /// ```
    #[must_use]
    pub fn new(name: &str, tools: &Tools, language: Language) -> Self {
        let originals: Vec<&str> = tools.list().iter().map(|tool| tool.name.as_str()).collect();
        let name = names::command(name);
        let (module, names) = match language {
            Language::TypeScript => (name, names::unique(&originals, |name| free_in_typescript(camel(name)), "_", &typescript::RESERVED)),
            Language::Python => {
                (module_in_python(&name), names::unique(&originals, |name| function_in_python(snake(name)), "_", &python::RESERVED))
            }
        };
        let written = match language {
            Language::TypeScript => typescript::write(tools.list(), &names),
            Language::Python => python::write(tools.list(), &names),
        };
        let functions: Vec<Function> =
            names.into_iter().zip(tools.list()).zip(written).map(|((name, tool), written)| Function::of(name, tool, written)).collect();
        // The less a spelling is somebody's own, the later it counts: functions, then the owners' names, then any other spelling.
        let mut by_name = HashMap::new();
        let spellings = functions.iter().map(|function| function.name.clone()).enumerate();
        let spellings = spellings.chain(functions.iter().map(|function| function.tool.clone()).enumerate());
        let spellings = spellings.chain(functions.iter().map(|function| names::kebab(&function.tool)).enumerate());
        for (index, spelling) in spellings {
            by_name.entry(spelling).or_insert(index);
        }
        Self { language, module, functions, by_name }
    }

    /// The name of the module, without an ending.
    #[must_use]
    pub fn module(&self) -> &str {
        &self.module
    }

    /// The functions, in the order of the tools.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The name of the function that calls a tool, by its owner's name.
    #[must_use]
    pub fn call_of(&self, tool: &str) -> Option<&str> {
        self.functions.iter().find(|function| function.tool == tool).map(|function| function.name.as_str())
    }

    /// What a model reads in the description of the help tool: how to import the module, and its functions. `place` is where the module of
    /// TypeScript is, to be imported by an absolute path or a relative one.
    #[must_use]
    pub fn overview(&self, place: &str) -> String {
        let typed = self.functions.iter().any(|function| function.typed.is_some());
        let usage = match self.language {
            Language::TypeScript => format!(
                "TypeScript: import {{ … }} from {}; functions return Promise<string>{}.",
                typescript::quote(place),
                if typed { ", those with * also have .json(…), which parses" } else { "" }
            ),
            Language::Python => format!(
                "Python: import {}; functions return str{}.",
                self.module,
                if typed { ", those with * also have …_json(…), which parses" } else { "" }
            ),
        };
        let short = self.functions.len() > MOST_WITH_SENTENCES;
        let lines: Vec<String> =
            self.functions.iter().map(|function| if short { function.name.clone() } else { function.line() }).collect();
        format!("{usage} Types and documentation: {{\"function\": name}}. Functions:\n{}", lines.join(if short { " " } else { "\n" }))
    }

    /// A function's types, documentation and signature, exactly as they are in the module; found by its name, the tool's, or any spelling.
    ///
    /// # Errors
    /// [`Error::UnknownTool`] with the closest names.
    pub fn help(&self, name: &str) -> Result<&str, Error> {
        let found = self.by_name.get(name).or_else(|| self.by_name.get(&names::kebab(name)));
        found.map(|&index| self.functions[index].declaration.as_str()).ok_or_else(|| Error::UnknownTool {
            name: names::excerpt(name),
            hint: match names::closest(name, self.functions.iter().map(|function| function.name.as_str()), 3)[..] {
                [] => "there are no functions".to_owned(),
                ref close => format!("the closest are {}", close.join(", ")),
            },
        })
    }

    /// The files of the client: the module, and the place and token of the bridge in a file of their own that only the owner can read.
    #[must_use]
    pub fn files(&self, bridge: &Bridge) -> Vec<File> {
        match self.language {
            Language::TypeScript => typescript::files(&self.module, &self.functions, bridge),
            Language::Python => python::files(&self.module, &self.functions, bridge),
        }
    }
}

impl Function {
    fn of(name: String, tool: &Tool, Written { call, typed, declaration, definition }: Written) -> Self {
        let sentence = first(&plain(&tool.description));
        let sentence = sentence.strip_suffix('.').unwrap_or(&sentence).to_owned();
        Self { name, call, typed, declaration, definition, tool: tool.name.clone(), sentence }
    }

    fn line(&self) -> String {
        let star = if self.typed.is_some() { "*" } else { "" };
        let colon = if self.sentence.is_empty() { "" } else { ": " };
        format!("{}{star}{colon}{}", self.call, self.sentence)
    }
}

/// The schema of what a typed variant gives. A tool that gives a text needs none: its function gives that.
pub(crate) fn typed_output(tool: &Tool) -> Option<&Value> {
    tool.output_schema.as_ref().filter(|schema| schema.get("type").and_then(Value::as_str) != Some("string"))
}

/// Parameters as the overview lists them: as many as a line can have; help shows all.
pub(crate) fn listed(parameters: &[String]) -> String {
    const MOST: usize = 40;
    let more = if parameters.len() > MOST { ", …" } else { "" };
    parameters[..parameters.len().min(MOST)].join(", ") + more
}

/// What documentation says of a tool: its description, what it may break, and its own name where that cannot be guessed from the function's.
pub(crate) fn documentation(tool: &Tool, name: &str) -> String {
    let mut parts = vec![printable(tool.description.trim())];
    if tool.hint("readOnlyHint") != Some(true) && tool.hint("destructiveHint") == Some(true) {
        parts.push("May destroy or overwrite.".to_owned());
    }
    if names::words(name) != names::words(&tool.name) {
        parts.push(format!("Calls the tool {}.", Value::from(printable(&tool.name))));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// A text without what would change how a program is read or shown: control characters and marks of direction.
pub(crate) fn printable(text: &str) -> String {
    text.replace("\r\n", "\n").chars().map(|c| if c == '\n' || is_printable(c) { c } else { ' ' }).collect()
}

fn is_printable(c: char) -> bool {
    !(c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}

/// A text as a literal in double quotes, as JSON has it; what JSON may leave as it is, but code should not hold, is escaped.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in Value::from(text).to_string().chars() {
        if is_printable(c) { out.push(c) } else { out.push_str(&format!("\\u{:04x}", u32::from(c))) }
    }
    out
}

/// How wide a text is, or the last line of one. Of Chinese, Japanese and Korean a letter is two columns wide, and so are pictures.
pub(crate) fn columns(text: &str) -> usize {
    let wide = |c: char| {
        matches!(c,
            '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
    };
    text.rsplit('\n').next().unwrap_or_default().chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}
