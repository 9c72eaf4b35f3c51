//! The file of shrunk descriptions: safe to check in, and to write by hand or with a model.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::{fs, io};

use crate::file;

/// What the file holds: descriptions by the hash of what they were. Empty where there is none yet.
pub(crate) fn read(path: &Path) -> Result<HashMap<String, String>, String> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| format!("{}: not an object of descriptions: {error}", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HashMap::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Adds descriptions to the file, which is replaced as a whole: nobody ever reads half of one.
pub(crate) fn add(path: &Path, more: BTreeMap<String, String>) -> Result<(), String> {
    let known = read(path)?;
    if more.keys().all(|key| known.contains_key(key)) {
        return Ok(());
    }
    let mut all = more;
    // What stands there was perhaps written by somebody.
    all.extend(known);
    let mut text = serde_json::to_string_pretty(&all).map_err(|error| error.to_string())?;
    text.push('\n');
    file::replace(path, &text, file::OPEN).map_err(|error| format!("{}: {error}", path.display()))
}
