//! `snugfit fit`: the engine from the shell.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::de::IgnoredAny;
use snugfit_engine::{self as engine, Fitted, Notice, Options, fit, fit_bytes};

use crate::error::Error;
use crate::limits::Limits;
use crate::{explain, input, report};

/// Fit a file, or standard input, into a budget and print it.
#[derive(clap::Args)]
#[command(
    display_name = "snugfit",
    override_usage = "snugfit fit [OPTIONS] [FILE|-]",
    after_help = "Example: curl -s URL | snugfit fit --max-chars 6000 --relevance 'login crash'"
)]
pub(crate) struct Args {
    #[command(flatten)]
    limits: Limits,
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
    /// Print why to stderr: each cut, what scored highest
    #[arg(long)]
    explain: bool,
    /// Indent JSON by N spaces a level (0 to 16)
    #[arg(long, value_name = "N", value_parser = indent, default_value = "0", hide_default_value = true, allow_negative_numbers = true)]
    indent: usize,
    #[arg(hide = true)]
    file: Option<PathBuf>,
}

/// Reads, fits, prints.
pub(crate) fn run(args: Args) -> Result<(), Error> {
    let bytes = input::read(args.file.as_deref())?;
    let (with_report, with_reasons) = (args.report, args.explain);
    let options = args.options()?;
    let utf16 = input::decode_utf16(&bytes);
    let reasons = with_reasons.then(|| {
        let text = utf16.as_ref().map_or_else(|| String::from_utf8_lossy(&bytes), |(text, _)| Cow::Borrowed(text.as_str()));
        engine::explain(&text, &options).map(|explanation| explain::text(&explanation))
    });
    let Fitted { text, report } = match utf16 {
        None => fit_bytes(&bytes, &options)?,
        Some((text, replaced)) => {
            drop(bytes);
            let mut fitted = fit(&text, &options)?;
            fitted.report.replaced += replaced;
            fitted
        }
    };
    // A closed stderr must not cost the caller the result.
    if with_report {
        let _ = writeln!(io::stderr(), "{}", report::json(&report).map_err(|e| Error::Write(e.into()))?);
    }
    if let Some(reasons) = reasons {
        let _ = io::stderr().write_all(reasons?.as_bytes());
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::Write)
}

impl Args {
    fn options(self) -> Result<Options, Error> {
        let budget = self.limits.budget()?;
        Ok(Options {
            tool_name: self.tool,
            arguments: self.arguments,
            relevance: self.relevance,
            protect: self.protect,
            drop: self.drop,
            // Nothing is stored, so there is nothing to recover from.
            notice: (!self.no_notice).then(Notice::default),
            indent: self.indent,
            ..Options::new(budget)
        })
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
