//! Detection and decoding of text encodings.

use std::str;

/// Text encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, little-endian ("Unicode text" in Excel).
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// Windows-1252, assumed for every other file.
    Windows1252,
}

/// Text of a file, decoded one character at a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Text<'a> {
    Utf8(&'a str),
    /// Marked as UTF-8 by a byte order mark, but with invalid bytes.
    BrokenUtf8(&'a [u8]),
    Utf16 {
        bytes: &'a [u8],
        unit: fn([u8; 2]) -> u16,
    },
    Windows1252(&'a [u8]),
}

/// Characters of the bytes 0x80–0x9F in Windows-1252; unassigned bytes are control characters.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl<'a> Text<'a> {
    /// Detects the encoding and drops the byte order mark.
    pub(super) fn of(bytes: &'a [u8]) -> (Self, Encoding) {
        match bytes {
            [0xff, 0xfe, bytes @ ..] => {
                let unit = u16::from_le_bytes;
                (Self::Utf16 { bytes, unit }, Encoding::Utf16Le)
            }
            [0xfe, 0xff, bytes @ ..] => {
                let unit = u16::from_be_bytes;
                (Self::Utf16 { bytes, unit }, Encoding::Utf16Be)
            }
            [0xef, 0xbb, 0xbf, bytes @ ..] => {
                let text = str::from_utf8(bytes).map_or(Self::BrokenUtf8(bytes), Self::Utf8);
                (text, Encoding::Utf8)
            }
            _ => match str::from_utf8(bytes) {
                Ok(text) => (Self::Utf8(text), Encoding::Utf8),
                Err(_) => (Self::Windows1252(bytes), Encoding::Windows1252),
            },
        }
    }

    /// The character at `offset`, and the offset after it. `offset` must be 0 or an offset returned by
    /// this method. Invalid units decode to U+FFFD.
    pub(super) fn at(&self, offset: usize) -> Option<(char, usize)> {
        match self {
            Self::Utf8(text) => {
                let character = text.get(offset..)?.chars().next()?;
                Some((character, offset + character.len_utf8()))
            }
            Self::BrokenUtf8(bytes) => {
                let rest = bytes.get(offset..)?;
                let chunk = rest[..rest.len().min(4)].utf8_chunks().next()?;
                match chunk.valid().chars().next() {
                    Some(character) => Some((character, offset + character.len_utf8())),
                    None => Some((char::REPLACEMENT_CHARACTER, offset + chunk.invalid().len())),
                }
            }
            Self::Utf16 { bytes, unit } => {
                let rest = bytes.get(offset..).filter(|rest| !rest.is_empty())?;
                let units = rest.chunks(2).map(|pair| match pair {
                    [first, second] => unit([*first, *second]),
                    // The file ends in the middle of a UTF-16 unit.
                    _ => u16::from_be_bytes([0xff, 0xfd]),
                });
                let character = char::decode_utf16(units.take(2)).next()?;
                let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
                let length = 2 * character.len_utf16();
                Some((character, bytes.len().min(offset + length)))
            }
            Self::Windows1252(bytes) => {
                let byte = *bytes.get(offset)?;
                let character = match byte {
                    0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
                    _ => char::from(byte),
                };
                Some((character, offset + 1))
            }
        }
    }
}
