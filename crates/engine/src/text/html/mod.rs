//! HTML pages and fragments: their text as Markdown, main content before navigation; scripts and styles gone.

mod convert;
mod entity;
mod fields;
mod place;
mod table;
mod tag;
mod token;

use super::{Ask, markdown};
use crate::budget::count_chars;
use crate::detect::Sample;
use crate::report::{Place, Report};
use token::{Token, Tokens};

/// Tags in the sample that show HTML where the text does not begin as a page.
const TAGS: usize = 3;
/// One tag at least in so many bytes.
const SPARSE: usize = 400;

/// Of a page so many times the limit the links in tables lose their targets.
const BRIEF: usize = 12;

/// Elements that HTML has and XML documents usually have not.
const KNOWN: [&str; 40] = [
    "html",
    "head",
    "body",
    "p",
    "a",
    "div",
    "span",
    "ul",
    "ol",
    "li",
    "table",
    "tr",
    "td",
    "th",
    "br",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "strong",
    "em",
    "b",
    "i",
    "code",
    "pre",
    "blockquote",
    "img",
    "hr",
    "section",
    "article",
    "header",
    "footer",
    "nav",
    "main",
    "form",
    "input",
    "button",
    "details",
    "script",
];

/// Whether a text is of this kind.
pub(crate) fn looks(sample: &Sample<'_>) -> bool {
    let head = sample.head.trim_start_matches('\u{feff}').trim_start();
    let starts = |with: &str| head.get(..with.len()).is_some_and(|h| h.eq_ignore_ascii_case(with));
    if starts("<!doctype html") || starts("<html") {
        return true;
    }
    if !starts("<") || starts("<?") && !head.contains("<html") {
        return false;
    }
    let (mut known, mut unknown, mut first) = (0, 0, None);
    for token in Tokens::new(head) {
        match token {
            // Expressions in braces are JSX or a template, which is code.
            Token::Open(_, inside) if inside.contains("={") || inside.contains("className=") => return false,
            Token::Open(name, _) => {
                let is = KNOWN.iter().any(|k| k.eq_ignore_ascii_case(name));
                first.get_or_insert(is);
                known += usize::from(is);
                unknown += usize::from(!is);
            }
            // What else is in the text is Markdown with HTML in it.
            Token::Text(text) if text.contains("\n## ") || text.contains("\n# ") || text.contains("\n```") || text.contains("](") => {
                return false;
            }
            _ => {}
        }
    }
    first == Some(true) && (known >= TAGS || known > 0 && head.len() < SPARSE) && known > unknown && known * SPARSE >= head.len()
}

pub(crate) fn fit(text: &str, ask: &Ask<'_>, report: &mut Report) -> Option<String> {
    // Where little of a page can stay, another row says more than where the row before leads.
    let brief = (ask.meter.cost(text.as_bytes()) / BRIEF > ask.limit).then_some(ask.marks.sign());
    let page = convert::convert(text, brief);
    report.strings_truncated += page.links;
    // Markup and scripts are no content that a reader of the page would see, but they are not there any more.
    report.replaced += page.markup + page.scripts;
    if ask.meter.cost(page.markdown.as_bytes()) <= ask.limit {
        return Some(page.markdown);
    }
    if count_chars(page.markdown.as_bytes()) == 0 {
        return super::plain::ends(text, ask, report);
    }
    let mut part = Report::default();
    let text = markdown::fit_places(&page.markdown, &page.places, ask, &mut part)?;
    // The lines of the Markdown are not those of the page.
    part.omitted.retain(|cut| !matches!(cut.place, Place::Lines(..)));
    report.absorb(part);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_fragments_are_found_and_other_markup_is_not() {
        for (text, is) in [
            ("<!DOCTYPE html><title>x</title>", true),
            ("\u{feff}\n<HTML><body>&a=1 &a=1", true),
            ("<p>Hello <a href=\"/x\">there</a></p>", true),
            ("<div class=\"a\"><span>x</span><br></div>", true),
            ("<?xml version=\"1.0\"?><rss><channel><item/></channel></rss>", false),
            ("<project><name>x</name><build><p>1</p></build></project>", false),
            ("<div className=\"row\" onClick={() => save(1)}><span>x</span></div>", false),
            ("<h1 align=\"center\">Tool</h1>\n<p>It</p>\n\n## Install\n\n```\nnpm i\n```\n", false),
            ("import React from 'react';\n<div><span>x</span></div>", false),
            ("a < b and <c>", false),
        ] {
            assert_eq!(looks(&Sample::new(text)), is, "{text}");
        }
    }
}
