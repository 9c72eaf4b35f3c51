//! What keeps the proxy from starting or working.

/// The one error type of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configuration cannot be read or makes no sense.
    #[error(transparent)]
    Config(#[from] crate::config::Faults),
    /// The configuration is well formed, and cannot be served.
    #[error("{0}")]
    Unusable(String),
    /// The store of originals cannot be made.
    #[error(transparent)]
    Store(#[from] snugfit_recovery::Error),
    /// A tool cannot be called, for what the proxy or its server says.
    #[error("{0}")]
    Call(String),
    /// A client cannot be reached, or an address not be listened on.
    #[error("{what}: {source}")]
    Io {
        /// What was to be done.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl Error {
    /// The exit code of a command that ends with this error: 2 for mistakes in the configuration, 1 for everything else.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Unusable(_) => 2,
            Self::Store(snugfit_recovery::Error::InvalidOption { .. }) => 2,
            Self::Store(_) | Self::Call(_) | Self::Io { .. } => 1,
        }
    }
}
