//! What ends a subcommand early, and with which exit code.

use std::io;

/// The command's one error type.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The command line asks for something that makes no sense.
    #[error("{0}\n\nFor more information, try '--help'.")]
    Usage(String),
    /// The input cannot be read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// The file's path in quotes, or `standard input`.
        name: String,
        source: io::Error,
    },
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Write(io::Error),
    /// The threads of the proxy cannot be started.
    #[error("cannot start: {0}")]
    Start(io::Error),
    /// The configuration has mistakes, or the proxy cannot start or go on.
    #[error(transparent)]
    Proxy(#[from] snugfit_proxy::Error),
    /// A folder cannot be cleaned.
    #[error("{folder} cannot be cleaned: {source}")]
    Clean { folder: String, source: io::Error },
    /// Servers gave no tools to measure: a line for each.
    #[error("{0}")]
    Unreached(String),
    /// There is no login, or its file cannot be read or written.
    #[error("{0}")]
    Login(String),
    /// Files hold nothing of what the command is about.
    #[error("{0}")]
    Nothing(&'static str),
    /// The engine refuses: an option is out of range, or the budget cannot hold a preview.
    #[error(transparent)]
    Fit(#[from] snugfit_engine::Error),
}

impl Error {
    /// 2 for mistakes in the command line or the configuration, 1 for everything else.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Fit(snugfit_engine::Error::InvalidOption { .. }) => 2,
            Self::Proxy(error) => error.exit_code(),
            _ => 1,
        }
    }
}
