//! The tokens of the user's logins, in a file that only the user can read.

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::file;

/// What a login gave.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// What the configuration called the server.
    pub server: String,
    /// Who gave it out.
    pub issuer: String,
    /// The scopes that it is for, with spaces between.
    pub scope: String,
    /// When it runs out, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    pub(super) token_endpoint: String,
    pub(super) resource: String,
    pub(super) client: super::registration::Client,
    pub(super) access_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<String>,
}

impl Token {
    /// Whether it is good for at least so many seconds.
    #[must_use]
    pub fn holds_for(&self, seconds: u64) -> bool {
        self.expires_at.is_none_or(|at| at > now().saturating_add(seconds))
    }

    /// Whether a new one can be had without a login.
    #[must_use]
    pub fn can_be_renewed(&self) -> bool {
        self.refresh_token.is_some()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("server", &self.server).field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The file of all tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    path: PathBuf,
}

impl Tokens {
    /// The file in the user's folder of configurations.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn of_user() -> Result<Self, String> {
        let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = folder("XDG_CONFIG_HOME").or_else(|| folder("APPDATA")).or_else(|| env::home_dir().map(|home| home.join(".config")));
        let folder = folder.ok_or("there is no folder for tokens: set XDG_CONFIG_HOME or HOME")?;
        Ok(Self::at(folder.join("snugfit").join("tokens.json")))
    }

    /// The file at `path`.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All tokens, by the URLs of their servers.
    ///
    /// # Errors
    /// Why the file cannot be read. That there is none is no error.
    pub fn read(&self) -> Result<BTreeMap<String, Token>, String> {
        match fs::read(&self.path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                format!(
                    "{}: not a file of tokens (line {}, column {}); remove it, and log in again",
                    self.path.display(),
                    error.line(),
                    error.column()
                )
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(self.told(&error)),
        }
    }

    /// Changes the tokens, while nobody else does.
    ///
    /// # Errors
    /// Why the file cannot be read or written.
    pub fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Token>) -> T) -> Result<T, String> {
        let _alone = self.alone()?;
        self.change_alone(change)
    }

    /// As [`change`](Self::change), for whoever holds [`alone`](Self::alone).
    pub(super) fn change_alone<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Token>) -> T) -> Result<T, String> {
        let mut all = self.read()?;
        let before = all.clone();
        let changed = change(&mut all);
        if all != before {
            let mut text = serde_json::to_string_pretty(&all).map_err(|error| error.to_string())?;
            text.push('\n');
            file::replace(&self.path, &text, file::PRIVATE).map_err(|error| self.told(&error))?;
        }
        Ok(changed)
    }

    /// Waits until nobody else changes the tokens; nobody does until this is dropped. Blocks.
    pub(super) fn alone(&self) -> Result<File, String> {
        let locked = || {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(self.path.with_extension("lock"))?;
            file.lock()?;
            Ok(file)
        };
        locked().map_err(|error: io::Error| self.told(&error))
    }

    fn told(&self, error: &io::Error) -> String {
        format!("{}: {error}", self.path.display())
    }
}
