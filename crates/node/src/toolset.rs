//! Tool surfaces: what a model sees of the tools of a map, and what it sends back.

use std::collections::HashMap;

use napi::Error;
use napi_derive::napi;
use snugfit_toolset::client::code::{self, Language};
use snugfit_toolset::client::{Bridge, File, shell};
use snugfit_toolset::{Level, Tool, Tools, argv, definitions, help, input, listing, schema, toon};

use crate::error::{NativeFailure, contain};

/// A tool's definition; schemas and annotations are JSON texts.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone, Default)]
pub struct NativeTool {
    /// Its name in the map.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes.
    pub input_schema: String,
    /// What it gives.
    pub output_schema: Option<String>,
    /// Hints such as `readOnlyHint`.
    pub annotations: Option<String>,
}

impl NativeTool {
    fn check(self) -> Result<Tool, NativeFailure> {
        let mut tool = Tool::new(self.name, self.description, &self.input_schema)?;
        if let Some(schema) = self.output_schema {
            tool = tool.with_output_schema(&schema)?;
        }
        if let Some(annotations) = self.annotations {
            tool = tool.with_annotations(&annotations)?;
        }
        Ok(tool)
    }
}

/// `error`, or `text`.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct TextOutcome {
    /// What went wrong.
    pub error: Option<NativeFailure>,
    /// The answer.
    pub text: Option<String>,
}

impl TextOutcome {
    fn of(work: impl FnOnce() -> Result<String, NativeFailure>) -> Self {
        match contain(work) {
            Ok(text) => Self { error: None, text: Some(text) },
            Err(error) => Self { error: Some(error), text: None },
        }
    }
}

/// One tool that stands for all.
#[napi(object, object_from_js = false)]
#[derive(Debug)]
pub struct NativeWrapper {
    /// Its name.
    pub name: String,
    /// What a model reads of it.
    pub description: String,
    /// What it takes, as JSON text.
    pub input_schema: String,
}

/// `error`, or the rest.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct WrappersOutcome {
    /// What went wrong.
    pub error: Option<NativeFailure>,
    /// `get_tool_schema`, `invoke_tool` and, at the level `max`, `list_tools`, in this order.
    pub wrappers: Option<Vec<NativeWrapper>>,
    /// The wrappers take more characters than the definitions that they stand for.
    pub larger: Option<bool>,
}

/// The names that the wrappers are to have.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone)]
pub struct NativeWrapperNames {
    /// Of the tool that answers with a schema.
    pub get_tool_schema: String,
    /// Of the tool that runs one.
    pub invoke_tool: String,
    /// Of the tool that lists names.
    pub list_tools: String,
}

impl From<snugfit_toolset::Error> for NativeFailure {
    fn from(error: snugfit_toolset::Error) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// The tools of one map, as a model is to see them.
#[napi]
pub struct Surface {
    tools: Tools,
}

#[napi]
impl Surface {
    /// The surface of these tools. Throws `INVALID_TOOLS`.
    #[napi(constructor, catch_unwind)]
    pub fn new(tools: Vec<NativeTool>) -> Result<Self, Error<String>> {
        contain(|| Ok(Self { tools: checked(tools)? })).map_err(|failure| Error::new(failure.code, failure.message))
    }

    /// The wrapper tools that stand for all at a compression level.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn wrappers(&self, level: String, names: NativeWrapperNames) -> WrappersOutcome {
        let made = contain(|| {
            let NativeWrapperNames { get_tool_schema, invoke_tool, list_tools } = names;
            let names = listing::WrapperNames { get_tool_schema, invoke_tool, list_tools };
            let wrappers = listing::wrappers(&self.tools, Level::parse(&level)?, &names);
            Ok((listing::is_larger(&self.tools, &wrappers), wrappers))
        });
        match made {
            Ok((larger, wrappers)) => WrappersOutcome {
                error: None,
                wrappers: Some(
                    wrappers
                        .into_iter()
                        .map(|wrapper| NativeWrapper {
                            name: wrapper.name,
                            description: wrapper.description,
                            input_schema: wrapper.input_schema.to_string(),
                        })
                        .collect(),
                ),
                larger: Some(larger),
            },
            Err(error) => WrappersOutcome { error: Some(error), ..WrappersOutcome::default() },
        }
    }

    /// The names of all tools, one a line.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn names(&self) -> String {
        listing::listing(&self.tools, Level::Max)
    }

    /// A tool's complete definition as JSON text.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn describe(&self, name: String) -> TextOutcome {
        TextOutcome::of(|| Ok(listing::answer(self.tools.get(&name)?)))
    }

    /// The input for a tool, from the `tool_input` that a model sent; both are JSON texts.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn prepare(&self, name: String, sent: String) -> TextOutcome {
        TextOutcome::of(|| Ok(input::prepare(self.tools.get(&name)?, &sent)?))
    }
}

/// What a list of arguments comes to: `error`, or one of `help` and `usage`, or `tool` with `input`.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct ParsedOutcome {
    /// What went wrong in here.
    pub error: Option<NativeFailure>,
    /// A text to print.
    pub help: Option<String>,
    /// A mistake in the arguments.
    pub usage: Option<String>,
    /// The tool to run, by its owner's name.
    pub tool: Option<String>,
    /// Its input, as JSON text.
    pub input: Option<String>,
}

/// A command whose subcommands are tools.
#[napi]
pub struct Command {
    inner: argv::Command,
}

#[napi]
impl Command {
    /// The command with a subcommand for each tool; its name is made fit for a shell. Throws `INVALID_TOOLS`.
    #[napi(constructor, catch_unwind)]
    pub fn new(name: String, tools: Vec<NativeTool>) -> Result<Self, Error<String>> {
        contain(|| Ok(Self { inner: argv::Command::new(&name, checked(tools)?) }))
            .map_err(|failure| Error::new(failure.code, failure.message))
    }

    /// The name, fit for a shell.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn name(&self) -> String {
        self.inner.name().to_owned()
    }

    /// How a tool is called in a shell: the command and its subcommand.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn call_of(&self, tool: String) -> Option<String> {
        self.inner.call_of(&tool)
    }

    /// What arguments, without the command's own name, come to; `stdin` is what `--json -` reads.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn parse(&self, args: Vec<String>, stdin: Option<String>) -> ParsedOutcome {
        let none = ParsedOutcome::default();
        match contain(|| Ok(self.inner.parse(&args, stdin.as_deref()))) {
            Ok(argv::Parsed::Help(text)) => ParsedOutcome { help: Some(text), ..none },
            Ok(argv::Parsed::Usage(text)) => ParsedOutcome { usage: Some(text), ..none },
            Ok(argv::Parsed::Call { tool, input }) => ParsedOutcome { tool: Some(tool), input: Some(input), ..none },
            Err(error) => ParsedOutcome { error: Some(error), ..none },
        }
    }

    /// The subcommands, as a model reads them in the description of the help tool.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn overview(&self) -> String {
        help::overview(&self.inner, true)
    }
}

fn checked(tools: Vec<NativeTool>) -> Result<Tools, NativeFailure> {
    let tools = tools.into_iter().map(NativeTool::check).collect::<Result<_, _>>()?;
    Ok(Tools::new(tools)?)
}

/// How definitions are made smaller.
#[napi(object, object_to_js = false)]
#[derive(Debug, Clone)]
pub struct NativeShrinkOptions {
    /// Characters of a tool's description.
    pub max_description_chars: u32,
    /// Characters of a parameter's description.
    pub max_parameter_chars: u32,
    /// Move subschemas that occur twice to `$defs`.
    pub dedupe_schemas: bool,
    /// Keep `$schema`.
    pub keep_dialect: bool,
    /// Descriptions that somebody wrote, by their keys.
    pub written: Option<HashMap<String, String>>,
}

/// `error`, or the rest.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct ShrunkOutcome {
    /// What went wrong.
    pub error: Option<NativeFailure>,
    /// The shorter description.
    pub description: Option<String>,
    /// The smaller schema, as JSON text.
    pub input_schema: Option<String>,
    /// Nobody had written a description, so the rules made one.
    pub missed: Option<bool>,
}

/// A tool's definition in fewer words.
#[napi(catch_unwind)]
#[must_use]
pub fn shrink_definition(tool: NativeTool, options: NativeShrinkOptions) -> ShrunkOutcome {
    let shrunk = contain(|| {
        let schema = schema::Options {
            max_description_chars: options.max_parameter_chars as usize,
            dedupe: options.dedupe_schemas,
            keep_dialect: options.keep_dialect,
        };
        let options =
            definitions::Options { max_description_chars: options.max_description_chars as usize, schema, written: options.written };
        Ok(definitions::shrink(&tool.check()?, &options))
    });
    match shrunk {
        Ok(definitions::Shrunk { tool, missed }) => ShrunkOutcome {
            error: None,
            description: Some(tool.description),
            input_schema: Some(tool.input_schema.to_string()),
            missed: Some(missed),
        },
        Err(error) => ShrunkOutcome { error: Some(error), ..ShrunkOutcome::default() },
    }
}

/// The key of a description among those that somebody wrote.
#[napi(catch_unwind)]
#[must_use]
pub fn description_key(description: String) -> String {
    definitions::key(&description)
}

/// A result's JSON text as TOON, or as CSV where it is a plain table; `null` where that is not shorter.
#[napi(catch_unwind)]
#[must_use]
pub fn toonify(json: String, csv: bool) -> TextOutcome {
    match contain(|| Ok(toon::render(&json, if csv { toon::Form::Csv } else { toon::Form::Toon }))) {
        Ok(text) => TextOutcome { error: None, text },
        Err(error) => TextOutcome { error: Some(error), text: None },
    }
}

/// A file of a generated client.
#[napi(object, object_from_js = false)]
#[derive(Debug)]
pub struct NativeFile {
    /// Its name, relative to the folder of the client.
    pub path: String,
    /// All of it.
    pub content: String,
    /// Its permissions on Unix.
    pub mode: u32,
}

impl From<File> for NativeFile {
    fn from(File { path, content, mode }: File) -> Self {
        Self { path, content, mode }
    }
}

/// The files of the command `name` for shells; it calls the bridge at `url`.
#[napi(catch_unwind)]
#[must_use]
pub fn shell_client(name: String, url: String, token: String, windows: bool) -> Vec<NativeFile> {
    shell::files(&name, &Bridge { url, token }, windows).into_iter().map(NativeFile::from).collect()
}

/// A module whose functions are tools.
#[napi]
pub struct Code {
    inner: code::Client,
}

#[napi]
impl Code {
    /// The module of a session with a function for each tool, in `typescript` or `python`. Throws `INVALID_TOOLS` or `INVALID_OPTION`.
    #[napi(constructor, catch_unwind)]
    pub fn new(name: String, tools: Vec<NativeTool>, language: String) -> Result<Self, Error<String>> {
        contain(|| Ok(Self { inner: code::Client::new(&name, &checked(tools)?, Language::parse(&language)?) }))
            .map_err(|failure| Error::new(failure.code, failure.message))
    }

    /// The name of the module, without an ending.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn module(&self) -> String {
        self.inner.module().to_owned()
    }

    /// The functions, as a model reads them in the description of the help tool; `place` is where the module is imported from.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn overview(&self, place: String) -> String {
        self.inner.overview(&place)
    }

    /// The function that calls a tool.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn call_of(&self, tool: String) -> Option<String> {
        self.inner.call_of(&tool).map(str::to_owned)
    }

    /// Types, documentation and signature of a function, as they are in the module.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn help(&self, name: String) -> TextOutcome {
        TextOutcome::of(|| Ok(self.inner.help(&name)?.to_owned()))
    }

    /// The files of the client; it calls the bridge at `url`.
    #[napi(catch_unwind)]
    #[must_use]
    pub fn files(&self, url: String, token: String) -> Vec<NativeFile> {
        self.inner.files(&Bridge { url, token }).into_iter().map(NativeFile::from).collect()
    }
}

/// A name that model APIs take for a tool; may be empty.
#[napi(catch_unwind)]
#[must_use]
pub fn tool_name(name: String) -> String {
    snugfit_toolset::names::tool_name(&name)
}
