//! The encoding `WinAnsiEncoding` (ISO 32000-1, annex D).

/// Characters of the codes 0x80 to 0x9f.
const UPPER_CONTROLS: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž',
    '\u{fffd}', '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}',
    'ž', 'Ÿ',
];

/// Decodes a string.
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

/// Returns `true` if every viewer shows the same characters for these codes: none that the encoding
/// leaves undefined, and neither the no-break space nor the soft hyphen, which look like others.
pub(crate) fn is_certain(codes: &[u8]) -> bool {
    let is_certain = |code: &u8| {
        let is_open = matches!(code, 0..=0x1f | 0x7f | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
        !is_open && !matches!(code, 0xa0 | 0xad)
    };
    codes.iter().all(is_certain)
}
