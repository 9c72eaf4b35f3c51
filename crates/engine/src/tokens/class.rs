//! Classes of characters, as the encodings' rules tell them apart.

use unicode_general_category::{GeneralCategory, get_general_category};

/// What a character is to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A capital or title-case letter.
    Upper,
    /// A small letter.
    Lower,
    /// A letter without case.
    Letter,
    /// A combining mark.
    Mark,
    /// A digit or another number.
    Number,
    /// A carriage return or line feed.
    Break,
    /// Other white space.
    Blank,
    /// Anything else.
    Other,
}

impl Class {
    pub(super) fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Number,
            '\r' | '\n' => Self::Break,
            _ if c.is_whitespace() => Self::Blank,
            _ if c.is_ascii() => Self::Other,
            _ => Self::of_category(get_general_category(c)),
        }
    }

    fn of_category(category: GeneralCategory) -> Self {
        match category {
            GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter => Self::Upper,
            GeneralCategory::LowercaseLetter => Self::Lower,
            GeneralCategory::ModifierLetter | GeneralCategory::OtherLetter => Self::Letter,
            GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark => Self::Mark,
            GeneralCategory::DecimalNumber | GeneralCategory::LetterNumber | GeneralCategory::OtherNumber => Self::Number,
            _ => Self::Other,
        }
    }

    pub(super) fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Letter)
    }

    pub(super) fn is_space(self) -> bool {
        matches!(self, Self::Break | Self::Blank)
    }

    /// `[^\s\p{L}\p{N}]`
    pub(super) fn is_symbol(self) -> bool {
        matches!(self, Self::Mark | Self::Other)
    }

    /// `[^\r\n\p{L}\p{N}]`: what may stand before a word, in one piece with it.
    pub(super) fn leads(self) -> bool {
        matches!(self, Self::Blank | Self::Mark | Self::Other)
    }
}
