//! What nobody can guess, and how it is looked at.

use std::io;

/// So many random bytes, in hexadecimal digits.
///
/// # Errors
/// The system has no random numbers.
pub fn text(bytes: usize) -> io::Result<String> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(format!("there are no random numbers: {error}")))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether two texts are the same, in a time that does not tell where they differ.
#[must_use]
pub fn is_same(expected: &str, given: &str) -> bool {
    blake3::hash(expected.as_bytes()) == blake3::hash(given.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_differ_and_are_compared_whole() {
        let (one, other) = (text(16).expect("random"), text(16).expect("random"));
        assert_eq!(one.len(), 32);
        assert!(is_same(&one, &one.clone()) && !is_same(&one, &other) && !is_same(&one, &one[1..]) && !is_same(&one, ""));
    }
}
