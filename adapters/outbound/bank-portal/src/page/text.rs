//! Normalised text: white space collapsed, and folded for comparison.

/// Replaces each run of white space by one blank, and trims the text.
pub(super) fn collapse(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

/// Converts to lower case without accents, from either Unicode form: for comparison only.
pub(super) fn fold(text: &str) -> String {
    text.chars()
        .flat_map(char::to_lowercase)
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .map(|c| match c {
            'á' | 'à' | 'â' | 'ä' => 'a',
            'é' | 'è' | 'ê' | 'ë' => 'e',
            'í' | 'ì' | 'î' | 'ï' => 'i',
            'ó' | 'ò' | 'ô' | 'ö' => 'o',
            'ú' | 'ù' | 'û' | 'ü' => 'u',
            'ñ' => 'n',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_collapsed_and_trimmed() {
        assert_eq!(collapse(" \ta\r\n\u{a0}b  c\n"), "a b c");
        assert_eq!(collapse(" \n"), "");
    }

    #[test]
    fn case_and_accents_are_folded() {
        assert_eq!(fold("ÁÀÂÄÉÈÊËÍÌÎÏÓÒÔÖÚÙÛÜÑ"), "aaaaeeeeiiiioooouuuun");
        assert_eq!(fold("N\u{303}o\u{301}"), "no");
        assert_eq!(fold("Ça, ß: 1"), "ça, ß: 1");
    }
}
