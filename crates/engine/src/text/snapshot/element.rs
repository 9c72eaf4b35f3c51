//! What a line of a snapshot is: its role, name and text, and what such an element is worth by itself.

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Outside the tree: address, title, console.
    Page,
    /// What can be acted on, headings, alerts.
    Element,
    /// A part of the page with a name, a row of a table.
    Region,
    Text,
    /// A property of the line above it: `/url: …`.
    Property,
    /// Says nothing but that something is in it.
    Wrapper,
}

/// What the roles are worth: those that can be acted on and those that structure the page above all others.
const ROLES: &[(&[&str], Class, f32)] = &[
    (&["alert", "alertdialog", "dialog"], Class::Element, 50.0),
    (&["textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "switch", "slider", "spinbutton"], Class::Element, 32.0),
    (&["button", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem", "summary"], Class::Element, 24.0),
    (&["heading"], Class::Element, 24.0),
    (&["link"], Class::Element, 15.0),
    (&["status", "log", "progressbar", "tooltip", "rootwebarea", "iframe"], Class::Element, 12.0),
    (
        &[
            "navigation",
            "main",
            "banner",
            "form",
            "search",
            "region",
            "complementary",
            "contentinfo",
            "menu",
            "menubar",
            "toolbar",
            "tablist",
            "tabpanel",
            "table",
            "grid",
        ],
        Class::Region,
        5.0,
    ),
    (&["row", "rowheader", "columnheader", "caption", "figure", "article"], Class::Region, 3.0),
];
pub(super) const TEXTUAL: &[&str] = &[
    "text",
    "statictext",
    "paragraph",
    "code",
    "strong",
    "emphasis",
    "cell",
    "gridcell",
    "img",
    "image",
    "term",
    "definition",
    "blockquote",
    "time",
    "labeltext",
];

/// Parts of a list: what is in them stands among what is in the others.
pub(super) const RECORDS: &[&str] = &["row", "rowheader", "columnheader", "caption", "figure", "article"];

/// Whether a line is an element of a snapshot with a reference.
pub(super) fn referenced(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ") && line.contains("[ref=")
        || line.strip_prefix("uid=").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// Whether a line is an element with a name, as snapshots without references have them.
pub(super) fn named(line: &str) -> bool {
    let part = Part::new(line);
    line.trim_start().starts_with("- ") && !part.name.is_empty() && (known(part.role).is_some() || TEXTUAL.contains(&part.role))
}

/// The parts of a line of the tree.
pub(super) struct Part<'l> {
    pub(super) role: &'l str,
    pub(super) name: &'l str,
    /// What stands after the role, the name and the brackets.
    pub(super) text: &'l str,
    pub(super) property: bool,
    pub(super) tree: bool,
}

impl<'l> Part<'l> {
    pub(super) fn new(line: &'l str) -> Self {
        let line = line.trim();
        let (rest, tree) = match line.strip_prefix("- ") {
            Some(rest) => (rest.trim_start_matches('\''), true),
            None => match line.strip_prefix("uid=").and_then(|l| l.split_once(' ')) {
                Some((_, rest)) => (rest, true),
                None => (line, false),
            },
        };
        let property = rest.starts_with('/');
        let rest = rest.trim_start_matches('/');
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (role, rest) = rest.split_at(end);
        let quoted = rest.strip_prefix(" \"").and_then(|r| r.split_once('"'));
        let (name, rest) = quoted.unwrap_or(("", rest));
        let text = rest.split_once(": ").map_or("", |t| t.1).trim_matches(['"', '\'', ' ']);
        Self { role, name, text, property, tree }
    }
}

fn known(role: &str) -> Option<(Class, f32)> {
    ROLES.iter().find(|(roles, _, _)| roles.iter().any(|r| r.eq_ignore_ascii_case(role))).map(|(_, class, worth)| (*class, *worth))
}

pub(super) fn class_of(line: &str, part: &Part<'_>, at: usize, lines: usize) -> (Class, f32) {
    let blank = line.trim().is_empty();
    if blank {
        return (Class::Wrapper, 0.0);
    }
    if part.property {
        let target = part.role == "url";
        return (Class::Property, if target { 1.2 } else { 4.0 });
    }
    let referenced = referenced(line);
    if !part.tree
        || !referenced
            && !named(line)
            && !TEXTUAL.contains(&part.role)
            && known(part.role).is_none()
            && part.text.len() + 40 > part.role.len()
            && at < 40
            && line.contains(": ")
    {
        let near = at < 40 || at + 40 > lines;
        return (Class::Page, if near { 100.0 } else { 6.0 });
    }
    let lower = part.role.to_ascii_lowercase();
    if let Some((class, worth)) = known(&lower) {
        let worth = match class {
            // The level of a heading says how much of the page it is for.
            Class::Element if lower == "heading" => {
                worth
                    * if line.contains("level=1") || line.contains("level=\"1\"") {
                        2.0
                    } else if line.contains("level=2") || line.contains("level=\"2\"") {
                        1.4
                    } else {
                        1.0
                    }
            }
            Class::Region if part.name.is_empty() && part.text.is_empty() => 0.6,
            _ => worth,
        };
        return (class, worth);
    }
    let says = !part.name.is_empty() || !part.text.is_empty();
    if TEXTUAL.contains(&lower.as_str()) {
        return (Class::Text, if says { 2.0 } else { 0.05 });
    }
    if line.contains("[cursor=pointer]") && referenced {
        return (Class::Element, if says { 10.0 } else { 2.0 });
    }
    if says { (Class::Text, 2.0) } else { (Class::Wrapper, 0.02) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        for (line, role, name, text, property) in [
            ("  - link \"Home\" [ref=e5] [cursor=pointer]:", "link", "Home", "", false),
            ("- 'link \"a: b\" [ref=e5]':", "link", "a: b", "", false),
            ("- generic [ref=e9]: 1.95.0", "generic", "", "1.95.0", false),
            ("    - /url: all.html", "url", "", "all.html", true),
            ("- text: hello", "text", "", "hello", false),
            ("uid=1_3 button \"Save\" focusable", "button", "Save", "", false),
        ] {
            let part = Part::new(line);
            assert_eq!((part.role, part.name, part.text, part.property), (role, name, text, property), "{line}");
        }
    }
}
