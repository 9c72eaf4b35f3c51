//! `snugfit proxy`: between an MCP client and MCP servers.

use std::io;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use snugfit_proxy::Proxy;
use snugfit_proxy::config::{
    Budget, Compression, Config, Glob, MAX_TOKENS_VARIABLE, Mode, Policy, Prefix, ResultFlags, Secret, Server, SurfaceKind, Transport, load,
};
use snugfit_proxy::log::{Level, Log};
use snugfit_proxy::names::{server_name, unusable};
use tokio::runtime::Builder;

use crate::error::Error;

/// Stand between an MCP client and MCP servers.
#[derive(clap::Args, Default)]
#[command(
    display_name = "snugfit",
    override_usage = "snugfit proxy [OPTIONS] -- COMMAND [ARG …] | URL\n       snugfit proxy --config FILE",
    after_help = "More: --output-dir DIR, --files-dir DIR, --cursor-param NAME, --toonify, --log-level LEVEL\nExample: snugfit proxy --max-tokens 8000 -- npx -y @modelcontextprotocol/server-filesystem ."
)]
pub(crate) struct Args {
    /// Configuration file, or JSON; searched for without it
    #[arg(short, long, value_name = "FILE")]
    config: Option<String>,
    /// What the server is called; stands before its tools' names
    #[arg(long, value_name = "NAME", value_parser = name)]
    server_name: Option<String>,
    /// At most N tokens a result, by the high estimate
    #[arg(long, value_name = "N", conflicts_with = "shrinkfit")]
    max_tokens: Option<usize>,
    /// At most N characters a result
    #[arg(long, value_name = "N", conflicts_with = "shrinkfit")]
    max_chars: Option<usize>,
    /// Larger results: condense, page, trim, or off
    #[arg(long, value_name = "MODE", value_parser = ["condense", "page", "trim", "off"], hide_possible_values = true, conflicts_with = "shrinkfit")]
    mode: Option<String>,
    /// Condense to N characters (20000 without N)
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "20000", value_parser = shrinkfit)]
    shrinkfit: Option<usize>,
    /// List wrappers for the tools: low, medium, high, max
    #[arg(long, value_name = "LEVEL", value_parser = ["low", "medium", "high", "max", "off"], hide_possible_values = true)]
    compression: Option<String>,
    /// Only tools, prompts and resources that match
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    include: Vec<String>,
    /// No tools, prompts and resources that match
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    exclude: Vec<String>,
    /// With --mode page: the parameter for the next page
    #[arg(long, value_name = "NAME", hide = true, value_parser = NonEmptyStringValueParser::new())]
    cursor_param: Option<String>,
    /// With --mode off: JSON results as TOON
    #[arg(long, hide = true)]
    toonify: bool,
    /// A header of every request to the URL; repeatable
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, Secret)>,
    /// A command of the shell for each server, in the place of its tools
    #[arg(long, conflicts_with_all = ["code_mode", "compression"])]
    cli_mode: bool,
    /// A module for each server instead: typescript, python
    #[arg(long, value_name = "LANGUAGE", value_parser = ["typescript", "python"], hide_possible_values = true, conflicts_with = "compression")]
    code_mode: Option<String>,
    /// The folder for commands and modules
    #[arg(long, value_name = "DIR", hide = true)]
    output_dir: Option<PathBuf>,
    /// The folder for complete results of commands and modules
    #[arg(long, value_name = "DIR", hide = true)]
    files_dir: Option<PathBuf>,
    /// Say nothing of results that were cut
    #[arg(long)]
    quiet: bool,
    /// error, warn, info, or debug
    #[arg(long, value_name = "LEVEL", value_parser = ["off", "error", "warn", "info", "debug"], hide = true)]
    log_level: Option<String>,
    #[arg(long, hide = true)]
    just_bash: bool,
    #[arg(trailing_var_arg = true, hide = true)]
    server: Vec<String>,
}

/// Serves until the client is gone, or a signal comes.
pub(crate) fn run(args: Args) -> Result<(), Error> {
    if args.just_bash {
        return Err(Error::Usage(
            "--just-bash is for Node hosts: use transformToolsForJustBash of the npm package, or CompressorClient of snugfit/client"
                .to_owned(),
        ));
    }
    let (config, policy, log) = args.set_up()?;
    let proxy = Proxy::new(config, policy, log)?;
    let runtime = Builder::new_current_thread().enable_all().build().map_err(Error::Start)?;
    let served = runtime.block_on(proxy.serve(signalled(|| ())));
    // A read of a terminal that is under way would be waited for.
    runtime.shutdown_background();
    Ok(served?)
}

impl Args {
    /// The configuration alone.
    pub(crate) fn of(config: Option<String>) -> Self {
        Self { config, ..Self::default() }
    }

    /// The configuration, or one server.
    pub(crate) fn for_server(config: Option<String>, server: Vec<String>) -> Self {
        Self { config, server, ..Self::default() }
    }

    /// What a proxy is made of.
    pub(crate) fn set_up(self) -> Result<(Config, Policy, Log), Error> {
        let log = Log::new(self.level());
        let flags = self.flags()?;
        let config = self.config()?;
        let policy =
            Policy::new(&config, &flags, std::env::var(MAX_TOKENS_VARIABLE).ok().as_deref()).map_err(snugfit_proxy::Error::from)?;
        Ok((config, policy, log))
    }

    fn level(&self) -> Level {
        match self.log_level.as_deref() {
            Some("off") => Level::Off,
            Some("error") => Level::Error,
            Some("warn") => Level::Warn,
            Some("debug") => Level::Debug,
            None if self.quiet => Level::Warn,
            _ => Level::Info,
        }
    }

    /// The configuration: that of the one server after `--`, or of a file, with what the other options say in its place.
    fn config(self) -> Result<Config, Error> {
        let mut config = self.file()?;
        let named = self.server_name.is_some();
        if let Some((program, rest)) = self.server.split_first() {
            if self.shrinkfit.is_some() && program.parse::<usize>().is_ok() {
                return Err(Error::Usage(format!(
                    "{program} is taken for a server: the budget follows a `=`, as in --shrinkfit={program}"
                )));
            }
            let transport = if program.starts_with("http://") || program.starts_with("https://") {
                if !rest.is_empty() {
                    return Err(Error::Usage(format!("a URL stands alone after --, without {:?}", rest[0])));
                }
                Transport::endpoint(program, self.header)
            } else {
                if !self.header.is_empty() {
                    return Err(Error::Usage("--header is for a server behind a URL".to_owned()));
                }
                Transport::program(program, rest.to_vec())
            };
            let words: Vec<&str> = self.server.iter().map(String::as_str).collect();
            let name = self.server_name.unwrap_or_else(|| server_name(&words));
            config.servers.insert(name, Server::new(transport));
            config.names.prefix = if named { Prefix::Always } else { Prefix::Auto };
        }
        if let Some(level) = self.compression {
            config.list.compression = match level.as_str() {
                "low" => Compression::Low,
                "medium" => Compression::Medium,
                "high" => Compression::High,
                "max" => Compression::Max,
                _ => Compression::Off,
            };
        }
        match self.code_mode.as_deref() {
            _ if self.cli_mode => config.surface.kind = SurfaceKind::Cli,
            Some("python") => config.surface.kind = SurfaceKind::Python,
            Some(_) => config.surface.kind = SurfaceKind::TypeScript,
            None => {}
        }
        if config.surface.kind == SurfaceKind::Tools && (self.output_dir.is_some() || self.files_dir.is_some()) {
            return Err(Error::Usage("--output-dir and --files-dir go with --cli-mode or --code-mode".to_owned()));
        }
        let surface = &mut config.surface;
        surface.output_dir = self.output_dir.or(surface.output_dir.take());
        surface.files_dir = self.files_dir.or(surface.files_dir.take());
        config.filters.allow.extend(globs("--include", &self.include)?);
        config.filters.deny.extend(globs("--exclude", &self.exclude)?);
        if let Some(param) = self.cursor_param {
            config.results.cursor_param = param;
        }
        config.results.toonify |= self.toonify;
        Ok(config)
    }

    /// The configuration that is named, or found where no server is named after `--`.
    fn file(&self) -> Result<Config, Error> {
        if self.config.is_none() && !self.server.is_empty() {
            return Ok(Config::default());
        }
        let directory = std::env::current_dir().unwrap_or_default();
        let loaded = load(self.config.as_deref(), &directory).map_err(snugfit_proxy::Error::from)?;
        let config = loaded.map(|loaded| loaded.config).unwrap_or_default();
        if !self.server.is_empty() && !config.servers.is_empty() {
            return Err(Error::Usage("name the servers in the configuration or one after --, not both".to_owned()));
        }
        Ok(config)
    }

    /// What the options say about results.
    fn flags(&self) -> Result<ResultFlags, Error> {
        if let Some(chars) = self.shrinkfit {
            let budget = Budget::new(None, Some(chars)).map_err(Error::Usage)?;
            return Ok(ResultFlags { mode: Some(Mode::Condense), budget: Some(budget) });
        }
        let mode = self.mode.as_deref().map(|mode| match mode {
            "page" => Mode::Page,
            "trim" => Mode::Trim,
            "off" => Mode::Off,
            _ => Mode::Condense,
        });
        let budget = if self.max_tokens.is_some() || self.max_chars.is_some() {
            Some(Budget::new(self.max_tokens, self.max_chars).map_err(Error::Usage)?)
        } else {
            None
        };
        Ok(ResultFlags { mode, budget })
    }
}

/// Patterns match `<server>.<name>`; one without a dot is meant for the name alone.
fn globs(option: &str, patterns: &[String]) -> Result<Vec<Glob>, Error> {
    let whole = |pattern: &String| if pattern.contains(['.', ':']) { pattern.clone() } else { format!("*.{pattern}") };
    let glob = |pattern: &String| Glob::new(&whole(pattern)).map_err(|fault| Error::Usage(format!("{option} {pattern:?}: {fault}")));
    patterns.iter().map(glob).collect()
}

fn shrinkfit(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|chars| *chars >= 1024).ok_or_else(|| "a whole number of characters, at least 1024".to_owned())
}

fn name(text: &str) -> Result<String, &'static str> {
    unusable(text).map_or_else(|| Ok(text.to_owned()), Err)
}

fn header(text: &str) -> Result<(String, Secret), String> {
    let (name, value) = text.split_once(':').ok_or("a header is written as 'Name: value'")?;
    Ok((name.trim().to_owned(), Secret::new(value.trim())))
}

/// Comes when a signal asks to end. A second one ends at once, after what is done `at_last`.
pub(crate) async fn signalled(at_last: impl FnOnce() + Send + 'static) {
    let first = signal().await;
    tokio::spawn(async move {
        if signal().await.is_ok() {
            at_last();
            std::process::exit(1);
        }
    });
    if first.is_err() {
        // Without signals there is nothing to wait for here.
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut term, mut int, mut hup) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?);
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
        _ = hup.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
