//! What a line costs a reader, as worth is divided by it: the same power of a whole number for millions of lines.

use std::sync::LazyLock;

/// Density is worth / cost^ALPHA, as for JSON.
const ALPHA: f32 = 0.6;
/// Costs that come again and again.
const KNOWN: usize = 1_024;

static POWERS: LazyLock<[f32; KNOWN]> = LazyLock::new(|| std::array::from_fn(power));

fn power(cost: usize) -> f32 {
    (cost as f32).powf(ALPHA)
}

/// cost^ALPHA.
pub(crate) fn discount(cost: usize) -> f32 {
    POWERS.get(cost).copied().unwrap_or_else(|| power(cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_costs_are_what_others_are() {
        for cost in [0, 1, KNOWN - 1, KNOWN, KNOWN * KNOWN] {
            assert_eq!(discount(cost).to_bits(), power(cost).to_bits(), "{cost}");
        }
    }
}
