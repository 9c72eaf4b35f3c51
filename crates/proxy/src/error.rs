//! What keeps the proxy from starting or working.

/// The one error type of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configuration cannot be read or makes no sense.
    #[error(transparent)]
    Config(#[from] crate::config::Faults),
}

impl Error {
    /// The exit code of a command that ends with this error: 2 for mistakes in the configuration, 1 for everything else.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) => 2,
        }
    }
}
