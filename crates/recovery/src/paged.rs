//! Results that go out as their first page, or first part, in place of a condensed preview.

use snugfit_engine::{
    Amount, Base, Blocks, Budget, Fitted, Mode, Next, Omitted, Options, PageOptions, Place, Report, Unit, measure, page, trim,
};

/// The first page of a text, as the mode of `options` asks; `None` where it has to be condensed: that is the mode, or what would be left out
/// has no pages.
pub(crate) fn first_page(text: &str, options: &Options) -> Option<Fitted> {
    page_within(text, &options.budget, "", options)
}

/// `place` is where the text stands in what is kept.
fn page_within(text: &str, budget: &Budget, place: &str, options: &Options) -> Option<Fitted> {
    let recovery = options.notice.as_ref().and_then(|notice| notice.recovery.as_ref());
    // Without a way to the next page there is only the first part.
    let trimmed = match options.mode {
        Mode::Condense => return None,
        Mode::Page => recovery.is_none(),
        Mode::Trim => true,
    };
    let next = recovery.map_or_else(Next::default, |recovery| Next::Recovery(recovery.clone()));
    let asked = PageOptions { next, indent: options.indent, ..PageOptions::default() };
    let made = if trimmed { trim(text, budget, &asked) } else { page(text, budget, &asked) };
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
    report.omitted.push(Omitted { place: Place::Path(place.to_owned()), amount, lever: "pages" });
    Some(Fitted { text: page.text, report })
}

/// The first page of the largest text of an envelope, beside its other texts as they are; `None` where those leave it less than half of the
/// budget.
pub(crate) fn first_page_of(texts: &[&str], bases: &[Base], options: &Options) -> Option<Blocks> {
    let (largest, text) = texts.iter().enumerate().max_by_key(|(_, text)| text.len())?;
    let others = texts.iter().enumerate().filter(|&(at, text)| at != largest && !text.is_empty());
    let budget = others.fold(options.budget, |left, (_, text)| left.beside(text));
    if budget.limits().zip(options.budget.limits()).any(|((_, left), (_, limit))| left * 2 < limit) {
        return None;
    }
    let place = bases.get(largest).map_or("", |base| &base.pointer);
    let page = page_within(text, &budget, place, options)?;
    let mut out = vec![None; texts.len()];
    out[largest] = (page.text != *text).then_some(page.text);
    Some(Blocks { texts: out, notice: None, report: page.report })
}
