//! Tags as the converter sees them: the attributes that matter.

use super::token::attributes;

/// A short name in lower case, without a place on the heap; long ones are none that we know.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lower {
    bytes: [u8; 12],
    length: u8,
}

impl Lower {
    pub(super) fn new(name: &str) -> Self {
        let mut lower = Self::default();
        if name.len() <= lower.bytes.len() {
            for (slot, byte) in lower.bytes.iter_mut().zip(name.bytes()) {
                *slot = byte.to_ascii_lowercase();
            }
            lower.length = name.len() as u8;
        }
        lower
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// An opening tag, with the attributes that matter.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an attribute of its own")]
pub(super) struct Tag<'t> {
    pub(super) name: Lower,
    pub(super) href: &'t str,
    pub(super) src: &'t str,
    pub(super) alt: &'t str,
    pub(super) class: &'t str,
    pub(super) id: &'t str,
    pub(super) role: &'t str,
    pub(super) kind: &'t str,
    pub(super) field: &'t str,
    pub(super) value: &'t str,
    pub(super) content: &'t str,
    pub(super) method: &'t str,
    pub(super) action: &'t str,
    pub(super) placeholder: &'t str,
    pub(super) label: &'t str,
    pub(super) checked: bool,
    pub(super) selected: bool,
    pub(super) required: bool,
    pub(super) hidden: bool,
}

impl<'t> Tag<'t> {
    pub(super) fn new(name: &str, inside: &'t str) -> Self {
        let mut tag = Self { name: Lower::new(name), ..Self::default() };
        attributes(inside, |name, value| match Lower::new(name).as_str() {
            "href" => tag.href = value,
            "src" | "data" => tag.src = value,
            "alt" => tag.alt = value,
            "class" => tag.class = value,
            "id" => tag.id = value,
            "role" => tag.role = value,
            "type" => tag.kind = value,
            "name" | "property" => tag.field = value,
            "value" => tag.value = value,
            "content" => tag.content = value,
            "method" => tag.method = value,
            "action" => tag.action = value,
            "placeholder" => tag.placeholder = value,
            "aria-label" | "title" | "label" => tag.label = value,
            "checked" => tag.checked = true,
            "selected" => tag.selected = true,
            "required" => tag.required = true,
            "hidden" => tag.hidden = true,
            "style" => tag.hidden |= value.contains("display:none") || value.contains("display: none"),
            _ => {}
        });
        tag
    }
}
