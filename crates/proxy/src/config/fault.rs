//! Mistakes in a configuration: where each is, what was expected.

use std::fmt;

/// The most mistakes that are told at once.
pub(super) const MAX_FAULTS: usize = 50;

/// A place in a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it is; `None` where the file as a whole is meant, or something that is no file.
    pub position: Option<Position>,
    /// The setting, such as `servers.github.url`; empty for the whole file.
    pub path: String,
    /// What was wrong and what was expected. Never holds the value of an environment variable.
    pub message: String,
}

impl Fault {
    /// A mistake at a place that has no path yet.
    pub(super) fn at(position: Position, message: impl Into<String>) -> Self {
        Self { position: Some(position), path: String::new(), message: message.into() }
    }
}

/// The mistakes of one configuration, at least one and at most fifty, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults {
    /// The file's path, or what else the configuration came from.
    pub origin: String,
    /// The mistakes.
    pub faults: Vec<Fault>,
}

impl fmt::Display for Faults {
    /// One line a mistake, `file:line:column: setting: message`; where there are several, after a line that says how many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = self.faults.len() > 1;
        if several {
            let first = if self.faults.len() < MAX_FAULTS { "" } else { "the first " };
            write!(f, "{first}{} mistakes in the configuration", self.faults.len())?;
        }
        for fault in &self.faults {
            if several {
                f.write_str("\n")?;
            }
            f.write_str(&self.origin)?;
            if let Some(position) = fault.position {
                write!(f, ":{position}")?;
            }
            if !fault.path.is_empty() {
                write!(f, ": {}", fault.path)?;
            }
            write!(f, ": {}", fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
