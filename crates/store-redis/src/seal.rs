//! What stands on the server: encrypted, so that only who has the secret can read it, and bound to its name, so that nothing can be put in its
//! place.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use snugfit_recovery::Error;

/// Seals values, each with a key of its own that comes from its name.
pub(crate) struct Seal([u8; 32]);

impl Seal {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// A value as it stands under a name.
    pub(crate) fn seal(&self, name: &[u8; 16], mut value: Vec<u8>) -> Result<Vec<u8>, Error> {
        // Random, since a value may be put again: compressed by another version, it may be other bytes under the same name.
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|error| Error::NoRandomness(error.to_string()))?;
        let failed = |_| Error::StoreFailed("a value cannot be encrypted".to_owned());
        let key = self.key(name).map_err(failed)?;
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut value).map_err(failed)?;
        value.extend_from_slice(&nonce);
        Ok(value)
    }

    /// The value; `None` where it was not sealed with this key under this name.
    pub(crate) fn open(&self, name: &[u8; 16], mut sealed: Vec<u8>) -> Option<Vec<u8>> {
        let at = sealed.len().checked_sub(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(&sealed[at..]).ok()?;
        sealed.truncate(at);
        let len = self.key(name).ok()?.open_in_place(nonce, Aad::empty(), &mut sealed).ok()?.len();
        sealed.truncate(len);
        Some(sealed)
    }

    fn key(&self, name: &[u8; 16]) -> Result<LessSafeKey, ring::error::Unspecified> {
        Ok(LessSafeKey::new(UnboundKey::new(&AES_256_GCM, blake3::keyed_hash(&self.0, name).as_bytes())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: [u8; 16] = [1; 16];

    #[test]
    fn a_value_comes_back_under_its_name_and_key_alone() {
        for value in [b"".as_slice(), b"a value", &vec![0xff; 100_000]] {
            let seal = Seal::new([7; 32]);
            let sealed = seal.seal(&NAME, value.to_vec()).expect("sealed");
            assert_eq!(seal.open(&NAME, sealed.clone()).as_deref(), Some(value));
            assert_eq!(seal.open(&[2; 16], sealed.clone()), None, "another name");
            assert_eq!(Seal::new([8; 32]).open(&NAME, sealed), None, "another key");
        }
    }

    #[test]
    fn a_value_that_was_changed_is_none() {
        let seal = Seal::new([7; 32]);
        let sealed = seal.seal(&NAME, b"a value".to_vec()).expect("sealed");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(seal.open(&NAME, changed), None, "byte {at}");
            assert_eq!(seal.open(&NAME, sealed[..at].to_vec()), None, "the first {at} bytes");
        }
    }

    #[test]
    fn the_same_value_never_looks_the_same() {
        let seal = Seal::new([7; 32]);
        assert_ne!(seal.seal(&NAME, b"a value".to_vec()), seal.seal(&NAME, b"a value".to_vec()));
    }
}
