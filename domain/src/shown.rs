//! Sanitises characters of untrusted text for display.

/// Returns `true` for an invisible character that changes how other text is read: direction marks (UAX
/// #9), zero-width spaces, line and paragraph separators, annotations and tags. Joiners aren't
/// included, because scripts and emoji need them.
pub(crate) fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{AD}' // soft hyphen
            | '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' // direction
            | '\u{180E}' | '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' // no width
            | '\u{2028}' | '\u{2029}' // ends of lines and paragraphs
            | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' // annotations, tags
    )
}

/// The character, or `U+FFFD` if it can't be shown safely: control characters other than line feed and
/// tab, hidden characters, and joiners.
pub(crate) fn shown(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        '\u{200C}' | '\u{200D}' | '\u{2065}'..='\u{206F}' => char::REPLACEMENT_CHARACTER,
        other if other.is_control() || is_hidden(other) => char::REPLACEMENT_CHARACTER,
        other => other,
    }
}
