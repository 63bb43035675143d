//! The encoding `WinAnsiEncoding` (ISO 32000-1, annex D).

/// Characters of the codes 0x80 to 0x9f.
const UPPER_CONTROLS: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž',
    '\u{fffd}', '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}',
    'ž', 'Ÿ',
];

/// The text of a string.
pub(crate) fn decode(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| match byte {
            0x80..=0x9f => UPPER_CONTROLS[usize::from(byte - 0x80)],
            0..=0x1f | 0x7f => '\u{fffd}',
            other => char::from(*other),
        })
        .collect()
}
