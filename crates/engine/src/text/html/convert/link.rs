//! Links and pictures.

use super::super::entity;
use super::super::tag::Tag;
use super::Writer;

impl Writer {
    pub(super) fn open_link(&mut self, tag: &Tag<'_>) {
        self.close_link();
        if self.pre
            || tag.href.is_empty()
            || tag.href.starts_with(['#'])
            || tag.href.starts_with("javascript:")
            || tag.href.starts_with("data:")
        {
            return;
        }
        self.flush();
        let brief = self.brief.as_ref().filter(|_| self.tables.in_cell() && !tag.href.contains("://"));
        let target = match brief {
            Some(sign) => {
                self.page.links += 1;
                sign.clone()
            }
            None => decoded(tag.href),
        };
        self.link = Some((self.page.markdown.len(), target));
    }

    pub(super) fn close_link(&mut self) {
        let Some((from, href)) = self.link.take() else { return };
        let out = &mut self.page.markdown;
        let Some(text) = out.get(from..) else { return };
        if text.trim().is_empty() {
            return;
        }
        if text == href {
            return;
        }
        if text.contains('\n') {
            out.push_str(" (");
            out.push_str(&href);
            out.push(')');
        } else {
            out.insert(from, '[');
            out.push_str("](");
            out.push_str(&href);
            out.push(')');
        }
    }

    pub(super) fn image(&mut self, tag: &Tag<'_>) {
        if tag.alt.trim().is_empty() {
            return;
        }
        if tag.src.is_empty() || tag.src.starts_with("data:") || self.link.is_some() {
            self.flush();
            self.page.markdown.push_str("[image: ");
            self.text(tag.alt);
            self.page.markdown.push(']');
        } else {
            self.reference("!", tag.alt, tag.src);
        }
    }

    pub(super) fn reference(&mut self, sign: &str, text: &str, target: &str) {
        self.flush();
        self.page.markdown.push_str(sign);
        self.page.markdown.push('[');
        self.text(text);
        self.page.markdown.push_str("](");
        self.page.markdown.push_str(&decoded(target));
        self.page.markdown.push(')');
    }
}

/// An attribute's value without references.
fn decoded(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value.trim();
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let (c, length) = entity::decode(&rest[at..]).unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}
