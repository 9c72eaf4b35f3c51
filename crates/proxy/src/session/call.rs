//! Tool calls: to the server that has the tool, and the result within its budget back.

use std::sync::Arc;

use snugfit_engine::{Budget, Next, PageOptions, page};
use snugfit_recovery::Selector;

use super::plan::{Plan, Planner, Target};
use super::turn::Seat;
use super::{Answer, Session};
use crate::config::{Handling, Mode, Structured, ToolPolicy};
use crate::list::{ToolTable, text_result};
use crate::observe;
use crate::originals::Failed;
use crate::recovery;
use crate::results::{Call, Fate, demand, failure, first_text, fit, fit_error, surely_holds, toonified, with_first_text};
use crate::rpc::{Message, code, error_parts};
use crate::upstream::Upstream;

impl Session {
    /// Answers `tools/call`.
    pub(super) async fn call(self: &Arc<Self>, message: &Arc<Message>) -> Answer {
        // A server that is gone for a moment still owns the tools that it listed last.
        let mut last = self.last_tools();
        loop {
            let is_last = last.is_some();
            let table = match last.take() {
                Some(table) => table,
                None => match self.tools().await {
                    Ok(table) => table,
                    Err(why) => return Answer::error(code::INTERNAL, &why),
                },
            };
            let planner = Planner { session: Arc::clone(self), table: Arc::clone(&table), is_last };
            return match self.read(message, move |message| planner.plan(message)).await {
                Ok(Plan::Run(target)) => self.run(&table, *target, message).await,
                Ok(Plan::Recover(id, selector)) => self.recover(id, selector).await,
                Ok(Plan::Unknown(_)) if is_last => continue,
                Ok(Plan::Unknown(answer) | Plan::Answer(answer)) | Err(answer) => answer,
            };
        }
    }

    /// Runs a tool, unless what is asked for is still there.
    pub(super) async fn run(self: &Arc<Self>, table: &Arc<ToolTable>, mut target: Target, message: &Message) -> Answer {
        let upstream = &self.upstreams[target.server];
        let mut rules = self.rules().of(&upstream.name, &target.tool);
        let seat = if rules.mode == Mode::Off || target.full { None } else { self.turns.join() };
        observe::at(&upstream.name, &target.tool);
        // Credentials that change may be of somebody else by now.
        let may_recall = target.full && !upstream.logs_in();
        if let Some(key) = target.key.filter(|_| may_recall || target.cursor.is_some()) {
            match self.originals.of_call(&key).await {
                Ok(Some(original)) => {
                    observe::recovered(true);
                    return match &target.cursor {
                        Some(cursor) => self.next_page(original, cursor.clone(), rules, target.tool.clone()).await,
                        None => Answer::Result(original),
                    };
                }
                Ok(None) => {}
                Err(failed) if self.originals.passes() => self.shared.log.warn(failed),
                // It may be kept: the tool is not run again before the store has said that it is not.
                Err(failed) => return Answer::Result(failure(&failed.to_string())),
            }
        }
        let params = std::mem::take(&mut target.params);
        let answer = self.ask_for_tool(upstream, params, message).await;
        let Answer::Whole(response) = answer else { return answer };
        if let Err(error) = response.outcome() {
            return match self.fitted_error(error, rules).await {
                Some(error) => Answer::Error(error),
                None => Answer::Whole(response),
            };
        }
        if target.full {
            return Answer::Whole(response);
        }
        self.remember_task(target.server, &response);
        if let Some(cursor) = &target.cursor {
            let original = response.outcome().unwrap_or_default().to_owned();
            return self.next_page(original, cursor.clone(), rules, target.tool).await;
        }
        let response = Arc::new(response);
        if let Some(seat) = seat {
            rules.budget = self.share(&seat, rules, &response).await;
        }
        self.fitted(table, target, rules, response).await
    }

    /// Asks a server for a call. One that misses a header of an argument has changed what it wants repeated: it is asked for that, and again.
    pub(super) async fn ask_for_tool(self: &Arc<Self>, upstream: &Arc<Upstream>, params: String, message: &Message) -> Answer {
        if !upstream.now().is_some_and(|ready| ready.link.mirrors()) {
            return self.ask(upstream, "tools/call", params, message).await;
        }
        let answer = self.ask(upstream, "tools/call", params.clone(), message).await;
        if !answer.outcome().is_err_and(|error| error_parts(error).0 == code::HEADER_MISMATCH) {
            return answer;
        }
        self.lists[upstream.index].changed();
        match self.tools().await {
            Ok(_) => self.ask(upstream, "tools/call", params, message).await,
            Err(_) => answer,
        }
    }

    /// The budget of a result that shares an allowance with others.
    async fn share(&self, seat: &Seat, rules: ToolPolicy, response: &Arc<Message>) -> Budget {
        let (response, allowance) = (Arc::clone(response), seat.allowance());
        let size = response.outcome().unwrap_or_default().len();
        let demand = move || demand(response.outcome().unwrap_or_default(), &rules, allowance);
        match self.shared.work.sized(size, demand).await {
            Ok(Some(demand)) => seat.within(&rules.budget, demand).await,
            _ => rules.budget,
        }
    }

    /// The result within its budget.
    pub(super) async fn fitted(
        self: &Arc<Self>,
        table: &ToolTable,
        target: Target,
        mut rules: ToolPolicy,
        response: Arc<Message>,
    ) -> Answer {
        if rules.mode == Mode::Page && !target.paged {
            rules.mode = Mode::Trim;
        }
        let size = response.outcome().unwrap_or_default().len();
        if rules.mode == Mode::Off && self.shared.config.results.toonify {
            return self.toonified(response).await;
        }
        if rules.mode == Mode::Off || (surely_holds(&rules.budget, size) && rules.structured != Structured::Drop) {
            return whole(response);
        }
        let Target { server, tool, arguments, key, .. } = target;
        let call = Call {
            tool: tool.clone(),
            arguments,
            recovery_tool: table.recovery.clone().unwrap_or_else(|| snugfit_recovery::RECOVERY_TOOL.to_owned()),
            invoke_tool: table.invoke_tool().map(str::to_owned),
            cursor_param: (rules.mode == Mode::Page).then(|| self.shared.config.results.cursor_param.clone()),
        };
        let fate = self.originals.fit(&response, key, move |result, session| fit(result, &rules, call, session)).await;
        match fate {
            Ok((Fate::Changed { result, chars: (before, after), .. }, took)) => {
                observe::fitted(size, result.len(), took);
                self.shared.log.info(format_args!("{}.{tool}: {before} characters to {after}", self.servers[server]));
                Answer::Result(result)
            }
            Ok((Fate::Whole, _)) => whole(response),
            Err(Failed::Store(error)) if !self.originals.passes() => {
                self.shared.log.error(format_args!("{}.{tool}: {error}", self.servers[server]));
                Answer::Result(failure(&error.to_string()))
            }
            // A fault of ours must not cost the client its result.
            Err(failed) => {
                self.shared.log.error(format_args!("{}.{tool} goes out whole: {failed}", self.servers[server]));
                whole(response)
            }
        }
    }

    /// The error within the budget; `None` where it stays as it is.
    async fn fitted_error(&self, error: &str, rules: ToolPolicy) -> Option<String> {
        if rules.mode == Mode::Off || rules.errors == Handling::Keep || surely_holds(&rules.budget, error.len()) {
            return None;
        }
        let error = error.to_owned();
        self.shared.work.run(move || fit_error(&error, &rules.budget)).await.ok()?
    }

    /// The result as TOON, where that is shorter.
    async fn toonified(&self, response: Arc<Message>) -> Answer {
        let kept = Arc::clone(&response);
        match self.shared.work.run(move || toonified(kept.outcome().unwrap_or_default())).await {
            Ok(Some(result)) => Answer::Result(result),
            _ => whole(response),
        }
    }

    /// A later page of a result.
    async fn next_page(self: &Arc<Self>, original: String, cursor: String, rules: ToolPolicy, tool: String) -> Answer {
        let param = self.shared.config.results.cursor_param.clone();
        let made = self.shared.work.run(move || {
            let text = first_text(&original).unwrap_or_default();
            let options = PageOptions { cursor: Some(cursor), next: Next::Again { param }, ..PageOptions::default() };
            page(&text, &rules.budget, &options).map(|page| with_first_text(&original, &page.text))
        });
        match made.await {
            Ok(Ok(result)) => Answer::Result(result),
            Ok(Err(error)) => Answer::Result(failure(&error.to_string())),
            Err(why) => Answer::error(code::INTERNAL, &format!("{tool}: {why}")),
        }
    }

    /// Answers a call of the recovery tool.
    async fn recover(&self, id: String, selector: Option<Selector>) -> Answer {
        let budget = self.rules().budget();
        let read = move |original: &str| recovery::part(original, selector, &budget).map(|text| text_result(&text));
        let found = self.originals.read(&id, read).await;
        if !matches!(found, Err(Failed::Fault(_))) {
            observe::recovered(found.is_ok());
        }
        match found {
            Ok(Ok(result)) => Answer::Result(result),
            Ok(Err(error)) | Err(Failed::Store(error)) => Answer::Result(failure(&error.to_string())),
            Err(Failed::Fault(why)) => Answer::error(code::INTERNAL, &why),
        }
    }
}

/// The response that nobody else holds any longer.
fn whole(response: Arc<Message>) -> Answer {
    Answer::Whole(Arc::try_unwrap(response).unwrap_or_else(|shared| (*shared).clone()))
}
