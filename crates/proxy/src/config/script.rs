//! Configurations in JavaScript. Node runs them, which the launcher of the npm package has at hand.

use std::env;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use super::load::MAX_BYTES;

/// Where the launcher says which Node there is, and what it is to run with the path of a script. No server gets to see these variables.
pub const NODE: [&str; 2] = ["SNUGFIT_NODE", "SNUGFIT_NODE_RUNS"];

/// Characters of an error that are told.
const MOST_WORDS: usize = 2000;

pub(super) fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["js", "mjs"].iter().any(|script| extension.eq_ignore_ascii_case(script)))
}

/// The JSON that a script gives, which may take as long as it likes. What it prints itself goes to stderr.
pub(super) fn evaluate(path: &Path) -> Result<String, String> {
    let [Some(node), Some(runs)] = NODE.map(env::var_os) else {
        return Err("a script needs Node: start snugfit by its npm package (npx snugfit), or write the configuration as YAML".to_owned());
    };
    let failed = |error: std::io::Error| format!("cannot be run: {error}");
    let path = std::path::absolute(path).map_err(failed)?;
    if !path.is_file() {
        return Err("cannot be read: there is no such file".to_owned());
    }
    // The standard input is the client's.
    let mut child = Command::new(node)
        .arg(runs)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(failed)?;
    let mut json = String::new();
    let read = child.stdout.take().map(|stdout| stdout.take(MAX_BYTES + 1).read_to_string(&mut json));
    if json.len() as u64 > MAX_BYTES {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("gives more than {} MiB", MAX_BYTES >> 20));
    }
    let status = child.wait().map_err(failed)?;
    match read {
        Some(Err(error)) => Err(failed(error)),
        _ if status.success() => Ok(json),
        _ if json.is_empty() => Err(format!("the script ended early: {status}")),
        // Why it failed.
        _ => Err(json.chars().take(MOST_WORDS).collect()),
    }
}
