//! Which tools, prompts and resources a client may see and call.

use crate::config::{Filters, Glob};

/// Patterns that allow, and patterns that deny, which always win.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    allow: Vec<Glob>,
    deny: Vec<Glob>,
}

impl From<&Filters> for Filter {
    fn from(filters: &Filters) -> Self {
        Self { allow: filters.allow.clone(), deny: filters.deny.clone() }
    }
}

impl Filter {
    /// Whether a tool or prompt of a server may be seen and called.
    ///
    /// ```
    /// use snugfit_proxy::{config::{Filters, Glob}, filter::Filter};
    /// let filter = Filter::from(&Filters { allow: vec![Glob::new("github.*")?], deny: vec![Glob::new("github.delete_*")?] });
    /// assert!(filter.allows("github", "get_issue"));
    /// assert!(!filter.allows("github", "delete_issue") && !filter.allows("linear", "get_issue"));
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn allows(&self, server: &str, name: &str) -> bool {
        self.is_open() || self.allows_any(&[&format!("{server}.{name}")])
    }

    /// Whether a resource or template may be seen and read: by its name, if it is known, and by its URI. One denial is enough, and one
    /// permission.
    #[must_use]
    pub fn allows_resource(&self, server: &str, name: Option<&str>, uri: &str) -> bool {
        if self.is_open() {
            return true;
        }
        let by_name = name.map(|name| format!("{server}.{name}"));
        let by_uri = format!("{server}.{uri}");
        let keys: Vec<&str> = by_name.iter().map(String::as_str).chain([by_uri.as_str(), uri]).collect();
        self.allows_any(&keys)
    }

    /// Whether only what a pattern allows may be seen.
    #[must_use]
    pub fn selects(&self) -> bool {
        !self.allow.is_empty()
    }

    /// Whether nothing is filtered.
    fn is_open(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }

    fn allows_any(&self, keys: &[&str]) -> bool {
        let hit = |globs: &[Glob]| globs.iter().any(|glob| keys.iter().any(|key| glob.is_match(key)));
        (self.allow.is_empty() || hit(&self.allow)) && !hit(&self.deny)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(allow: &[&str], deny: &[&str]) -> Filter {
        let globs = |globs: &[&str]| globs.iter().map(|glob| Glob::new(glob).expect("a pattern")).collect::<Vec<_>>();
        Filter { allow: globs(allow), deny: globs(deny) }
    }

    #[test]
    fn denials_win_and_an_empty_allowance_allows_all() {
        for (allow, deny, name, expected) in [
            (&[][..], &[][..], "anything", true),
            (&["s.get_*"], &[], "get_a", true),
            (&["s.get_*"], &[], "put_a", false),
            (&["s.*"], &["*.admin_*"], "admin_x", false),
            (&["s.{get,list}_?"], &[], "list_a", true),
            (&["s.{get,list}_?"], &[], "list_ab", false),
            (&["s.[gl]et"], &[], "let", true),
            (&[], &["*"], "anything", false),
            (&["*.a/b"], &[], "a/b", true),
            (&["s.*"], &[], "a/b", true),
            (&["t.*"], &[], "a", false),
        ] {
            assert_eq!(filter(allow, deny).allows("s", name), expected, "{allow:?} {deny:?} {name}");
        }
    }

    #[test]
    fn resources_match_by_name_and_by_uri() {
        for (allow, deny, expected) in [
            (&["s.readme"][..], &[][..], true),
            (&["file:///*"], &[], true),
            (&["s.file:///*"], &[], true),
            (&["s.other"], &[], false),
            (&[], &["s.readme"], false),
            (&["s.readme"], &["file:///*"], false),
        ] {
            assert_eq!(filter(allow, deny).allows_resource("s", Some("readme"), "file:///a/README"), expected, "{allow:?} {deny:?}");
        }
        assert!(!filter(&["s.readme"], &[]).allows_resource("s", None, "file:///a/README"));
    }
}
