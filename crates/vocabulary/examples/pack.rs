//! Packs the vocabularies that `tiktoken-rs` ships into `data/`: `cargo run -p snugfit-vocabulary --example pack`.

use std::collections::HashMap;
use std::{fs, io};

use snugfit_engine::pack_vocabulary;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

fn main() -> io::Result<()> {
    for (name, published) in [("cl100k_base", cl100k_base_singleton()), ("o200k_base", o200k_base_singleton())] {
        let packed = packed(name, &tokens(published)).ok_or_else(|| io::Error::other(format!("{name} has a token that is no merge")))?;
        fs::write(format!("{}/data/{name}.bpe", env!("CARGO_MANIFEST_DIR")), packed)?;
    }
    Ok(())
}

/// The bytes of all tokens in the order of their ranks, special ones left out.
fn tokens(published: &CoreBPE) -> Vec<Vec<u8>> {
    (0..).map_while(|rank| published.decode_bytes(&[rank]).ok()).take_while(|bytes| !bytes.starts_with(b"<|end")).collect()
}

fn packed(name: &str, tokens: &[Vec<u8>]) -> Option<Vec<u8>> {
    let ranks: HashMap<&[u8], u32> = tokens.iter().zip(0..).map(|(bytes, rank)| (bytes.as_slice(), rank)).collect();
    let singles: Vec<u8> = tokens.iter().take(256).flatten().copied().collect();
    let merges: Option<Vec<(u32, u32)>> = tokens.iter().zip(0..).skip(256).map(|(bytes, rank)| parts(bytes, rank, &ranks)).collect();
    pack_vocabulary(name, singles.as_slice().try_into().ok()?, &merges?)
}

/// The two tokens that are merged last where `bytes` are merged by rank.
fn parts(bytes: &[u8], rank: u32, ranks: &HashMap<&[u8], u32>) -> Option<(u32, u32)> {
    // Where each part begins, and the end.
    let mut cuts: Vec<usize> = (0..=bytes.len()).collect();
    while cuts.len() > 3 {
        let merged = |at: &usize| ranks.get(&bytes[cuts[*at]..cuts[at + 2]]).copied().filter(|&merged| merged < rank);
        let best = (0..cuts.len() - 2).filter(|at| merged(at).is_some()).min_by_key(|at| merged(at))?;
        cuts.remove(best + 1);
    }
    let &[start, middle, end] = cuts.as_slice() else { return None };
    Some((*ranks.get(&bytes[start..middle])?, *ranks.get(&bytes[middle..end])?))
}
