//! The lists of servers, fetched once and kept until a server says that one has changed.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::time::timeout;

use crate::rpc::Object;
use crate::sync::lock;
use crate::upstream::Upstream;

/// How long a list is taken for current of a server that does not promise to say when it changes.
const TRUSTED: Duration = Duration::from_mins(1);
/// Pages of one list; a server that gives more does not end.
const MOST_PAGES: usize = 1000;

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::Templates];

    /// The request that asks for it.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    /// Where a result has it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// The capability of servers that have any.
    fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::Templates => "resources",
        }
    }
}

/// The entries of one list of one server, each as it was written.
pub(crate) type Entries = Arc<Vec<String>>;

/// The lists of one server.
#[derive(Default)]
pub(crate) struct Lists {
    kept: [Mutex<Option<Kept>>; Kind::ALL.len()],
    /// Held while a list is fetched: whoever asks meanwhile waits for the same one.
    fetching: [tokio::sync::Mutex<()>; Kind::ALL.len()],
    /// Counts the changes, so that a list that was under way when one came is not kept.
    changes: AtomicU64,
}

struct Kept {
    entries: Entries,
    since: Instant,
    changes: u64,
    /// The server says when it changes.
    promised: bool,
}

impl Lists {
    /// Something has changed: what is kept is asked for anew.
    pub(crate) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// A list as it is kept, if it is current.
    pub(crate) fn current(&self, kind: Kind) -> Option<Entries> {
        let kept = lock(&self.kept[kind as usize]);
        let kept = kept.as_ref()?;
        let current = kept.changes == self.changes.load(Ordering::SeqCst) && (kept.promised || kept.since.elapsed() < TRUSTED);
        current.then(|| Arc::clone(&kept.entries))
    }

    /// A list of a server; empty where it has none, does not answer in time or answers rubbish, which is logged.
    pub(crate) async fn get(&self, kind: Kind, upstream: &Upstream) -> Entries {
        let _fetching = self.fetching[kind as usize].lock().await;
        if let Some(entries) = self.current(kind) {
            return entries;
        }
        let wait = upstream.shared.config.limits.list_timeout.duration();
        let changes = self.changes.load(Ordering::SeqCst);
        let fetched = timeout(wait, fetch(kind, upstream, wait)).await;
        let why = match fetched {
            Ok(Ok((entries, promised))) => {
                let entries = Arc::new(entries);
                let kept = Kept { entries: Arc::clone(&entries), since: Instant::now(), changes, promised };
                *lock(&self.kept[kind as usize]) = Some(kept);
                return entries;
            }
            Ok(Err(why)) => why,
            Err(_) => format!("it gave no list within {} s", wait.as_secs_f32()),
        };
        upstream.shared.log.warn(format_args!("{}: {} is left out: {why}", upstream.name, kind.method()));
        Entries::default()
    }
}

/// All pages of a list, and whether the server says when it changes.
pub(crate) async fn fetch(kind: Kind, upstream: &Upstream, wait: Duration) -> Result<(Vec<String>, bool), String> {
    let ready = upstream.ready(wait).await.map_err(|error| error.to_string())?;
    if !ready.has(kind.capability()) {
        return Ok((Vec::new(), true));
    }
    let promised = ready.promises_changes(kind.capability());
    let mut entries = Vec::new();
    let mut seen = HashSet::new();
    let mut params = "{}".to_owned();
    for _ in 0..MOST_PAGES {
        let answer = upstream.request(kind.method(), &params, None, wait).await.map_err(|error| error.to_string())?;
        let result = match answer.outcome() {
            Ok(result) => result.to_owned(),
            // Servers that have some resources need not know of templates.
            Err(_) if kind == Kind::Templates => return Ok((entries, promised)),
            Err(error) => return Err(crate::upstream::error_parts(error).1),
        };
        let key = kind.key();
        let page = upstream.shared.work.run(move || {
            let page = Object::parse(&result).map_err(|error| error.to_string())?;
            let items = page.array(key).ok_or_else(|| format!("its result has no list of {key}"))?;
            let items: Vec<String> = items.into_iter().map(str::to_owned).collect();
            Ok::<_, String>((items, page.get("nextCursor").filter(|cursor| *cursor != "null").map(str::to_owned)))
        });
        let (items, next) = page.await??;
        entries.extend(items);
        // An empty cursor is one as well; one that came before leads round in a circle.
        match next {
            Some(cursor) if seen.insert(cursor.clone()) => params = format!(r#"{{"cursor":{cursor}}}"#),
            Some(_) => {
                upstream.shared.log.warn(format_args!("{}: {} gives a cursor for the second time", upstream.name, kind.method()));
                return Ok((entries, promised));
            }
            None => return Ok((entries, promised)),
        }
    }
    upstream.shared.log.warn(format_args!("{}: {} does not end after {MOST_PAGES} pages", upstream.name, kind.method()));
    Ok((entries, promised))
}
