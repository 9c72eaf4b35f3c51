//! Results that go out as their first page, or first part, in place of a condensed preview.

use snugfit_engine::{Amount, Blocks, Fitted, Mode, Next, Omitted, Options, PageOptions, Place, Report, Unit, measure, page, trim};

/// The first page of a text, as the mode of `options` asks; `None` where it has to be condensed: that is the mode, or what would be left out
/// has no pages.
pub(crate) fn first_page(text: &str, options: &Options) -> Option<Fitted> {
    let recovery = options.notice.as_ref().and_then(|notice| notice.recovery.as_ref());
    // Without a way to the next page there is only the first part.
    let trimmed = match options.mode {
        Mode::Condense => return None,
        Mode::Page => recovery.is_none(),
        Mode::Trim => true,
    };
    let next = recovery
        .map_or_else(Next::default, |recovery| Next::Recovery { tool: recovery.tool.clone(), response_id: recovery.response_id.clone() });
    let asked = PageOptions { next, indent: options.indent, ..PageOptions::default() };
    let made = if trimmed { trim(text, &options.budget, &asked) } else { page(text, &options.budget, &asked) };
    let page = made.ok()?;
    let mut report = Report {
        input_chars: measure(text, Unit::Chars),
        output_chars: measure(&page.text, Unit::Chars),
        budget: options.budget.limits().next().map_or(0, |(_, limit)| limit),
        kind: "page",
        complete: page.whole,
        fits: true,
        pruned: !page.whole,
        ..Report::default()
    };
    if page.whole {
        return Some(Fitted { text: page.text, report });
    }
    let amount = page.rest?;
    match amount {
        Amount::Items(items) => report.items_omitted = items,
        Amount::Chars(_) => report.strings_truncated = 1,
    }
    report.levers.push("pages");
    report.omitted.push(Omitted { place: Place::Path(String::new()), amount, lever: "pages" });
    Some(Fitted { text: page.text, report })
}

/// The first page of an envelope's only text. Several texts share a budget, which pages do not.
pub(crate) fn first_page_of(texts: &[&str], options: &Options) -> Option<Blocks> {
    let mut filled = texts.iter().enumerate().filter(|(_, text)| !text.is_empty());
    let (Some((at, text)), None) = (filled.next(), filled.next()) else { return None };
    let page = first_page(text, options)?;
    let mut out = vec![None; texts.len()];
    out[at] = (!page.report.complete).then_some(page.text);
    Some(Blocks { texts: out, notice: None, report: page.report })
}
