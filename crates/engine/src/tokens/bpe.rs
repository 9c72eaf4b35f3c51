//! Tokens of one piece of text, as byte-pair encoding gives them, in time linear in the piece.
//!
//! Merging pairs by rank, the textbook way, takes a queue and revisits the text. The same tokens are found from left to right, since a sequence
//! is the encoding of its text exactly if each two neighbours are (Aneubeck, "So many tokens, so little time", 2024): take the longest token that
//! goes with the one before; where none does, go back one token and take a shorter one there. A position that was left that way is never tried
//! again, so that each is left once at most.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::vocabulary::{SINGLES, Tokens};

type Map<K> = HashMap<K, u32, BuildHasherDefault<Mix>>;

const NONE: u32 = u32::MAX;

/// A vocabulary, ready to count with.
pub(super) struct Bpe {
    /// The two tokens that each token was merged from; a single byte names itself.
    parts: Vec<(u32, u32)>,
    /// The token that two neighbours merge into.
    merged: Map<(u32, u32)>,
    lengths: Vec<u8>,
    longest: usize,
    /// The tree of tokens by their bytes: node and byte to node. The root is node 0.
    steps: Map<u32>,
    nodes: Vec<Node>,
    /// The node of each token.
    node_of: Vec<u32>,
}

struct Node {
    parent: u32,
    /// The token that ends here, or [`NONE`].
    token: u32,
}

impl Bpe {
    pub(super) fn new(tokens: &Tokens) -> Self {
        let count = SINGLES + tokens.merges.len();
        let mut bpe = Self {
            parts: Vec::with_capacity(count),
            merged: Map::with_capacity_and_hasher(tokens.merges.len(), BuildHasherDefault::default()),
            lengths: tokens.lengths.clone(),
            longest: tokens.lengths.iter().copied().max().map_or(1, usize::from),
            steps: Map::with_capacity_and_hasher(count * 5 / 2, BuildHasherDefault::default()),
            nodes: Vec::with_capacity(count * 5 / 2),
            node_of: Vec::with_capacity(count),
        };
        bpe.nodes.push(Node { parent: NONE, token: NONE });
        let mut bytes: Vec<u8> = tokens.singles.to_vec();
        // Where the bytes of a token begin: those of a token follow those of the one before.
        let mut starts: Vec<usize> = (0..SINGLES).collect();
        for token in 0..SINGLES as u32 {
            bpe.parts.push((token, token));
            bpe.add(token, 0, &bytes[token as usize..=token as usize]);
        }
        for (at, &(left, right)) in tokens.merges.iter().enumerate() {
            let token = (SINGLES + at) as u32;
            let start = bytes.len();
            for part in [left, right] {
                let from = starts[part as usize];
                bytes.extend_from_within(from..from + usize::from(bpe.lengths[part as usize]));
            }
            starts.push(start);
            let middle = start + usize::from(bpe.lengths[left as usize]);
            bpe.parts.push((left, right));
            bpe.merged.insert((left, right), token);
            bpe.add(token, bpe.node_of[left as usize], &bytes[middle..]);
        }
        bpe
    }

    /// Adds a token whose last bytes are `rest`, the others leading to `node`.
    fn add(&mut self, token: u32, mut node: u32, rest: &[u8]) {
        for &byte in rest {
            let next = self.nodes.len() as u32;
            let found = *self.steps.entry(step(node, byte)).or_insert(next);
            if found == next {
                self.nodes.push(Node { parent: node, token: NONE });
            }
            node = found;
        }
        self.nodes[node as usize].token = token;
        self.node_of.push(node);
    }

    /// The bytes of the longest token.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The longest token that `bytes` begin with; [`NONE`] where there are none.
    fn longest_at(&self, bytes: &[u8]) -> u32 {
        let (mut node, mut token) = (0, NONE);
        for &byte in bytes {
            let Some(&next) = self.steps.get(&step(node, byte)) else { break };
            node = next;
            let here = self.nodes[node as usize].token;
            if here != NONE {
                token = here;
            }
        }
        token
    }

    /// The next shorter token that `token` begins with, or [`NONE`].
    fn shorter(&self, token: u32) -> u32 {
        let mut node = self.nodes[self.node_of[token as usize] as usize].parent;
        while node != NONE && self.nodes[node as usize].token == NONE {
            node = self.nodes[node as usize].parent;
        }
        if node == NONE { NONE } else { self.nodes[node as usize].token }
    }

    /// Whether two tokens side by side are how their text is encoded: undone merge by merge, no pair across the middle merges any earlier.
    fn goes_with(&self, mut left: u32, mut right: u32) -> bool {
        let mut limit = NONE;
        loop {
            if self.merged.get(&(left, right)).is_some_and(|&merged| merged < limit) {
                return false;
            }
            let (inner_left, inner_right) = (self.parts[left as usize].1, self.parts[right as usize].0);
            // The later merge is undone first. A single byte is no merge.
            if (left > right && inner_left != left) || inner_right == right {
                if inner_left == left {
                    return true;
                }
                limit = left;
                left = inner_left;
            } else {
                limit = right + 1;
                right = inner_right;
            }
        }
    }
}

fn step(node: u32, byte: u8) -> u32 {
    node << 8 | u32::from(byte)
}

/// Counts the tokens of pieces, one after the other.
pub(super) struct Counter<'b> {
    bpe: &'b Bpe,
    tokens: Vec<u32>,
    /// Positions at which no token goes on from those before, as bits.
    dead: Vec<u64>,
}

impl<'b> Counter<'b> {
    pub(super) fn new(bpe: &'b Bpe) -> Self {
        Self { bpe, tokens: Vec::new(), dead: Vec::new() }
    }

    /// The tokens of a piece.
    pub(super) fn count(&mut self, piece: &[u8]) -> usize {
        let bpe = self.bpe;
        let mut next = bpe.longest_at(piece);
        if next == NONE || self.length(next) == piece.len() {
            return usize::from(!piece.is_empty());
        }
        self.tokens.clear();
        self.dead.clear();
        self.dead.resize(piece.len() / 64 + 1, 0);
        let mut at = 0;
        while next != NONE {
            let end = at + self.length(next);
            let last = self.tokens.last().copied();
            if self.dead[end / 64] >> (end % 64) & 1 == 0 && last.is_none_or(|last| bpe.goes_with(last, next)) {
                self.tokens.push(next);
                at = end;
                next = bpe.longest_at(&piece[at..]);
                continue;
            }
            next = bpe.shorter(next);
            if next == NONE
                && let Some(last) = self.tokens.pop()
            {
                // Its end is dead now, so that a shorter one follows.
                self.dead[at / 64] |= 1 << (at % 64);
                at -= self.length(last);
                next = last;
            }
        }
        self.tokens.len()
    }

    fn length(&self, token: u32) -> usize {
        usize::from(self.bpe.lengths[token as usize])
    }
}

/// A hasher for numbers that are spread well enough by one multiplication.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0.rotate_left(29) ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
