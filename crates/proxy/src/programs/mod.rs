//! Commands and modules in the place of the tools, for agents that work through a shell or write programs on this machine: a program for each
//! server, which calls the tools through a bridge.

mod bridge;
mod originals;
mod program;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use hyper_util::service::TowerToHyperService;
use snugfit_recovery::Session as Originals;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::SurfaceKind;
use crate::error::Error;
use crate::file;
use crate::inbound::{Listener, listen_on_loopback};
use crate::random;
use crate::session::Session;
use crate::shared::Shared;

pub(crate) use originals::before as before_ids;
pub use originals::clean;
pub(crate) use program::Program;

/// Where programs are, and how they reach the bridge.
#[derive(Clone)]
pub(crate) struct Place {
    /// The bridge, such as `http://127.0.0.1:40123`.
    pub(crate) url: String,
    /// Its bearer token.
    pub(crate) token: String,
    /// The folder with the programs.
    pub(crate) folder: PathBuf,
    /// Keeps complete results in files.
    pub(crate) originals: Arc<Originals>,
}

/// Without the token.
impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("url", &self.url).field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Place {
    /// Writes the files of programs; what fails is told in words.
    pub(crate) fn write(&self, programs: &[Program]) -> Result<(), String> {
        let mut files = programs.iter().flat_map(|program| program.files(self));
        let written = files.try_for_each(|file| file::replace(&self.folder.join(&file.path), &file.content, file.mode));
        written.map_err(|error| format!("{} cannot be written to: {error}", self.folder.display()))
    }
}

/// A bridge that is listened on and not yet answered.
pub(crate) struct Opened {
    listener: Listener,
    place: Place,
    /// The folder is ours alone, and goes with us.
    temporary: bool,
}

/// Opens the bridge, where programs are to stand in the place of the tools.
///
/// # Errors
/// It cannot be listened on, or the folder for the programs not be made.
pub(crate) async fn open(shared: &Shared) -> Result<Option<Opened>, Error> {
    let surface = &shared.config.surface;
    if surface.kind == SurfaceKind::Tools {
        return Ok(None);
    }
    let listener = listen_on_loopback().await?;
    let (folder, temporary) = match &surface.output_dir {
        Some(folder) => (std::path::absolute(folder).unwrap_or_else(|_| folder.clone()), false),
        None => (std::env::temp_dir().join(format!("snugfit-{}", unguessable(12)?)), true),
    };
    let made = if temporary { make_private(&folder) } else { fs::create_dir_all(&folder) };
    made.map_err(|source| Error::Io { what: format!("the folder for programs, {}", folder.display()), source })?;
    let place = Place {
        url: format!("http://{}", listener.address),
        token: unguessable(32)?,
        folder,
        originals: Arc::new(originals::session(surface)?),
    };
    shared.place(place.clone());
    Ok(Some(Opened { listener, place, temporary }))
}

/// Makes a folder that only its owner can look into.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn unguessable(bytes: usize) -> Result<String, Error> {
    random::text(bytes).map_err(|source| Error::Io { what: "the programs' token".to_owned(), source })
}

/// Programs that are there for as long as this is.
pub(crate) struct Programs {
    folder: Option<PathBuf>,
    end: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

/// How long a program may take to send its request.
const PATIENCE: Duration = Duration::from_secs(30);

impl Opened {
    /// Answers programs with the tools of a session, and writes the programs once the tools are known.
    pub(crate) fn serve(self, session: &Arc<Session>) -> Programs {
        let (end, mut ended) = watch::channel(false);
        let router = bridge::router(session, &self.place);
        let over = async move { drop(ended.wait_for(|ended| *ended).await) };
        let serving = tokio::spawn(self.listener.serve(TowerToHyperService::new(router), PATIENCE, over, std::future::ready(())));
        let (session, place) = (Arc::clone(session), self.place);
        let folder = self.temporary.then(|| place.folder.clone());
        tokio::spawn(async move { session.announce_programs(&place).await });
        Programs { folder, end, serving }
    }
}

impl Programs {
    /// Refuses new calls, lets those under way come to their end for a moment, and removes what is of no use to anybody then.
    pub(crate) async fn close(self) {
        self.end.send_replace(true);
        let _ = self.serving.await;
        if let Some(folder) = &self.folder {
            // One that stays behind harms nobody: its programs say that they are of no use.
            let _ = fs::remove_dir_all(folder);
        }
    }
}
