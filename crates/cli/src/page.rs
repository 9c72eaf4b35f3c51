//! `snugfit page`: one page of a result, from the shell.

use std::io::{self, Write};
use std::path::PathBuf;

use snugfit_engine::{Next, PageOptions, page};

use crate::error::Error;
use crate::input;
use crate::limits::Limits;

/// Print one page: whole items of a list, or a chunk of a text.
#[derive(clap::Args)]
#[command(display_name = "snugfit", after_help = "Example: snugfit page --max-chars 6000 --cursor CURSOR runs.json")]
pub(crate) struct Args {
    #[command(flatten)]
    limits: Limits,
    /// Go on where the page that gave this cursor ended
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Page the list at this place (data.items or /data/items) instead of the largest
    #[arg(long, value_name = "PATH")]
    key: Option<String>,
    /// What to page; - or nothing for standard input
    file: Option<PathBuf>,
}

/// Reads, pages, prints.
pub(crate) fn run(args: Args) -> Result<(), Error> {
    let bytes = input::read(args.file.as_deref())?;
    let decoded = input::decode_utf16(&bytes).map(|(text, _)| text);
    let text = decoded.as_deref().map_or_else(|| String::from_utf8_lossy(&bytes), Into::into);
    let next = Next::Again { param: "--cursor".to_owned() };
    let options = PageOptions { cursor: args.cursor, key: args.key, next, ..PageOptions::default() };
    let page = page(&text, &args.limits.budget()?, &options)?;
    let mut out = io::stdout().lock();
    out.write_all(page.text.as_bytes()).and_then(|()| out.flush()).map_err(Error::Write)
}
