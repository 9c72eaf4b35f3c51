//! What becomes of the results of each tool, for one client.

use snugfit_engine::{Budget, Encoding};

use crate::config::{Mode, Policy, Profile, ToolPolicy};

/// The policy, and the client's profile.
#[derive(Debug)]
pub(crate) struct Rules {
    policy: Policy,
    profile: Profile,
}

impl Rules {
    /// The rules where the client gave `name` as its own.
    pub(crate) fn new(policy: Policy, name: Option<&str>) -> Self {
        Self { profile: policy.profile(name), policy }
    }

    /// What is done with the results of a tool of a server.
    pub(crate) fn of(&self, server: &str, tool: &str) -> ToolPolicy {
        self.policy.for_tool(server, tool, self.profile)
    }

    /// The budget of what belongs to no tool.
    pub(crate) fn budget(&self) -> Budget {
        self.of("", "").budget
    }

    /// Whether the results of tools that nothing else is said of are left alone.
    pub(crate) fn is_off(&self) -> bool {
        self.of("", "").mode == Mode::Off
    }

    /// What a user should know about a budget above what the client takes.
    pub(crate) fn warning(&self) -> Option<String> {
        self.policy.warning(self.profile)
    }
}

/// Whether any text of so many bytes is over a budget, however it is counted.
pub(super) fn surely_exceeds(budget: &Budget, bytes: usize) -> bool {
    let tokens = if budget.encoding == Encoding::ESTIMATE { bytes / 3 } else { 0 };
    let limits = [(budget.chars, bytes / 4), (budget.bytes, bytes), (budget.tokens, tokens)];
    limits.iter().any(|(limit, least)| limit.is_some_and(|limit| *least > limit))
}

/// Whether any text of so many bytes is within a budget, however it is counted.
pub(crate) fn surely_holds(budget: &Budget, bytes: usize) -> bool {
    let tokens = if budget.encoding == Encoding::ESTIMATE { bytes.div_ceil(3) } else { bytes };
    let limits = [(budget.chars, bytes), (budget.bytes, bytes), (budget.lines, bytes + 1), (budget.tokens, tokens)];
    limits.iter().all(|(limit, most)| limit.is_none_or(|limit| *most <= limit))
}
