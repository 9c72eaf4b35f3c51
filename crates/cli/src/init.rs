//! `snugfit init`: a configuration to start from.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use crate::error::Error;

/// What is written: one server, everything else in comments.
const EXAMPLE: &str = include_str!("init.yaml");

/// Write a commented example configuration.
#[derive(clap::Args)]
#[command(display_name = "snugfit", after_help = "Example: snugfit init && snugfit validate-config")]
pub(crate) struct Args {
    /// The file to write; there must be none of the name yet
    #[arg(default_value = "snugfit.config.yaml")]
    file: PathBuf,
}

/// Writes the file and says what comes next.
pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let path = args.file.display();
    let file = File::create_new(&args.file).and_then(|mut file| file.write_all(EXAMPLE.as_bytes()));
    file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Error::Usage(format!("{path} is there already and stays as it is; name another file")),
        _ => Error::Write(error),
    })?;
    let next = format!("{path} is written. Name your servers in it, then try `snugfit validate-config`.\n");
    io::stdout().write_all(next.as_bytes()).map_err(Error::Write)
}
