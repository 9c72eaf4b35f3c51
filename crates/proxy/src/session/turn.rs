//! The turns of a client: calls that it makes at once, whose results share an allowance.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use snugfit_engine::Budget;
use snugfit_recovery::{Allowance, Turn};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::config::TurnBudget;
use crate::sync::lock;

/// The turns of a client, one after the other.
pub(super) struct Turns {
    budget: Option<TurnBudget>,
    open: Mutex<Option<Arc<OpenTurn>>>,
}

struct OpenTurn {
    allowance: Allowance,
    /// Later calls belong to another turn, and no result waits longer.
    ends: Instant,
    shares: Mutex<Shares>,
}

struct Shares {
    turn: Turn,
    /// Results that wait for theirs.
    waiting: HashMap<u32, oneshot::Sender<usize>>,
}

impl Shares {
    fn tell(&mut self, certain: Vec<(u32, usize)>) {
        for (call, share) in certain {
            if let Some(waits) = self.waiting.remove(&call) {
                // Nobody may be waiting any longer.
                let _ = waits.send(share);
            }
        }
    }
}

impl Turns {
    pub(super) fn new(budget: Option<TurnBudget>) -> Self {
        Self { budget, open: Mutex::default() }
    }

    /// A call begins; `None` where results share nothing.
    pub(super) fn join(&self) -> Option<Seat> {
        let budget = self.budget.as_ref()?;
        let mut open = lock(&self.open);
        let now = Instant::now();
        let turn = match &*open {
            Some(turn) if now < turn.ends => Arc::clone(turn),
            _ => {
                let allowance = budget.allowance();
                let shares = Shares { turn: Turn::new(allowance, 0), waiting: HashMap::new() };
                let turn = OpenTurn { allowance, ends: now + budget.window.duration(), shares: Mutex::new(shares) };
                Arc::clone(open.insert(Arc::new(turn)))
            }
        };
        let call = lock(&turn.shares).turn.join();
        Some(Seat { turn, call })
    }
}

/// The place of a call in its turn. Whoever drops it leaves the turn.
pub(super) struct Seat {
    turn: Arc<OpenTurn>,
    call: u32,
}

impl Seat {
    pub(super) fn allowance(&self) -> Allowance {
        self.turn.allowance
    }

    /// The budget of a result that needs so much, once its share is certain or the turn is over.
    pub(super) async fn within(&self, own: &Budget, demand: usize) -> Budget {
        let (tell, mut told) = oneshot::channel();
        {
            let mut shares = lock(&self.turn.shares);
            shares.waiting.insert(self.call, tell);
            let certain = shares.turn.claim(self.call, demand);
            shares.tell(certain);
        }
        let share = match timeout_at(self.turn.ends, &mut told).await {
            Ok(share) => share.ok(),
            // It may have come at the last moment.
            Err(_) => lock(&self.turn.shares).turn.now(self.call).or_else(|| told.try_recv().ok()),
        };
        self.turn.allowance.within(own, share.unwrap_or_else(|| self.turn.allowance.least()))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut shares = lock(&self.turn.shares);
        shares.waiting.remove(&self.call);
        let certain = shares.turn.leave(self.call);
        shares.tell(certain);
    }
}
