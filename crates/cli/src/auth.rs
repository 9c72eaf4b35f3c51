//! `snugfit auth`: logins to servers that give tokens to users.

use std::io::{self, Write};
use std::process::{Command as Process, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use snugfit_proxy::config::{Auth, Config, Transport};
use snugfit_proxy::log::harmless;
use snugfit_proxy::oauth::{Login, Token, Tokens, login};
use tokio::runtime::Builder;

use crate::columns::in_columns;
use crate::configuration::{Named, without_credentials};
use crate::error::Error;

/// Log in to servers with `auth: oauth`; list and forget logins
#[derive(clap::Args)]
#[command(display_name = "snugfit", after_help = "Example: snugfit auth login linear")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Log in to a server in the browser
    #[command(after_help = "Example: snugfit auth login linear --no-browser")]
    Login(LoginArgs),
    /// List the logins that there are
    #[command(after_help = "Example: snugfit auth list")]
    List,
    /// Forget the login to a server, or all of them
    #[command(after_help = "Example: snugfit auth clear linear")]
    Clear {
        /// What the configuration called the server at the login
        server: Option<String>,
    },
}

#[derive(clap::Args)]
struct LoginArgs {
    /// The server, by its name in the configuration; needed where several want a login
    server: Option<String>,
    #[command(flatten)]
    named: Named,
    /// The port of this machine that the browser comes back to; a free one without it
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address of the page, and open no browser
    #[arg(long)]
    no_browser: bool,
}

/// Does what is asked for.
pub(crate) fn run(args: Args) -> Result<(), Error> {
    let tokens = Tokens::of_user().map_err(Error::Login)?;
    let said = match args.command {
        Command::Login(args) => log_in(&args, &tokens)?,
        Command::List => list(&tokens)?,
        Command::Clear { server } => clear(server.as_deref(), &tokens)?,
    };
    io::stdout().write_all(said.as_bytes()).map_err(Error::Write)
}

fn log_in(args: &LoginArgs, tokens: &Tokens) -> Result<String, Error> {
    let config = args.named.load()?.config;
    let name = wanted(&config, args.server.as_deref())?;
    let server = &config.servers[name];
    let show = |page: &str| {
        // What is printed is what counts: there may be no browser here.
        let _ = writeln!(io::stderr(), "Open this page to log in to {}:\n\n  {}\n", harmless(name), harmless(page));
        if !args.no_browser {
            open(page);
        }
    };
    let runtime = Builder::new_current_thread().enable_all().build().map_err(Error::Start)?;
    let token = runtime.block_on(login(Login { name, server, port: args.port }, tokens, show)).map_err(Error::Login)?;
    Ok(format!("{}. The tokens are in {}\n", logged_in(name, &token.issuer, &token.scope), tokens.path().display()))
}

/// What there is now, in words of which some are the server's.
fn logged_in(name: &str, issuer: &str, scope: &str) -> String {
    let scope = if scope.is_empty() { String::new() } else { format!(", for {scope}") };
    harmless(&format!("Logged in to {name} at {issuer}{scope}"))
}

/// The server to log in to.
fn wanted<'a>(config: &'a Config, named: Option<&'a str>) -> Result<&'a str, Error> {
    let logs_in = |transport: &Transport| matches!(transport, Transport::Http { auth: Auth::Oauth { .. }, .. });
    let all: Vec<&str> = config.servers.iter().filter(|(_, server)| logs_in(&server.transport)).map(|(name, _)| name.as_str()).collect();
    match (named, &all[..]) {
        (Some(name), all) if all.contains(&name) => Ok(name),
        (None, [only]) => Ok(only),
        (_, []) => Err(Error::Usage("no server of the configuration has `auth: oauth`".to_owned())),
        (_, all) => Err(Error::Usage(format!("name a server with `auth: oauth`: {}", all.join(", ")))),
    }
}

fn list(tokens: &Tokens) -> Result<String, Error> {
    let all = tokens.read().map_err(Error::Login)?;
    if all.is_empty() {
        return Ok("There are no logins. `snugfit auth login SERVER` makes one.\n".to_owned());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let line = |(url, token): (&String, &Token)| {
        let holds = match token.expires_at {
            _ if token.can_be_renewed() => "renews itself".to_owned(),
            None => "holds".to_owned(),
            Some(at) if at > now => format!("for {} min", (at - now).div_ceil(60)),
            Some(_) => "over".to_owned(),
        };
        vec![token.server.clone(), holds, token.scope.clone(), without_credentials(url)]
    };
    Ok(in_columns(&["server", "login", "scopes", "url"], &all.iter().map(line).collect::<Vec<_>>()))
}

fn clear(server: Option<&str>, tokens: &Tokens) -> Result<String, Error> {
    let forget = |all: &mut std::collections::BTreeMap<String, Token>| {
        let before = all.len();
        all.retain(|_, token| server.is_some_and(|name| name != token.server));
        before - all.len()
    };
    match (tokens.change(forget).map_err(Error::Login)?, server) {
        (0, Some(name)) => Err(Error::Usage(format!("there is no login to {name:?}: `snugfit auth list` lists those that there are"))),
        (0, None) => Ok("There are no logins.\n".to_owned()),
        (1, _) => Ok("1 login is forgotten. The server may still take its tokens until they run out.\n".to_owned()),
        (n, _) => Ok(format!("{n} logins are forgotten. The servers may still take their tokens until they run out.\n")),
    }
}

/// Opens a page in the user's browser, where there is one.
fn open(page: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    // The address is printed as well.
    let _ = Process::new(program).args(first).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}

#[cfg(test)]
mod tests {
    use super::logged_in;

    #[test]
    fn what_a_server_says_does_not_act_on_the_terminal() {
        assert_eq!(logged_in("s", "https://as", ""), "Logged in to s at https://as");
        let said = logged_in("s", "https://as\x1b]0;title\x07", "read\x1b[2J\r\nwrite\u{202e}");
        assert!(said.chars().all(|c| !c.is_control() && c != '\u{202e}') && said.contains("read"), "{said:?}");
    }
}
