//! Characters of one-byte codes (ISO 32000-1, annex D) and of the names of glyphs.

use std::collections::HashMap;
use std::sync::LazyLock;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

/// Names of Latin letters, digits, punctuation and signs in Adobe's list of glyphs, with their characters.
const NAMES: &str = include_str!("glyph_names.txt");

static BY_NAME: LazyLock<HashMap<&str, char>> = LazyLock::new(|| {
    let lines = NAMES.lines();
    let named = lines.filter_map(|line| {
        let (name, code) = line.split_once(' ')?;
        let character = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
        Some((name, character))
    });
    named.collect()
});

/// Encoding of one-byte codes.
#[derive(Clone, Copy)]
pub(crate) enum Base {
    Standard,
    MacRoman,
    WinAnsi,
}

impl Base {
    /// The encoding with this name.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"StandardEncoding" => Some(Self::Standard),
            b"MacRomanEncoding" => Some(Self::MacRoman),
            b"WinAnsiEncoding" | b"PDFDocEncoding" => Some(Self::WinAnsi),
            _ => None,
        }
    }

    /// Character of a code.
    pub(crate) fn character(self, code: u8) -> Option<char> {
        let character = match self {
            Self::WinAnsi => decode(WINDOWS_1252, code),
            Self::MacRoman => decode(MACINTOSH, code),
            Self::Standard => standard(code),
        };
        character.filter(|character| !character.is_control())
    }
}

fn decode(encoding: &'static Encoding, code: u8) -> Option<char> {
    let bytes = [code];
    let (text, _) = encoding.decode_without_bom_handling(&bytes);
    text.chars().next()
}

/// Character of a code in Adobe's standard encoding.
fn standard(code: u8) -> Option<char> {
    const UPPER: &str = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\0–†‡·\0¶•‚„”»…‰\0¿\
        \0`´ˆ˜¯˘˙¨\0˚¸\0˝˛ˇ—\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0Æ\0ª\0\0\0\0ŁØŒº\0\0\0\0\0æ\0\0\0ı\0\0łøœß";
    match code {
        b'\'' => Some('’'),
        b'`' => Some('‘'),
        0..=0x7f => Some(char::from(code)),
        _ => {
            let place = usize::from(code.checked_sub(0xa1)?);
            UPPER.chars().nth(place)
        }
    }
}

/// Characters of the glyph with this name.
pub(crate) fn of_name(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let (name, _) = name.split_once('.').unwrap_or((name, ""));
    let parts = name.split('_').take(8).map(of_part);
    parts
        .collect::<Option<String>>()
        .filter(|it| !it.is_empty())
}

fn of_part(name: &str) -> Option<char> {
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Some(letter);
    }
    let by_code = || {
        let digits = name
            .strip_prefix("uni")
            .or_else(|| name.strip_prefix('u'))?;
        let is_code = (4..=6).contains(&digits.len());
        let code = is_code.then(|| u32::from_str_radix(digits, 16).ok());
        char::from_u32(code.flatten()?)
    };
    BY_NAME.get(name).copied().or_else(by_code)
}

/// Appends characters as people write them: ligatures as letters, and no control characters.
pub(crate) fn push_plain(text: &mut String, characters: &str) {
    for character in characters.chars() {
        match character {
            'ﬀ' => text.push_str("ff"),
            'ﬁ' => text.push_str("fi"),
            'ﬂ' => text.push_str("fl"),
            'ﬃ' => text.push_str("ffi"),
            'ﬄ' => text.push_str("ffl"),
            '\u{ad}' | '\u{2010}' | '\u{2011}' => text.push('-'),
            '\u{fffd}' | '\u{200b}'..='\u{200f}' | '\u{feff}' => {}
            character if character.is_whitespace() => text.push(' '),
            character if character.is_control() => {}
            character => text.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(Base::Standard, 0xa1, '¡')]
    #[case(Base::Standard, 0xae, 'ﬁ')]
    #[case(Base::Standard, 0xd0, '—')]
    #[case(Base::Standard, 0xe1, 'Æ')]
    #[case(Base::Standard, 0xfb, 'ß')]
    #[case(Base::MacRoman, 0x97, 'ó')]
    #[case(Base::WinAnsi, 0xf3, 'ó')]
    #[case(Base::WinAnsi, 0x80, '€')]
    fn codes_have_characters(#[case] base: Base, #[case] code: u8, #[case] expected: char) {
        assert_eq!(base.character(code), Some(expected));
    }

    #[rstest]
    #[case("A", "A")]
    #[case("oacute", "ó")]
    #[case("period", ".")]
    #[case("uni00F3", "ó")]
    #[case("one.tnum", "1")]
    #[case("f_i", "fi")]
    fn names_have_characters(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(of_name(name.as_bytes()).as_deref(), Some(expected));
    }

    #[test]
    fn other_names_have_none() {
        assert_eq!(of_name(b"g12"), None);
        assert_eq!(of_name(b""), None);
    }
}
