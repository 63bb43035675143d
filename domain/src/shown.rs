//! Characters of strangers' texts, as they may be shown.

/// The character, or `U+FFFD` for one that can't be shown: control characters but for the ends of lines and
/// tabs, marks of direction, which could turn the text around them (UAX #9), and invisible characters.
pub(crate) fn shown(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        '\u{00AD}'
        | '\u{061C}'
        | '\u{180E}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}' => char::REPLACEMENT_CHARACTER,
        other if other.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    }
}
