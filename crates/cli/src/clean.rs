//! `snugfit clean`: removes the files of complete results that nobody reads any longer.

use std::io::{self, Write};
use std::path::PathBuf;

use snugfit_proxy::clean_originals;
use snugfit_proxy::config::Period;

use crate::error::Error;

/// Remove old files of complete results.
#[derive(clap::Args)]
#[command(after_help = "Example: snugfit clean --older-than 7d")]
pub(crate) struct Args {
    /// Only files that are older, such as 7d or 12h
    #[arg(long, value_name = "TIME", value_parser = period)]
    older_than: Period,
    /// Their folder; the system's temporary folder without it
    #[arg(long, value_name = "DIR")]
    files_dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let folder = args.files_dir.clone().unwrap_or_else(std::env::temp_dir);
    let cleaned = clean_originals(&folder, args.older_than.duration());
    let (files, bytes) = cleaned.map_err(|source| Error::Clean { folder: folder.display().to_string(), source })?;
    // What is said goes nowhere where stderr is closed.
    let _ = writeln!(io::stderr(), "{files} {} of {:.1} MB removed", if files == 1 { "file" } else { "files" }, bytes as f64 / 1e6);
    Ok(())
}

fn period(text: &str) -> Result<Period, String> {
    Period::parse(text).ok_or_else(|| "a length of time such as 7d or 12h".to_owned())
}
