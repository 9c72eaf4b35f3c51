//! The lists of servers, fetched once and kept until a server says that one has changed.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::mirror;
use crate::rpc::Object;
use crate::sync::lock;
use crate::upstream::Upstream;

/// How long a list is taken for current of a server that does not promise to say when it changes.
const TRUSTED: Duration = Duration::from_mins(1);
/// Pages of one list; a server that gives more does not end.
const MOST_PAGES: usize = 1000;
/// How long a server that gave no list is not asked again; twice as long after each further failure.
const RETRY: Duration = Duration::from_secs(5);
const LONGEST_RETRY: Duration = Duration::from_mins(5);

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
    pub(crate) fn capability(self) -> &'static str {
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
    failed: [Mutex<Option<Failed>>; Kind::ALL.len()],
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

/// A list that a server did not give.
struct Failed {
    /// What stands for it, the same until it is there.
    none: Entries,
    times: u32,
    again: Instant,
}

/// What is known of a list without asking.
pub(crate) enum Known {
    /// Nothing, or nothing that still holds.
    Nothing,
    /// It is current.
    Current(Entries),
    /// The server gave none; it is time to ask again where this is set.
    Failed(Entries, bool),
}

impl Lists {
    /// Something has changed: what is kept is asked for anew, also of a server that gave nothing before.
    pub(crate) fn changed(&self) {
        self.outdated();
        for failed in &self.failed {
            *lock(failed) = None;
        }
    }

    /// The server is gone: what is kept holds no longer.
    pub(crate) fn outdated(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// A list, as far as it is known. Whoever is told to ask again is the only one until the next time.
    pub(crate) fn known(&self, kind: Kind) -> Known {
        if let Some(entries) = self.current(kind) {
            return Known::Current(entries);
        }
        match &mut *lock(&self.failed[kind as usize]) {
            Some(failed) => {
                let due = Instant::now() >= failed.again;
                if due {
                    failed.again = Instant::now() + LONGEST_RETRY;
                }
                Known::Failed(Arc::clone(&failed.none), due)
            }
            None => Known::Nothing,
        }
    }

    /// Whether the server gave no list when it was asked last.
    pub(crate) fn has_failed(&self, kind: Kind) -> bool {
        lock(&self.failed[kind as usize]).is_some()
    }

    /// A list as it is kept, if it is current.
    fn current(&self, kind: Kind) -> Option<Entries> {
        let kept = lock(&self.kept[kind as usize]);
        let kept = kept.as_ref()?;
        let current = kept.changes == self.changes.load(Ordering::SeqCst) && (kept.promised || kept.since.elapsed() < TRUSTED);
        current.then(|| Arc::clone(&kept.entries))
    }

    /// A list of a server; empty where it has none, does not answer in time or answers rubbish, which is logged and kept in mind. `again`
    /// asks a server that gave none before.
    pub(crate) async fn get(&self, kind: Kind, upstream: &Upstream, again: bool) -> Entries {
        let _fetching = self.fetching[kind as usize].lock().await;
        match self.known(kind) {
            Known::Current(entries) => return entries,
            // Somebody else asked meanwhile.
            Known::Failed(none, _) if !again => return none,
            Known::Failed(..) | Known::Nothing => {}
        }
        let wait = upstream.shared.config.limits.list_timeout.duration();
        let changes = self.changes.load(Ordering::SeqCst);
        let fetched = timeout(wait, fetch(kind, upstream, wait)).await;
        let why = match fetched {
            Ok(Ok((entries, promised))) => {
                let entries = Arc::new(usable(kind, upstream, entries).await);
                let kept = Kept { entries: Arc::clone(&entries), since: Instant::now(), changes, promised };
                *lock(&self.kept[kind as usize]) = Some(kept);
                *lock(&self.failed[kind as usize]) = None;
                return entries;
            }
            Ok(Err(why)) => why,
            Err(_) => format!("it gave no list within {} s", wait.as_secs_f32()),
        };
        let mut failed = lock(&self.failed[kind as usize]);
        let (none, times) = failed.take().map_or_else(|| (Entries::default(), 0), |failed| (failed.none, failed.times));
        let wait = RETRY.saturating_mul(1 << times.min(8)).min(LONGEST_RETRY);
        *failed = Some(Failed { none: Arc::clone(&none), times: times + 1, again: Instant::now() + wait });
        drop(failed);
        upstream.shared.log.warn(format_args!(
            "{}: {} is left out: {why}; the server is asked again in {} s at the earliest",
            upstream.name,
            kind.method(),
            wait.as_secs()
        ));
        none
    }
}

/// The entries that may be used over the server's transport, which is told what headers have to repeat.
async fn usable(kind: Kind, upstream: &Upstream, entries: Vec<String>) -> Vec<String> {
    if kind != Kind::Tools || !upstream.now().is_some_and(|ready| ready.link.mirrors()) {
        return entries;
    }
    let (entries, mirrors, faults) = upstream.shared.work.run(move || mirror::sorted_out(entries)).await.unwrap_or_default();
    for fault in faults {
        upstream.shared.log.warn(format_args!("{}: {fault}", upstream.name));
    }
    upstream.mirror(mirrors);
    entries
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
        let answer = upstream.request(upstream.own(kind.method(), &*params, wait)).await.map_err(|error| error.to_string())?;
        let result = match answer.outcome() {
            Ok(result) => result.to_owned(),
            // Servers that have some resources need not know of templates.
            Err(_) if kind == Kind::Templates => return Ok((entries, promised)),
            Err(error) => return Err(crate::rpc::error_parts(error).1),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Policy, ResultFlags};
    use crate::log::{Level, Log};
    use crate::shared::Shared;

    /// A server that never comes up.
    fn gone() -> Upstream {
        let config: Config = serde_json::from_str(r#"{ "servers": { "a": { "command": ["gone"] } } }"#).expect("a configuration");
        let policy = Policy::new(&config, &ResultFlags::default(), None).expect("a policy");
        let server = config.servers["a"].clone();
        let shared = Arc::new(Shared::new(config, policy, Log::new(Level::Error)).expect("no store to make"));
        Upstream::new(0, "a".to_owned(), server, shared, Arc::default(), None)
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_that_failed_is_asked_for_again_at_longer_and_longer_intervals() {
        let (lists, upstream) = (Lists::default(), gone());
        assert!(matches!(lists.known(Kind::Tools), Known::Nothing));
        for seconds in [5, 10, 20, 40] {
            lists.get(Kind::Tools, &upstream, true).await;
            assert!(matches!(lists.known(Kind::Tools), Known::Failed(_, false)));
            tokio::time::advance(Duration::from_secs(seconds - 1)).await;
            assert!(matches!(lists.known(Kind::Tools), Known::Failed(_, false)), "before {seconds} s");
            tokio::time::advance(Duration::from_secs(1)).await;
            assert!(matches!(lists.known(Kind::Tools), Known::Failed(_, true)), "after {seconds} s");
            // Whoever is told asks; others need not.
            assert!(matches!(lists.known(Kind::Tools), Known::Failed(_, false)));
        }
        lists.changed();
        assert!(matches!(lists.known(Kind::Tools), Known::Nothing), "a server that says that its list is another is asked at once");
    }
}
