//! Predictors of inflated bytes (ISO 32000-1, 7.4.4.4).

use domain::receipts::ReceiptFileError;

use super::object::{Dictionary, Object};

/// Bytes without the predictions that the parameters name.
///
/// # Errors
/// [`ReceiptFileError::Damaged`] for an unknown predictor.
pub(crate) fn undo(bytes: Vec<u8>, parameters: &Dictionary) -> Result<Vec<u8>, ReceiptFileError> {
    let entry = |name: &str, default| {
        let entry = parameters.get(name.as_bytes());
        entry.and_then(Object::as_index).unwrap_or(default)
    };
    let (colours, bits) = (entry("Colors", 1), entry("BitsPerComponent", 8));
    let pixel = colours.saturating_mul(bits).div_ceil(8);
    let row = colours
        .saturating_mul(bits)
        .saturating_mul(entry("Columns", 1))
        .div_ceil(8);
    if pixel == 0 || row == 0 {
        return Err(ReceiptFileError::Damaged);
    }
    match entry("Predictor", 1) {
        1 => Ok(bytes),
        2 if bits == 8 => Ok(tiff(bytes, pixel, row)),
        10..=15 => Ok(png(&bytes, pixel, row)),
        _ => Err(ReceiptFileError::Damaged),
    }
}

fn tiff(mut bytes: Vec<u8>, pixel: usize, row: usize) -> Vec<u8> {
    for row in bytes.chunks_mut(row) {
        for at in pixel..row.len() {
            row[at] = row[at].wrapping_add(row[at - pixel]);
        }
    }
    bytes
}

fn png(bytes: &[u8], pixel: usize, row: usize) -> Vec<u8> {
    let mut decoded: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut above: Vec<u8> = Vec::new();
    for line in bytes.chunks(row + 1) {
        let (kind, line) = (line[0], &line[1..]);
        let mut current = line.to_vec();
        for at in 0..current.len() {
            let left = at.checked_sub(pixel).map_or(0, |at| current[at]);
            let up = above.get(at).copied().unwrap_or_default();
            let corner = at
                .checked_sub(pixel)
                .and_then(|at| above.get(at).copied())
                .unwrap_or_default();
            let predicted = match kind {
                1 => left,
                2 => up,
                3 => left.midpoint(up),
                4 => paeth(left, up, corner),
                _ => 0,
            };
            current[at] = current[at].wrapping_add(predicted);
        }
        decoded.extend(&current);
        above = current;
    }
    decoded
}

/// The neighbour that is nearest to a linear estimate.
fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, up, corner].map(i16::from);
    let estimate = a + b - c;
    let [by_left, by_up, by_corner] = [a, b, c].map(|it| (estimate - it).abs());
    if by_left <= by_up && by_left <= by_corner {
        left
    } else if by_up <= by_corner {
        up
    } else {
        corner
    }
}
