//! The three standard typefaces of the page, their character widths and their encoding.
//!
//! Every PDF reader brings Helvetica and Courier, so nothing is embedded; the widths are those of
//! Adobe's metrics for the fourteen core fonts, in thousandths of the type size.

use pdf_writer::Name;

/// A typeface of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typeface {
    Regular,
    Bold,
    Fixed,
}

/// Helvetica, from the blank (0x20) to `~`.
const REGULAR: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278,
    278, // blank to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
];

/// Helvetica-Bold, from the blank (0x20) to `~`.
const BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278,
    278, // blank to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, // 0 to ?
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778, // @ to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, // P to _
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, // ` to o
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584, // p to ~
];

impl Typeface {
    /// All typefaces.
    pub(super) const ALL: [Self; 3] = [Self::Regular, Self::Bold, Self::Fixed];

    /// Returns the name of the font resource.
    pub(super) fn resource(self) -> Name<'static> {
        match self {
            Self::Regular => Name(b"R"),
            Self::Bold => Name(b"B"),
            Self::Fixed => Name(b"F"),
        }
    }

    /// Returns the name of the core font.
    pub(super) fn base_font(self) -> Name<'static> {
        match self {
            Self::Regular => Name(b"Helvetica"),
            Self::Bold => Name(b"Helvetica-Bold"),
            Self::Fixed => Name(b"Courier"),
        }
    }

    /// Returns the width of `text` at `size`, in points.
    pub(super) fn width(self, text: &str, size: f32) -> f32 {
        let thousandths: f32 = text.chars().map(|c| f32::from(self.advance(c))).sum();
        thousandths * size / 1000.0
    }

    fn advance(self, character: char) -> u16 {
        let table = match self {
            Self::Regular => &REGULAR,
            Self::Bold => &BOLD,
            Self::Fixed => return 600,
        };
        match character {
            ' '..='~' => table[character as usize - 0x20],
            '—' => 1000,
            '®' => 737,
            // An accent doesn't widen its letter, except that í has the width of a dotless i.
            'í' => 278,
            _ => table[base_letter(character) as usize - 0x20],
        }
    }
}

/// Returns the letter without its accent; for other characters one of average width.
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
