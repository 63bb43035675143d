//! Widths of Helvetica's characters, and its encoding.
//!
//! Every PDF reader includes Helvetica, so no font is embedded. The widths are those of Adobe's metrics
//! for the fourteen core fonts, in thousandths of the font size.

/// Widths from the blank (0x20) to `~`.
const ADVANCES: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278,
    278, // blank to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
];

/// Returns the width of `text` at `size`, in points.
pub(super) fn width(text: &str, size: f32) -> f32 {
    let thousandths: f32 = text.chars().map(|c| f32::from(advance(c))).sum();
    thousandths * size / 1000.0
}

fn advance(character: char) -> u16 {
    match character {
        ' '..='~' => ADVANCES[character as usize - 0x20],
        '—' => 1000,
        '®' => 737,
        // An accent doesn't change a letter's width, except that í has the width of a dotless i.
        'í' => 278,
        _ => ADVANCES[base_letter(character) as usize - 0x20],
    }
}

/// The letter without its accent; for other characters `n`, which has an average width.
fn base_letter(character: char) -> char {
    match character {
        'Á' => 'A',
        'É' => 'E',
        'Í' => 'I',
        'Ó' => 'O',
        'Ú' | 'Ü' => 'U',
        'Ñ' => 'N',
        'á' => 'a',
        'é' => 'e',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        _ => 'n',
    }
}

/// Encodes text in `WinAnsi`; characters outside of it become `?`.
pub(super) fn win_ansi(text: &str) -> Vec<u8> {
    text.chars()
        .map(|character| match character {
            '—' => 0x97,
            ' '..='~' | '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(character)).unwrap_or(b'?'),
            _ => b'?',
        })
        .collect()
}
