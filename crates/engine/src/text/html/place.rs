//! What the text of a page is worth by where it stands: main content before navigation, headers and footers.

use super::tag::Tag;

/// What places are worth; main content is the measure.
pub(super) const MAIN: f32 = 1.0;
/// Text of a page that has a main part, outside of it.
const OUTSIDE: f32 = 0.35;
const HEADER: f32 = 0.5;
const ASIDE: f32 = 0.4;
const NAVIGATION: f32 = 0.25;
const FOOTER: f32 = 0.3;
/// What is not shown at first: tabs, menus.
const HIDDEN: f32 = 0.3;

/// An element whose text is worth more or less than what is around it.
#[derive(Debug)]
struct Region {
    /// Its name, by number.
    counted: usize,
    /// How many elements of its name were open with it.
    depth: usize,
    around: f32,
}

/// Elements that regions can be, counted while they are open.
const COUNTED: [&str; 14] =
    ["div", "section", "ul", "ol", "nav", "aside", "main", "article", "header", "footer", "menu", "table", "td", "form"];

/// Regions that were never closed are looked through this far.
const MAX_UNCLOSED: usize = 16;

/// The regions that are open, and where each began and ended in the text.
#[derive(Debug, Default)]
pub(super) struct Places {
    counts: [usize; COUNTED.len()],
    open: Vec<Region>,
    /// What the text is worth now; 0 outside of any region.
    now: f32,
    has_main: bool,
    found: Vec<(u32, f32)>,
}

impl Places {
    pub(super) fn now(&self) -> f32 {
        self.now
    }

    /// From byte `at` of the text on, text is worth `place`.
    pub(super) fn set(&mut self, at: usize, place: f32) {
        self.now = place;
        match self.found.last_mut() {
            Some(last) if last.0 as usize == at => last.1 = place,
            _ => self.found.push((at as u32, place)),
        }
    }

    /// An element opens where the text has `at` bytes.
    pub(super) fn enter(&mut self, tag: &Tag<'_>, at: usize) {
        let name = tag.name.as_str();
        let Some(counted) = COUNTED.iter().position(|n| *n == name) else { return };
        self.counts[counted] += 1;
        let Some(own) = place_of(tag) else { return };
        let around = self.now;
        // An article in the footer is footer; navigation in the main part is navigation.
        let place = if around > 0.0 && around < MAIN { around.min(own) } else { own };
        self.has_main |= place >= MAIN;
        self.open.push(Region { counted, depth: self.counts[counted], around });
        self.set(at, place);
    }

    pub(super) fn leave(&mut self, name: &str, at: usize) {
        let Some(counted) = COUNTED.iter().position(|n| *n == name).filter(|c| self.counts[*c] > 0) else { return };
        let depth = self.counts[counted];
        self.counts[counted] -= 1;
        // What is open inside of it was never closed.
        let looked_at = self.open.len().saturating_sub(MAX_UNCLOSED);
        if let Some(found) = self.open[looked_at..].iter().rposition(|r| r.counted == counted && r.depth == depth) {
            let around = self.open[looked_at + found].around;
            self.open.truncate(looked_at + found);
            self.set(at, around);
        }
    }

    /// From which byte on the text is worth how much.
    pub(super) fn finish(mut self) -> Vec<(u32, f32)> {
        // Outside of any region: the whole page, or what is around its main part.
        let outside = if self.has_main { OUTSIDE } else { MAIN };
        if self.found.first().is_none_or(|p| p.0 > 0) {
            self.found.insert(0, (0, outside));
        }
        self.found.iter_mut().filter(|place| place.1 == 0.0).for_each(|place| place.1 = outside);
        self.found
    }
}

/// What the text in this element is worth, if it says so.
fn place_of(tag: &Tag<'_>) -> Option<f32> {
    if tag.hidden {
        return Some(HIDDEN);
    }
    let by_role = match tag.role {
        "main" | "article" => Some(MAIN),
        "navigation" | "menu" | "menubar" => Some(NAVIGATION),
        "complementary" => Some(ASIDE),
        "contentinfo" => Some(FOOTER),
        "banner" => Some(HEADER),
        _ => None,
    };
    by_role.or(match tag.name.as_str() {
        "main" | "article" => Some(MAIN),
        "nav" | "menu" => Some(NAVIGATION),
        "aside" => Some(ASIDE),
        "footer" => Some(FOOTER),
        "header" => Some(HEADER),
        "div" | "section" | "ul" | "ol" | "table" | "td" => place_by_class(tag),
        _ => None,
    })
}

/// Pages without the elements for it say in class and id what is what.
fn place_by_class(tag: &Tag<'_>) -> Option<f32> {
    const NAMES: [(&str, f32); 16] = [
        ("nav", NAVIGATION),
        ("navbar", NAVIGATION),
        ("navigation", NAVIGATION),
        ("navbox", NAVIGATION),
        ("menu", NAVIGATION),
        ("sidebar", NAVIGATION),
        ("toc", NAVIGATION),
        ("breadcrumb", NAVIGATION),
        ("breadcrumbs", NAVIGATION),
        ("pagination", NAVIGATION),
        ("footer", FOOTER),
        ("cookie", FOOTER),
        ("banner", HEADER),
        ("main", MAIN),
        ("content", MAIN),
        ("article", MAIN),
    ];
    let names = [tag.id, tag.class].into_iter().flat_map(|value| value.split_ascii_whitespace().take(12));
    names.flat_map(|name| NAMES.iter().filter(move |n| n.0.eq_ignore_ascii_case(name))).map(|n| n.1).next()
}

#[cfg(test)]
mod tests {
    use super::super::convert::convert;

    #[test]
    fn text_is_worth_what_its_place_is() {
        let page =
            convert("<body><nav>a</nav><main>b<aside>c</aside>d</main><div class='content'><nav>e</div>f<p hidden>g</p></body>", None);
        let place = |text: &str| {
            let at = page.markdown.find(text).map_or(0, |at| at as u32);
            page.places[..page.places.partition_point(|p| p.0 <= at)].last().map(|p| p.1)
        };
        let found: Vec<Option<f32>> = ["a", "b", "c", "d", "e", "f"].iter().map(|text| place(text)).collect();
        assert_eq!(found, [0.25, 1.0, 0.4, 1.0, 0.25, 0.35].map(Some));
    }
}
