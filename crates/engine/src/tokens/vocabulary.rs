//! The packed form of a vocabulary: `SNUGBPE1`, the length and the letters of its name, the 256 single bytes in the order of their ranks, the
//! number of merges (four bytes, least first), and for each merge, in the order of ranks, its two tokens as LEB128 numbers.
//!
//! Every further token of a byte-pair encoding is two earlier ones put together; which two is found when the file is made. The largest
//! vocabulary takes 0.8 MB, a quarter of its published form.

const MAGIC: &[u8] = b"SNUGBPE1";
/// Single bytes, which come first in every vocabulary.
pub(super) const SINGLES: usize = 256;

/// The tokens of a vocabulary, in the order of their ranks.
pub(super) struct Tokens {
    pub(super) singles: [u8; SINGLES],
    /// The two tokens of each token from [`SINGLES`] on.
    pub(super) merges: Vec<(u32, u32)>,
    /// The bytes of each token.
    pub(super) lengths: Vec<u8>,
}

/// Packs a vocabulary. `None` where it is none: the first 256 merges must be of single bytes, each further one of two earlier tokens.
#[doc(hidden)]
#[must_use]
pub fn pack(name: &str, singles: &[u8; SINGLES], merges: &[(u32, u32)]) -> Option<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    out.push(u8::try_from(name.len()).ok()?);
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(singles);
    out.extend_from_slice(&u32::try_from(merges.len()).ok()?.to_le_bytes());
    for (at, &(left, right)) in merges.iter().enumerate() {
        for mut part in [left, right] {
            if part as usize >= SINGLES + at {
                return None;
            }
            while part >= 0x80 {
                out.push(part as u8 | 0x80);
                part >>= 7;
            }
            out.push(part as u8);
        }
    }
    Some(out)
}

/// The name and the tokens, or what is wrong.
pub(super) fn unpack(packed: &[u8]) -> Result<(&str, Tokens), &'static str> {
    let mut rest = packed.strip_prefix(MAGIC).ok_or("it does not begin as one")?;
    let mut take = |count: usize| {
        let (head, tail) = rest.split_at_checked(count).ok_or("it ends too early")?;
        rest = tail;
        Ok::<_, &'static str>(head)
    };
    let length = take(1)?[0];
    let name = std::str::from_utf8(take(usize::from(length))?).map_err(|_| "its name is no text")?;
    let singles = take(SINGLES)?.try_into().map_err(|_| "it ends too early")?;
    let count = u32::from_le_bytes(take(4)?.try_into().map_err(|_| "it ends too early")?) as usize;
    // A merge has two bytes at least, so that no number in a short file makes room for many.
    if count > rest.len() / 2 {
        return Err("it names more tokens than it holds");
    }
    let mut numbers = Numbers(rest);
    let mut tokens = Tokens { singles, merges: Vec::with_capacity(count), lengths: vec![1; SINGLES] };
    let mut bytes = SINGLES;
    for _ in 0..count {
        let mut part = || {
            let token = numbers.next()?;
            Some((token, *tokens.lengths.get(token as usize)?))
        };
        let ((left, left_length), (right, right_length)) = part().zip(part()).ok_or("a token is not made of earlier ones")?;
        let length = left_length.checked_add(right_length).ok_or("a token is longer than 255 bytes")?;
        bytes += usize::from(length);
        tokens.merges.push((left, right));
        tokens.lengths.push(length);
    }
    if bytes > MOST {
        return Err("it is too large");
    }
    if !numbers.0.is_empty() {
        return Err("it goes on after its end");
    }
    Ok((name, tokens))
}

/// Bytes of all tokens together, at most: several times the largest vocabulary. Nodes of the tree have numbers of 24 bits.
const MOST: usize = (1 << 24) - 1;

/// LEB128 numbers.
struct Numbers<'a>(&'a [u8]);

impl Iterator for Numbers<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21] {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed() -> Vec<u8> {
        let singles = std::array::from_fn(|at| 255 - at as u8);
        pack("tiny", &singles, &[(1, 2), (256, 0), (257, 256)]).expect("a vocabulary")
    }

    #[test]
    fn what_was_packed_comes_out() {
        let packed = packed();
        let (name, tokens) = unpack(&packed).expect("a vocabulary");
        assert_eq!((name, tokens.singles[0], tokens.merges), ("tiny", 255, vec![(1, 2), (256, 0), (257, 256)]));
    }

    #[test]
    fn what_is_none_is_told() {
        let packed = packed();
        for (bytes, message) in [
            (b"PK\x03\x04".to_vec(), "it does not begin as one"),
            (packed[..packed.len() - 1].to_vec(), "a token is not made of earlier ones"),
            (packed[..100].to_vec(), "it ends too early"),
            ([packed.as_slice(), &[0]].concat(), "it goes on after its end"),
            ([&packed[..8 + 5 + 256], &[0xff, 0xff, 0xff, 0xff, 1, 1]].concat(), "it names more tokens than it holds"),
        ] {
            assert_eq!(unpack(&bytes).err(), Some(message));
        }
        assert_eq!(pack("later", &[0; 256], &[(0, 256)]), None);
    }
}
