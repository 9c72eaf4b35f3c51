//! Figures for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use snugfit_recovery::Session as Originals;

use super::health::Health;
use crate::sync::lock;

/// Series of one figure; tools beyond them are counted as `other`.
const MOST_SERIES: usize = 2000;
const OTHER: &str = "other";

/// Upper bounds in seconds: calls wait for servers, fitting is a matter of milliseconds.
const CALL_SECONDS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 300.0];
const FIT_SECONDS: [f64; 10] = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 2.5];

/// The figures of a proxy.
#[derive(Debug)]
pub(super) struct Metrics {
    figures: Mutex<Figures>,
    /// The stores of all sessions.
    stores: Mutex<Vec<Weak<Originals>>>,
}

#[derive(Debug)]
struct Figures {
    /// By server, tool and whether it went well.
    calls: BTreeMap<(String, String, bool), u64>,
    /// By server.
    durations: BTreeMap<String, Histogram>,
    /// By server and what was made smaller.
    saved: BTreeMap<(String, &'static str), u64>,
    fit: Histogram,
    /// Recoveries that found nothing, and those that did.
    recoveries: [u64; 2],
}

impl Metrics {
    pub(super) fn new() -> Self {
        let fit = Histogram::new(&FIT_SECONDS);
        let figures = Figures { calls: BTreeMap::new(), durations: BTreeMap::new(), saved: BTreeMap::new(), fit, recoveries: [0; 2] };
        Self { figures: Mutex::new(figures), stores: Mutex::default() }
    }

    pub(super) fn called(&self, upstream: &str, tool: &str, ok: bool, took: Duration) {
        let mut figures = lock(&self.figures);
        let mut key = (upstream.to_owned(), tool.to_owned(), ok);
        if figures.calls.len() >= MOST_SERIES && !figures.calls.contains_key(&key) {
            OTHER.clone_into(&mut key.1);
        }
        *figures.calls.entry(key).or_default() += 1;
        figures.durations.entry(upstream.to_owned()).or_insert_with(|| Histogram::new(&CALL_SECONDS)).add(took);
    }

    /// Tokens that a client was not sent: of a `list` or a `result`.
    pub(super) fn saved(&self, upstream: &str, what: &'static str, tokens: u64) {
        *lock(&self.figures).saved.entry((upstream.to_owned(), what)).or_default() += tokens;
    }

    pub(super) fn fitted(&self, took: Duration) {
        lock(&self.figures).fit.add(took);
    }

    pub(super) fn recovered(&self, hit: bool) {
        lock(&self.figures).recoveries[usize::from(hit)] += 1;
    }

    /// Looks into a store as long as it is there.
    pub(super) fn watch(&self, originals: &Arc<Originals>) {
        let mut stores = lock(&self.stores);
        stores.retain(|store| store.strong_count() > 0);
        stores.push(Arc::downgrade(originals));
    }

    /// All figures in the text format of Prometheus.
    pub(super) fn text(&self, health: &Health) -> String {
        let mut page = Page::default();
        let figures = lock(&self.figures);
        page.about("snugfit_calls_total", "counter", "Calls of tools.");
        for ((upstream, tool, ok), count) in &figures.calls {
            page.sample("snugfit_calls_total", &[("upstream", upstream), ("tool", tool), ("ok", flag(*ok))], *count as f64);
        }
        page.about("snugfit_call_duration_seconds", "histogram", "How long calls took, as the client waited.");
        for (upstream, histogram) in &figures.durations {
            page.histogram("snugfit_call_duration_seconds", &[("upstream", upstream)], histogram);
        }
        page.about(
            "snugfit_tokens_saved_total",
            "counter",
            "Tokens that clients were not sent, by the high estimate of a third of the bytes.",
        );
        for ((upstream, what), tokens) in &figures.saved {
            page.sample("snugfit_tokens_saved_total", &[("upstream", upstream), ("what", what)], *tokens as f64);
        }
        page.about("snugfit_fit_seconds", "histogram", "How long fitting a result took.");
        page.histogram("snugfit_fit_seconds", &[], &figures.fit);
        page.about("snugfit_recoveries_total", "counter", "Originals that were asked for, and whether they were still there.");
        for (hit, count) in [(false, figures.recoveries[0]), (true, figures.recoveries[1])] {
            page.sample("snugfit_recoveries_total", &[("hit", flag(hit))], count as f64);
        }
        drop(figures);
        page.about("snugfit_upstream_up", "gauge", "Whether a server is connected.");
        for (upstream, up) in health.servers() {
            page.sample("snugfit_upstream_up", &[("upstream", upstream)], f64::from(u8::from(up)));
        }
        if let Some(figures) = health.store() {
            page.about("snugfit_store_up", "gauge", "Whether the store that proxies share answered last.");
            page.sample("snugfit_store_up", &[], f64::from(u8::from(figures.is_up)));
            page.about("snugfit_store_requests_total", "counter", "Requests to the store that proxies share.");
            for (ok, count) in [(true, figures.answered), (false, figures.failed)] {
                page.sample("snugfit_store_requests_total", &[("ok", flag(ok))], count as f64);
            }
            page.about("snugfit_store_request_seconds", "summary", "How long requests to the store that proxies share took.");
            page.sample("snugfit_store_request_seconds_sum", &[], figures.took.as_secs_f64());
            page.sample("snugfit_store_request_seconds_count", &[], (figures.answered + figures.failed) as f64);
        }
        let stats: Vec<_> = lock(&self.stores).iter().filter_map(Weak::upgrade).map(|store| store.stats()).collect();
        page.about("snugfit_store_bytes", "gauge", "Bytes of originals that are kept in memory.");
        page.sample("snugfit_store_bytes", &[], stats.iter().map(|stats| stats.bytes).sum::<usize>() as f64);
        page.about("snugfit_store_entries", "gauge", "Originals that are kept in memory.");
        page.sample("snugfit_store_entries", &[], stats.iter().map(|stats| stats.entries).sum::<usize>() as f64);
        page.0
    }
}

fn flag(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// How often a length of time was within each bound.
#[derive(Debug)]
struct Histogram {
    bounds: &'static [f64],
    /// One for each bound, and one for what is above them all.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    fn new(bounds: &'static [f64]) -> Self {
        Self { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        self.counts[self.bounds.partition_point(|bound| *bound < seconds)] += 1;
        self.sum += seconds;
    }
}

/// A page in the text format.
#[derive(Default)]
struct Page(String);

impl Page {
    fn about(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.0, "{}{label}=\"{text}\"", if at == 0 { '{' } else { ',' });
        }
        let _ = writeln!(self.0, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }

    fn histogram(&mut self, name: &str, labels: &[(&str, &str)], histogram: &Histogram) {
        let mut total = 0;
        let bounds = histogram.bounds.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
        for (bound, count) in bounds.zip(&histogram.counts) {
            total += count;
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.sample(&format!("{name}_bucket"), &labels, total as f64);
        }
        self.sample(&format!("{name}_sum"), labels, histogram.sum);
        self.sample(&format!("{name}_count"), labels, total as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_in_the_text_format() {
        let metrics = Metrics::new();
        metrics.called("a", "say \"hi\"\n\\", true, Duration::from_millis(3));
        metrics.called("a", "x", false, Duration::from_secs(400));
        metrics.saved("a", "result", 1000);
        metrics.saved("a", "result", 234);
        metrics.recovered(true);
        let text = metrics.text(&Health::new(["a".to_owned()].iter(), None));
        for line in [
            r#"snugfit_calls_total{upstream="a",tool="say \"hi\"\n\\",ok="true"} 1"#,
            r#"snugfit_calls_total{upstream="a",tool="x",ok="false"} 1"#,
            r#"snugfit_call_duration_seconds_bucket{upstream="a",le="0.0025"} 0"#,
            r#"snugfit_call_duration_seconds_bucket{upstream="a",le="0.005"} 1"#,
            r#"snugfit_call_duration_seconds_bucket{upstream="a",le="300"} 1"#,
            r#"snugfit_call_duration_seconds_bucket{upstream="a",le="+Inf"} 2"#,
            r#"snugfit_call_duration_seconds_count{upstream="a"} 2"#,
            r#"snugfit_tokens_saved_total{upstream="a",what="result"} 1234"#,
            r#"snugfit_recoveries_total{hit="true"} 1"#,
            r#"snugfit_upstream_up{upstream="a"} 0"#,
            "snugfit_store_entries 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn tools_without_end_become_one_series() {
        let metrics = Metrics::new();
        for n in 0..3 * MOST_SERIES {
            metrics.called("a", &format!("t{n}"), true, Duration::ZERO);
        }
        let text = metrics.text(&Health::new([].iter(), None));
        assert_eq!(text.lines().filter(|line| line.starts_with("snugfit_calls_total{")).count(), MOST_SERIES + 1);
        assert!(text.contains(r#"tool="other",ok="true"} 4000"#));
    }
}
