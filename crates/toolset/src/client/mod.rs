//! Generated clients: small programs that call the tools of a session through its bridge: a command for shells ([`shell`]), and modules with
//! a function for each tool ([`code`]). They hold no parser.

pub mod code;
mod identifiers;
mod python;
pub mod shell;
mod types;
mod typescript;

/// Where a session's bridge listens, and what it asks for.
#[derive(Clone, PartialEq, Eq)]
pub struct Bridge {
    /// Such as `http://127.0.0.1:40123`.
    pub url: String,
    /// The bearer token.
    pub token: String,
}

/// Without the token.
impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridge").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A file of a generated client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, relative to the folder of the client.
    pub path: String,
    /// All of it.
    pub content: String,
    /// Its permissions on Unix, such as `0o700`.
    pub mode: u32,
}
