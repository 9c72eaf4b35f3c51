//! Whether two JSON texts say the same: white space, escapes and the writing of numbers aside.

use super::index::{Index, NO_KEY, Type};
use super::scan::scan;

/// Whether two texts are JSON and hold the same values, with the same keys in the same order.
///
/// ```
/// use snugfit_engine::same_json;
/// assert!(same_json("{ \"name\": \"Gr\\u00fc\\u00dfe\", \"n\": 1.0 }", r#"{"name":"Grüße","n":1}"#));
/// assert!(!same_json("[1]", "[1,2]"));
/// ```
#[must_use]
pub fn same_json(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (scan(one), scan(other)) else { return false };
    one.nodes.len() == other.nodes.len() && (0..one.nodes.len() as u32).all(|node| same_node(&one, &other, node))
}

fn same_node(one: &Index<'_>, other: &Index<'_>, node: u32) -> bool {
    let (a, b) = (one.nodes[node as usize], other.nodes[node as usize]);
    if one.kind(node) != other.kind(node) || a.next != b.next || (a.key == NO_KEY) != (b.key == NO_KEY) {
        return false;
    }
    if a.key != NO_KEY && !same_string(one.key(a.key), other.key(b.key)) {
        return false;
    }
    match one.kind(node) {
        Type::Object | Type::Array => true,
        Type::String => same_string(one.lexeme(node), other.lexeme(node)),
        Type::Number => same_number(one.lexeme(node), other.lexeme(node)),
        Type::Bool | Type::Null => one.lexeme(node) == other.lexeme(node),
    }
}

fn same_number(one: &str, other: &str) -> bool {
    // Digits that a double cannot hold still tell two numbers apart.
    let whole = |text: &str| text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
    one == other
        || !(whole(one) && whole(other)) && matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(a), Ok(b)) if a.total_cmp(&b).is_eq())
}

fn same_string(one: &str, other: &str) -> bool {
    one == other || (one.contains('\\') || other.contains('\\')) && units(one).eq(units(other))
}

/// The UTF-16 code units that a string stands for, its quotes left out.
fn units(lexeme: &str) -> impl Iterator<Item = u16> {
    let mut chars = lexeme[1..lexeme.len() - 1].chars();
    let mut second = None;
    std::iter::from_fn(move || {
        if second.is_some() {
            return second.take();
        }
        let read = match chars.next()? {
            '\\' => match chars.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let hex = chars.as_str().get(..4)?;
                    chars.nth(3);
                    return u16::from_str_radix(hex, 16).ok();
                }
                other => other,
            },
            plain => plain,
        };
        let mut pair = [0; 2];
        match *read.encode_utf16(&mut pair) {
            [high, low] => {
                second = Some(low);
                Some(high)
            }
            [unit] => Some(unit),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_says_the_same() {
        let cases = [
            (r#"{"a":[1,"x"]}"#, "{\n \"a\": [1.0, \"\\u0078\"]\n}", true),
            (r#"["😀"]"#, r#"["\ud83d\ude00"]"#, true),
            (r#"["\/\"\n"]"#, r#"["/\u0022\u000a"]"#, true),
            (r#"{"ü":1}"#, r#"{"\u00fc":1}"#, true),
            ("[1e2]", "[100]", true),
            ("[9007199254740993]", "[9007199254740992]", false),
            (r#"{"a":1}"#, r#"{"b":1}"#, false),
            (r#"{"a":1}"#, "[1]", false),
            ("[[1],2]", "[[1,2]]", false),
            ("[true]", "[false]", false),
            ("text", "text", false),
        ];
        for (one, other, same) in cases {
            assert_eq!(same_json(one, other), same, "{one} and {other}");
            assert_eq!(same_json(other, one), same, "{other} and {one}");
        }
    }
}
