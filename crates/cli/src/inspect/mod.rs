//! `snugfit inspect`: calls, their results and previews of them, in a browser.

mod align;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod lists;
mod open;
mod preview;
mod private;
mod recording;
mod serve;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use snugfit_proxy::config::{Config, Policy, TraceSink};
use snugfit_proxy::log::harmless;
use snugfit_proxy::{Proxy, Replay};
use tokio::runtime::Builder;

use crate::error::Error;
use crate::proxy;
use private::Folder;
use serve::{Inspected, Page};

/// Look at calls and previews of their results in a browser.
#[derive(clap::Args)]
#[command(
    display_name = "snugfit",
    override_usage = "snugfit inspect [OPTIONS] FILE\n       snugfit inspect [OPTIONS] -- COMMAND [ARG …] | URL",
    after_help = "FILE: a trace with payloads, which is followed; messages of the AI SDK, Anthropic or OpenAI; or any payload.\nWithout FILE: the proxy, as `snugfit proxy` runs it, and its calls as they happen. The page is for this machine\nonly; its address is on stderr. Example: snugfit inspect result.json"
)]
pub(crate) struct Args {
    /// A recording or a payload
    #[arg(conflicts_with = "server")]
    file: Option<PathBuf>,
    /// Configuration file, or JSON; searched for without it
    #[arg(short, long, value_name = "FILE")]
    config: Option<String>,
    /// Where the page is; a free port without it
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    #[arg(last = true, hide = true)]
    server: Vec<String>,
}

/// Serves the page: of a file until a signal comes, of a proxy for as long as that.
pub(crate) fn run(args: Args) -> Result<(), Error> {
    let (config, policy, log) = proxy::Args::for_server(args.config, args.server).set_up()?;
    let folder = Arc::new(Folder::new().map_err(Error::Start)?);
    let runtime = Builder::new_current_thread().enable_all().build().map_err(Error::Start)?;
    let replay = Replay::new(&config, policy.clone(), None)?;
    let served = match &args.file {
        Some(path) => {
            let inspected = Inspected::new(open::title(path), replay);
            open::open(path, &inspected, &folder)?;
            runtime.block_on(async {
                let page = page(args.port).await?;
                tokio::select! {
                    served = page.serve(inspected) => served.map_err(Error::Start),
                    () = signalled(&folder) => Ok(()),
                }
            })
        }
        None => runtime.block_on(with_proxy(config, policy, log, replay, args.port, &folder)),
    };
    // A read of a terminal that is under way would be waited for.
    runtime.shutdown_background();
    served
}

/// Serves the proxy, and the page beside it.
async fn with_proxy(
    mut config: Config,
    policy: Policy,
    log: snugfit_proxy::log::Log,
    replay: Replay,
    port: u16,
    folder: &Arc<Folder>,
) -> Result<(), Error> {
    let trace = &mut config.observability.trace;
    match trace.sink {
        TraceSink::Off => {
            trace.sink = TraceSink::File;
            trace.path = folder.path().join("trace.ndjson");
            folder.file("trace.ndjson").map_err(Error::Start)?;
            trace.payloads = true;
        }
        TraceSink::File if trace.payloads => {}
        _ => {
            return Err(Error::Usage(
                "the page reads the trace: set observability.trace.sink to off, or to file with payloads: true".to_owned(),
            ));
        }
    }
    let path = trace.path.clone();
    let proxy = Proxy::new(config, policy, log)?;
    let page = page(port).await?;
    let inspected = Inspected::new("live".to_owned(), replay);
    open::follow(&path, &inspected)?;
    let served = tokio::spawn(page.serve(Arc::clone(&inspected)));
    let ended = proxy.serve(signalled(folder)).await;
    served.abort();
    Ok(ended?)
}

/// Comes when a signal asks to end. What is in the folder goes even when a second one ends at once.
async fn signalled(folder: &Arc<Folder>) {
    let folder = Arc::clone(folder);
    proxy::signalled(move || folder.remove()).await;
}

/// Listens for the page, and says where it is.
async fn page(port: u16) -> Result<Page, Error> {
    let page = Page::listen(port).await.map_err(|source| {
        let what = format!("cannot listen on 127.0.0.1:{port}");
        snugfit_proxy::Error::Io { what, source }
    })?;
    tell(&format!("inspect: {}", page.url())).map_err(Error::Write)?;
    Ok(page)
}

/// Says something on standard error.
fn tell(line: &str) -> io::Result<()> {
    io::stderr().write_all(format!("{}\n", harmless(line)).as_bytes())
}
