//! From files, texts and the environment to a [`Config`].

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::document::expand::expand;
use super::document::read::read;
use super::document::{Node, json, yaml};
use super::fault::{Fault, Faults, Position};
use super::{Config, check, foreign, script};

/// What a directory may have its configuration in, the first that is there counts. A `package.json` counts where it has the key `snugfit`.
pub const FILE_NAMES: [&str; 9] = [
    "snugfit.config.yaml",
    "snugfit.config.yml",
    "snugfit.config.json",
    "snugfit.config.js",
    "snugfit.config.mjs",
    ".snugfit.yaml",
    ".snugfit.yml",
    ".snugfit.json",
    PACKAGE,
];

const PACKAGE: &str = "package.json";

/// The key of a `package.json` that holds a configuration.
const PACKAGE_KEY: &str = "snugfit";

/// The largest configuration.
pub(super) const MAX_BYTES: u64 = 4 << 20;

/// A configuration and where it came from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The configuration; its paths are absolute.
    pub config: Config,
    /// The file, or what else it came from, for people to read.
    pub origin: String,
}

/// How a configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2.
    Yaml,
    /// JSON.
    Json,
    /// A `package.json`, of which only the key `snugfit` counts.
    Package,
}

/// Loads what `--config` names: a file, or JSON itself. Without it, the file that is found from `directory` upward; `None` where there is none.
///
/// # Errors
/// All mistakes of the configuration, or why it cannot be read.
pub fn load(named: Option<&str>, directory: &Path) -> Result<Option<Loaded>, Faults> {
    match named {
        Some(text) if text.trim_start().starts_with('{') => parse(text, Format::Json, "--config", directory, &variable).map(Some),
        Some(path) => load_as(&directory.join(path), path).map(Some),
        None => find(directory)?.map(|path| load_file(&path)).transpose(),
    }
}

/// The configuration file of a directory or the nearest one above it that has one.
///
/// # Errors
/// A `package.json` on the way cannot be read.
pub fn find(directory: &Path) -> Result<Option<PathBuf>, Faults> {
    for directory in directory.ancestors() {
        for path in FILE_NAMES.iter().map(|name| directory.join(name)).filter(|path| path.is_file()) {
            if !path.ends_with(PACKAGE) || has_key(&path)? {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

/// Loads a file.
///
/// # Errors
/// All its mistakes, or why it cannot be read.
pub fn load_file(path: &Path) -> Result<Loaded, Faults> {
    load_as(path, &path.display().to_string())
}

/// Loads a file that messages call `origin`.
fn load_as(path: &Path, origin: &str) -> Result<Loaded, Faults> {
    let lone = |message: String| Faults { origin: origin.to_owned(), faults: vec![Fault { position: None, path: String::new(), message }] };
    let base = std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
    if script::is_script(path) {
        let text = script::evaluate(path).map_err(lone)?;
        return parse(&text, Format::Json, &format!("{origin} (evaluated)"), &base, &variable);
    }
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        _ if path.ends_with(PACKAGE) => Format::Package,
        Some("json") => Format::Json,
        Some("yaml" | "yml") => Format::Yaml,
        _ => return Err(lone("expected a file that ends in .yaml, .yml, .json, .js or .mjs".to_owned())),
    };
    let bytes = read_file(path).map_err(|error| lone(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
        let fault = Fault::at(end_of(&before), "not UTF-8 from here on");
        Faults { origin: origin.to_owned(), faults: vec![fault] }
    })?;
    parse(&text, format, origin, &base, &variable)
}

/// Reads a configuration that is already text. `base` is what its relative paths start from, `lookup` gives environment variables.
///
/// # Errors
/// All its mistakes.
///
/// ```
/// use std::path::Path;
/// use snugfit_proxy::config::{Format, Mode, parse};
/// let text = "servers:\n  files: { command: [server-files] }\nresults: { mode: pgae }\n";
/// let faults = parse(text, Format::Yaml, "a.yaml", Path::new("/etc"), &|_| None).unwrap_err();
/// assert_eq!(faults.to_string(), "a.yaml:3:18: results.mode: unknown value `pgae`; did you mean `page`?");
/// ```
pub fn parse(text: &str, format: Format, origin: &str, base: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Loaded, Faults> {
    let config = read_text(text, format, lookup).map_err(|mut faults| {
        faults.sort_by_key(|fault| fault.position);
        Faults { origin: origin.to_owned(), faults }
    })?;
    Ok(Loaded { config: config.with_paths_from(base), origin: origin.to_owned() })
}

fn read_text(text: &str, format: Format, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Config, Vec<Fault>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = match format {
        Format::Yaml => yaml::parse(text),
        Format::Json | Format::Package => json::parse(text),
    };
    let mut root = parsed.map_err(|fault| vec![fault])?;
    if format == Format::Package {
        let at = root.at;
        root = root.take(PACKAGE_KEY).unwrap_or_else(|| Node::empty(at));
    }
    let mut faults = foreign::adopt(&mut root);
    expand(&mut root, lookup, &mut faults);
    let config = read::<Config>(&mut root, faults)?;
    let faults = check::check(&config, &root);
    if faults.is_empty() { Ok(config) } else { Err(faults) }
}

impl Config {
    /// Makes paths absolute.
    fn with_paths_from(mut self, base: &Path) -> Self {
        let paths = [&mut self.observability.trace.path, &mut self.observability.audit.path].into_iter();
        let directories = self.servers.values_mut().filter_map(|server| match &mut server.transport {
            super::Transport::Stdio { cwd, .. } => cwd.as_mut(),
            super::Transport::Http { .. } => None,
        });
        let surface = [self.surface.output_dir.as_mut(), self.surface.files_dir.as_mut()].into_iter().flatten();
        for path in paths.chain(self.list.cache_path.as_mut()).chain(surface).chain(directories) {
            *path = base.join(&path);
        }
        self
    }
}

/// Whether a `package.json` has the key. One that is no JSON is somebody else's to mend.
fn has_key(path: &Path) -> Result<bool, Faults> {
    let bytes = read_file(path).map_err(|error| Faults {
        origin: path.display().to_string(),
        faults: vec![Fault { position: None, path: String::new(), message: format!("cannot be read: {error}") }],
    })?;
    let manifest = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap_or_default();
    Ok(manifest.get(PACKAGE_KEY).is_some())
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    // Bounded while reading, too: what is named may be a device or grow.
    fs::File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("larger than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// The position after a text.
fn end_of(text: &str) -> Position {
    let line = text.rsplit('\n').next().unwrap_or_default();
    Position { line: text.matches('\n').count() + 1, column: line.chars().count() + 1 }
}
