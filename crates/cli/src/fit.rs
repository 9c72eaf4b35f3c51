//! `snugfit fit`: the engine from the shell.

use std::io::{self, Write};
use std::path::PathBuf;

use serde::de::IgnoredAny;
use snugfit_engine::{Budget, Fitted, Notice, Options, fit, fit_bytes};

use crate::error::Error;
use crate::{input, report};

/// The budget in characters where no limit is named.
const DEFAULT_CHARS: usize = 20_000;

/// Fit a file or standard input into a budget and print it.
#[derive(clap::Args)]
#[command(display_name = "snugfit", after_help = "Example: curl -s URL | snugfit fit --max-chars 6000 --relevance 'login crash'")]
pub(crate) struct Args {
    /// At most N characters (20000 where no limit is named)
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    max_chars: Option<usize>,
    /// At most N bytes of UTF-8
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    max_bytes: Option<usize>,
    /// At most N lines
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    max_lines: Option<usize>,
    /// The tool that gave the result
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    tool: String,
    /// The call's arguments: what they ask for is kept first
    #[arg(long, value_name = "JSON", value_parser = arguments, default_value = "{}", hide_default_value = true)]
    arguments: String,
    /// Words that say what you are after
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    relevance: String,
    /// Keep this key or JSON Pointer (*, **); repeatable
    #[arg(long, value_name = "PATTERN")]
    protect: Vec<String>,
    /// Leave this key or JSON Pointer out; repeatable
    #[arg(long, value_name = "PATTERN")]
    drop: Vec<String>,
    /// Leave out the notice that says what was cut
    #[arg(long)]
    no_notice: bool,
    /// Print what was cut as JSON to stderr
    #[arg(long)]
    report: bool,
    /// Indent JSON by N spaces a level (0 to 16)
    #[arg(long, value_name = "N", value_parser = indent, default_value = "0", hide_default_value = true, allow_negative_numbers = true)]
    indent: usize,
    /// What to fit; - or nothing for standard input
    file: Option<PathBuf>,
}

/// Reads, fits, prints.
pub(crate) fn run(args: Args) -> Result<(), Error> {
    let bytes = input::read(args.file.as_deref())?;
    let with_report = args.report;
    let options = Options::from(args);
    let Fitted { text, report } = match input::decode_utf16(&bytes) {
        None => fit_bytes(&bytes, &options)?,
        Some((text, replaced)) => {
            drop(bytes);
            let mut fitted = fit(&text, &options)?;
            fitted.report.replaced += replaced;
            fitted
        }
    };
    if with_report {
        // A closed stderr must not cost the caller the result.
        let _ = writeln!(io::stderr(), "{}", report::json(&report).map_err(|e| Error::Write(e.into()))?);
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::Write)
}

impl From<Args> for Options {
    fn from(args: Args) -> Self {
        let mut budget = Budget { chars: args.max_chars, bytes: args.max_bytes, lines: args.max_lines };
        if budget.limits().next().is_none() {
            budget.chars = Some(DEFAULT_CHARS);
        }
        Self {
            tool_name: args.tool,
            arguments: args.arguments,
            relevance: args.relevance,
            protect: args.protect,
            drop: args.drop,
            // Nothing is stored, so there is nothing to recover from.
            notice: (!args.no_notice).then(Notice::default),
            indent: args.indent,
            ..Self::new(budget)
        }
    }
}

fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("a limit must be at least 1".into()),
        Ok(n) => Ok(n),
        Err(_) => Err(format!("a limit is a whole number from 1 to {}", usize::MAX)),
    }
}

fn indent(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n <= 16).ok_or_else(|| "the indentation is a whole number of spaces from 0 to 16".into())
}

fn arguments(text: &str) -> Result<String, String> {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(e) => Err(format!(r#"not JSON ({e}); write the call's arguments as JSON, such as '{{"path":"/src"}}'"#)),
    }
}
