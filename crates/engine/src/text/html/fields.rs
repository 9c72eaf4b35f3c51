//! The fields of forms, so that it can be seen what may be filled in.

use super::convert::Writer;
use super::tag::Tag;

impl Writer {
    pub(super) fn input(&mut self, tag: &Tag<'_>) {
        match tag.kind.to_ascii_lowercase().as_str() {
            "hidden" => {}
            "submit" | "button" | "reset" | "image" => {
                self.flush();
                self.page.markdown.push_str("[button: ");
                self.text(if tag.value.is_empty() { "Submit" } else { tag.value });
                self.page.markdown.push(']');
            }
            "checkbox" | "radio" if tag.field.is_empty() && tag.value.is_empty() && tag.label.is_empty() => {}
            "checkbox" | "radio" => {
                self.flush();
                self.page.markdown.push_str(if tag.checked { "[x] " } else { "[ ] " });
                self.named(tag);
            }
            _ => self.field(tag),
        }
    }

    /// A field as `[email: name="address" value="…"]`.
    pub(super) fn field(&mut self, tag: &Tag<'_>) {
        self.flush();
        self.page.markdown.push('[');
        let kind = match tag.name.as_str() {
            "input" if !tag.kind.is_empty() => tag.kind,
            "input" => "text",
            name => name,
        };
        self.text(kind);
        self.page.markdown.push(':');
        self.space = true;
        self.named(tag);
        self.page.markdown.push(']');
        self.space = true;
    }

    fn named(&mut self, tag: &Tag<'_>) {
        for (name, value) in [("", tag.field), ("value", tag.value), ("placeholder", tag.placeholder), ("label", tag.label)] {
            if value.is_empty() {
                continue;
            }
            self.flush();
            if !name.is_empty() {
                self.page.markdown.push_str(name);
                self.page.markdown.push('=');
            }
            self.text(value);
            self.space = true;
        }
        if tag.required {
            self.word("required");
        }
    }
}
