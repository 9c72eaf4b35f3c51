//! One generated program: a command or a module that stands for the tools of a server.

use serde_json::json;
use snugfit_toolset::argv::{Command, Parsed};
use snugfit_toolset::client::code::{Client, Language};
use snugfit_toolset::client::{Bridge, File, shell};
use snugfit_toolset::{Tool, Tools, help};

use super::Place;
use crate::config::SurfaceKind;
use crate::rpc::Object;

/// A command or a module that stands for the tools of a server.
#[derive(Debug)]
pub(crate) struct Program {
    /// The server's place in the configuration.
    pub(crate) server: usize,
    /// What the program is called, and its part of the bridge.
    pub(crate) name: String,
    tools: Tools,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Command(Command),
    Module(Client),
}

impl Program {
    /// A program for `tools`; `None` where tools are shown as they are.
    pub(crate) fn new(kind: SurfaceKind, server: usize, name: &str, tools: Tools) -> Option<Self> {
        let (name, kind) = match kind {
            SurfaceKind::Tools => return None,
            SurfaceKind::Cli => {
                let command = Command::new(name, tools.clone());
                (command.name().to_owned(), Kind::Command(command))
            }
            SurfaceKind::TypeScript | SurfaceKind::Python => {
                let language = if kind == SurfaceKind::Python { Language::Python } else { Language::TypeScript };
                let client = Client::new(name, &tools, language);
                (client.module().to_owned(), Kind::Module(client))
            }
        };
        Some(Self { server, name, tools, kind })
    }

    /// The tool by which a model finds out about the program.
    pub(crate) fn help_tool(&self) -> String {
        format!("{}_help", self.name)
    }

    /// The definition of that tool, as JSON.
    pub(crate) fn definition(&self, place: &Place) -> String {
        let parameter = self.parameter();
        json!({
            "name": self.help_tool(),
            "description": self.overview(place),
            "inputSchema": { "type": "object", "properties": { parameter: { "type": "string" } } },
            "annotations": { "readOnlyHint": true },
        })
        .to_string()
    }

    /// What that tool answers.
    ///
    /// # Errors
    /// There is nothing of the name that is asked for.
    pub(crate) fn help(&self, arguments: &Object<'_>, place: &Place) -> Result<String, String> {
        let asked = arguments.str(self.parameter()).unwrap_or_default();
        let asked = asked.trim();
        match &self.kind {
            Kind::Command(command) => {
                let words = asked.split_whitespace().map(str::to_owned);
                match command.parse(&std::iter::once("help".to_owned()).chain(words).collect::<Vec<_>>(), None) {
                    Parsed::Help(text) => Ok(text),
                    Parsed::Usage(mistake) => Err(mistake),
                    Parsed::Call { .. } => Err(format!("there is no command {asked:?}")),
                }
            }
            Kind::Module(_) if asked.is_empty() => Ok(self.overview(place)),
            Kind::Module(client) => client.help(asked).map(str::to_owned).map_err(|error| error.to_string()),
        }
    }

    /// Its files.
    pub(crate) fn files(&self, place: &Place) -> Vec<File> {
        let bridge = Bridge { url: format!("{}/{}", place.url, self.name), token: place.token.clone() };
        match &self.kind {
            Kind::Command(command) => shell::files(command.name(), &bridge, cfg!(windows)),
            Kind::Module(client) => client.files(&bridge),
        }
    }

    /// The command, where it is one.
    pub(super) fn command(&self) -> Option<&Command> {
        match &self.kind {
            Kind::Command(command) => Some(command),
            Kind::Module(_) => None,
        }
    }

    /// A tool, by its server's name for it.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.list().iter().find(|tool| tool.name == name)
    }

    fn parameter(&self) -> &'static str {
        match self.kind {
            Kind::Command(_) => "command",
            Kind::Module(_) => "function",
        }
    }

    /// What the program is, in short.
    fn overview(&self, place: &Place) -> String {
        let folder = place.folder.display();
        match &self.kind {
            Kind::Command(command) => {
                format!("{} is in {folder}: put that on the PATH.\n{}", self.name, help::overview(command, true))
            }
            Kind::Module(client) => {
                let file = place.folder.join(format!("{}.ts", self.name));
                let overview = client.overview(&file.to_string_lossy());
                if overview.starts_with("Python") { format!("PYTHONPATH: {folder}\n{overview}") } else { overview }
            }
        }
    }
}
