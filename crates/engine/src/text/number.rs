//! Cells that are amounts: numbers with signs, thousands, units, sizes and durations as tools print them.

/// The amount that a cell gives, to compare it with others of its column: `-1.5e3`, `1,204`, `$4.20`, `37%`, `250m`, `1.2Gi`, `3d4h`, `12 (5m ago)`.
pub(crate) fn number(cell: &str) -> Option<f64> {
    if !cell.bytes().take(3).any(|b| b.is_ascii_digit()) && !cell.starts_with(['€', '£', '¥']) {
        return None;
    }
    plain(cell).or_else(|| amount(cell))
}

/// A number of few digits, as nearly all are.
fn plain(cell: &str) -> Option<f64> {
    let digits = cell.strip_prefix('-').unwrap_or(cell).as_bytes();
    if digits.len() > 15 {
        return None;
    }
    let (mut value, mut point) = (0u64, None);
    for (at, &b) in digits.iter().enumerate() {
        match b {
            b'0'..=b'9' => value = value * 10 + u64::from(b - b'0'),
            b'.' if point.is_none() && at + 1 < digits.len() => point = Some(digits.len() - 1 - at),
            _ => return None,
        }
    }
    let value = value as f64 / TENS[point.unwrap_or(0)];
    Some(if digits.len() < cell.len() { -value } else { value })
}

const TENS: [f64; 16] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

fn amount(cell: &str) -> Option<f64> {
    if cell.len() > 40 {
        return None;
    }
    let (negative, rest) = match cell.as_bytes().first()? {
        b'-' => (true, &cell[1..]),
        b'+' => (false, &cell[1..]),
        _ => (false, cell),
    };
    let mut rest = rest.trim_start_matches(['$', '€', '£', '¥']);
    let mut sum = 0.0;
    for segment in 0..4 {
        let (value, used) = unsigned(rest)?;
        rest = &rest[used..];
        let unit_end = rest.find(|c: char| c.is_ascii_digit() || c == ' ').unwrap_or(rest.len());
        let unit = &rest[..unit_end];
        if unit.is_empty() && segment > 0 {
            return None;
        }
        sum += value * scale(unit)?;
        rest = &rest[unit_end..];
        // A remark in brackets says more about the number.
        if rest.is_empty() || rest.starts_with(" (") {
            return Some(if negative { -sum } else { sum });
        }
        if let Some(spaced) = rest.strip_prefix(' ') {
            let scaled = if unit.is_empty() && segment == 0 { scale(spaced).filter(|_| !spaced.is_empty()) } else { None };
            return scaled.map(|s| if negative { -sum * s } else { sum * s });
        }
    }
    None
}

/// A number without a sign, and how many bytes it took.
fn unsigned(text: &str) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let (mut at, mut value, mut digits) = (0, 0.0f64, 0);
    while let Some(&b) = bytes.get(at) {
        let thousands = b == b','
            && digits > 0
            && bytes.get(at + 1..at + 4).is_some_and(|d| d.iter().all(u8::is_ascii_digit))
            && !bytes.get(at + 4).is_some_and(u8::is_ascii_digit);
        if b.is_ascii_digit() {
            value = value * 10.0 + f64::from(b - b'0');
            digits += 1;
        } else if !thousands {
            break;
        }
        at += 1;
    }
    if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        at += 1;
        let mut place = 1.0;
        while let Some(b) = bytes.get(at).filter(|b| b.is_ascii_digit()) {
            place /= 10.0;
            value += f64::from(b - b'0') * place;
            digits += 1;
            at += 1;
        }
    }
    if digits == 0 {
        return None;
    }
    if bytes.get(at).is_some_and(|b| matches!(b, b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
        let end = at + 1 + sign + bytes[at + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if let Ok(exponent) = text[at + 1..end].parse::<i32>() {
            value *= 10f64.powi(exponent.clamp(-400, 400));
            at = end;
        }
    }
    Some((value, at))
}

/// What one of a unit is, in its base unit. Columns rarely mix kinds of units, so `m` may be a minute where it is a thousandth.
fn scale(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "%" | "s" | "B" | "b" | "x" | "sec" | "secs" => 1.0,
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "m" | "min" | "mins" => 60.0,
        "h" | "hrs" => 3_600.0,
        "d" => 86_400.0,
        "w" => 604_800.0,
        "y" => 31_536_000.0,
        "k" | "K" | "kB" | "KB" | "Ki" | "KiB" => 1e3,
        "M" | "MB" | "Mi" | "MiB" => 1e6,
        "G" | "GB" | "Gi" | "GiB" => 1e9,
        "T" | "TB" | "Ti" | "TiB" => 1e12,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_tools_print_them() {
        for (cell, value) in [
            ("0", Some(0.0)),
            (".097", Some(0.097)),
            ("-1.5e3", Some(-1_500.0)),
            ("2.5E-2", Some(0.025)),
            ("1,204,000", Some(1_204_000.0)),
            ("$4.25", Some(4.25)),
            ("37%", Some(37.0)),
            ("3d4h", Some(273_600.0)),
            ("1.5Gi", Some(1.5e9)),
            ("12 (5m ago)", Some(12.0)),
            ("120 MB", Some(1.2e8)),
            ("1/1", None),
            ("1.2.3", None),
            ("2026-07-31", None),
            ("14:25", None),
            ("10.0.0.1", None),
            ("3 weeks ago", None),
            ("", None),
            ("-", None),
            ("e5", None),
            ("ok", None),
            ("1e", None),
            ("5é", None),
        ] {
            let found = number(cell);
            assert!(found == value || found.zip(value).is_some_and(|(f, v)| (f - v).abs() < 1e-9 * v.abs()), "{cell}: {found:?}");
        }
    }
}
