//! Ids: who does not hold the key can neither guess one nor tell what it stands for.

use std::fmt;

use uuid::Uuid;

use crate::error::Error;

/// The secret that a store's ids are made with.
///
/// The same original gives the same id under one key, so that it is stored once and its preview never changes; under another key it gives
/// another id.
#[derive(Clone)]
pub struct Key([u8; blake3::KEY_LEN]);

impl Key {
    /// A key of its own, from the system's random numbers.
    pub fn random() -> Result<Self, Error> {
        let mut key = [0; blake3::KEY_LEN];
        getrandom::fill(&mut key).map_err(|error| Error::NoRandomness(error.to_string()))?;
        Ok(Self(key))
    }

    /// The key of a namespace under a secret, the same in every process that has the secret.
    ///
    /// ```
    /// use snugfit_recovery::Key;
    /// let one = Key::derive("a long random secret", "team-a").id(b"original");
    /// assert_eq!(Key::derive("a long random secret", "team-a").id(b"original"), one);
    /// assert_ne!(Key::derive("a long random secret", "team-b").id(b"original"), one);
    /// ```
    #[must_use]
    pub fn derive(secret: &str, namespace: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("snugfit 2026-11-30 keys of response ids");
        // The length keeps the two apart, whatever characters they hold.
        hasher.update(&(secret.len() as u64).to_le_bytes()).update(secret.as_bytes()).update(namespace.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }

    /// The id of an original: 122 bits of its keyed BLAKE3 as a UUID of version 8 (RFC 9562, 5.8).
    #[must_use]
    pub fn id(&self, original: &[u8]) -> Uuid {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&blake3::keyed_hash(&self.0, original).as_bytes()[..16]);
        Uuid::new_v8(bytes)
    }

    /// A key for another purpose, which tells nothing of this one. `purpose` is hard-coded and unique to its use.
    #[must_use]
    pub fn for_purpose(&self, purpose: &'static str) -> [u8; blake3::KEY_LEN] {
        blake3::derive_key(purpose, &self.0)
    }
}

impl From<[u8; blake3::KEY_LEN]> for Key {
    fn from(key: [u8; blake3::KEY_LEN]) -> Self {
        Self(key)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_original_has_the_same_id_under_one_key_only() {
        let (a, b) = (Key::from([1; 32]), Key::from([2; 32]));
        assert_eq!(a.id(b"original"), a.id(b"original"));
        assert_ne!(a.id(b"original"), a.id(b"Original"));
        assert_ne!(a.id(b"original"), b.id(b"original"));
        assert_ne!(Key::random().expect("random numbers").id(b""), Key::random().expect("random numbers").id(b""));
    }

    #[test]
    fn ids_are_uuids_of_version_8() {
        let id = Key::from([7; 32]).id(b"original");
        assert_eq!(id.get_version_num(), 8);
        assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
    }

    #[test]
    fn a_key_for_another_purpose_is_another() {
        let (a, b) = (Key::from([1; 32]), Key::from([2; 32]));
        let all = [a.for_purpose("one"), a.for_purpose("two"), b.for_purpose("one"), [1; 32]];
        assert!((0..all.len()).all(|at| !all[..at].contains(&all[at])));
        assert_eq!(a.for_purpose("one"), all[0]);
    }

    #[test]
    fn debug_output_hides_the_key() {
        assert_eq!(format!("{:?}", Key::from([7; 32])), "Key(…)");
    }
}
