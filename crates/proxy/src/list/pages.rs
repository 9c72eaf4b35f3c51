//! A long list in pages.

/// Entries of a page.
const ENTRIES: usize = 1000;

/// The results of a list request, page by page, as JSON text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pages(Vec<String>);

impl Pages {
    /// A list of `entries`, each JSON text, under `key`.
    pub(crate) fn new(key: &str, entries: &[String]) -> Self {
        let mut pages: Vec<String> = Vec::new();
        let count = entries.len().div_ceil(ENTRIES).max(1);
        for page in 0..count {
            let part = &entries[page * ENTRIES..entries.len().min((page + 1) * ENTRIES)];
            let next = if page + 1 < count { format!(r#","nextCursor":"{}""#, page + 1) } else { String::new() };
            pages.push(format!(r#"{{"{key}":[{}]{next}}}"#, part.join(",")));
        }
        Self(pages)
    }

    /// All pages.
    pub(crate) fn all(&self) -> &[String] {
        &self.0
    }

    /// The page of a cursor; `None` for one that no page gave.
    pub(crate) fn get(&self, cursor: Option<&str>) -> Option<&str> {
        self.0.get(cursor.map_or(Ok(0), str::parse::<usize>).ok()?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_lead_on_to_the_end() {
        let entries: Vec<String> = (0..2500).map(|n| n.to_string()).collect();
        let pages = Pages::new("tools", &entries);
        assert!(pages.get(None).expect("the first").ends_with(r#",999],"nextCursor":"1"}"#));
        assert!(pages.get(Some("1")).expect("the second").starts_with(r#"{"tools":[1000,"#));
        assert!(pages.get(Some("2")).expect("the last").ends_with(",2499]}"));
        assert_eq!((pages.get(Some("3")), pages.get(Some("x")), pages.get(Some(""))), (None, None, None));
        assert_eq!(Pages::new("tools", &[]).get(None), Some(r#"{"tools":[]}"#));
    }
}
