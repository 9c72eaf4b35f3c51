//! The configuration that a subcommand is about: the one that is named, or the one that is found.

use std::env;
use std::path::{Path, PathBuf};

use snugfit_proxy::config::{FILE_NAMES, Loaded, Transport, load};

use crate::error::Error;

/// Names a configuration.
#[derive(clap::Args)]
pub(crate) struct Named {
    /// Configuration file, or JSON; searched for without it
    #[arg(short, long, value_name = "FILE")]
    config: Option<String>,
}

impl Named {
    /// Names a file.
    pub(crate) fn file(path: &str) -> Self {
        Self { config: Some(path.to_owned()) }
    }

    /// Loads the configuration; that there is none is a mistake, too.
    pub(crate) fn load(&self) -> Result<Loaded, Error> {
        let directory = directory()?;
        self.load_from(&directory)?.ok_or_else(|| {
            let names = FILE_NAMES.join(", ");
            Error::Usage(format!(
                "there is no configuration in {} or above it (looked for {names} with a key `snugfit`). `snugfit init` writes one, --config \
                 FILE names one",
                directory.display()
            ))
        })
    }

    /// Loads the configuration, if there is one.
    pub(crate) fn load_if_any(&self) -> Result<Option<Loaded>, Error> {
        self.load_from(&directory()?)
    }

    fn load_from(&self, directory: &Path) -> Result<Option<Loaded>, Error> {
        Ok(load(self.config.as_deref(), directory).map_err(snugfit_proxy::Error::from)?)
    }
}

fn directory() -> Result<PathBuf, Error> {
    env::current_dir().map_err(|source| Error::Read { name: "the working directory".to_owned(), source })
}

/// How a server is reached, in a few words without credentials.
pub(crate) fn reached(transport: &Transport) -> (&'static str, String) {
    match transport {
        Transport::Stdio { command, .. } => ("stdio", command.clone()),
        Transport::Http { url, .. } => ("http", without_credentials(url.expose())),
    }
}

/// A URL without what may be a credential: user, password, query and fragment.
pub(crate) fn without_credentials(url: &str) -> String {
    let url = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_no_credentials() {
        for (url, expected) in [
            ("https://h/mcp", "https://h/mcp"),
            ("https://user:s3cret@h:1/mcp?key=s3cret#s3cret", "https://h:1/mcp"),
            ("https://a@b@h?s3cret", "https://h"),
            ("https://h/@x", "https://h/@x"),
        ] {
            assert_eq!(without_credentials(url), expected, "{url}");
        }
    }
}
