//! The words of programming languages, for all that are told apart by words alone.

/// Words that may stand before a declaration's own.
pub(super) fn is_modifier(word: &str) -> bool {
    matches!(
        word,
        "pub"
            | "public"
            | "private"
            | "protected"
            | "internal"
            | "static"
            | "async"
            | "abstract"
            | "final"
            | "override"
            | "virtual"
            | "sealed"
            | "open"
            | "data"
            | "suspend"
            | "inline"
            | "unsafe"
            | "extern"
            | "export"
            | "default"
            | "declare"
            | "readonly"
            | "partial"
            | "synchronized"
            | "native"
            | "constexpr"
            | "explicit"
            | "fileprivate"
            | "const"
    )
}

/// Words for what has members.
pub(super) fn is_type(word: &str) -> bool {
    matches!(
        word,
        "class"
            | "struct"
            | "enum"
            | "interface"
            | "trait"
            | "impl"
            | "namespace"
            | "module"
            | "mod"
            | "record"
            | "union"
            | "object"
            | "protocol"
            | "extension"
            | "type"
            | "typedef"
            | "@interface"
            | "actor"
            | "package"
            | "contract"
            | "macro_rules!"
            | "template"
    )
}

/// Words for functions.
pub(super) fn is_function(word: &str) -> bool {
    matches!(word, "fn" | "func" | "function" | "def" | "fun" | "sub" | "proc" | "procedure" | "function*")
}

/// Words for constants and variables.
pub(super) fn is_value(word: &str) -> bool {
    matches!(word, "let" | "var" | "const" | "static" | "val" | "#define" | "global" | "local")
}

/// Words that begin a statement.
pub(super) fn is_control(word: &str) -> bool {
    matches!(
        word,
        "if" | "else"
            | "for"
            | "while"
            | "switch"
            | "case"
            | "catch"
            | "return"
            | "do"
            | "try"
            | "elif"
            | "elsif"
            | "except"
            | "with"
            | "match"
            | "when"
            | "until"
            | "unless"
            | "loop"
            | "select"
            | "defer"
            | "throw"
            | "raise"
            | "await"
            | "yield"
            | "foreach"
            | "finally"
    )
}

/// Words that end a block.
pub(super) fn is_closer(word: &str) -> bool {
    matches!(word, "end" | "fi" | "done" | "esac" | "endif" | "end;" | "fi;" | "done;" | "end)")
}

/// Words that begin a declaration, or may stand before one.
pub(super) fn is_keyword(word: &str) -> bool {
    is_modifier(word) || is_type(word) || is_function(word)
}
