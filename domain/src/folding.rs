//! Letters without case and accents, for comparison.

/// The upper-case letters of a text without their accents, in either Unicode form; other characters as
/// they are.
pub fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .flat_map(char::to_uppercase)
        .filter(|letter| !is_combining_accent(*letter))
        .map(without_accent)
}

fn is_combining_accent(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

fn without_accent(letter: char) -> char {
    match letter {
        'À'..='Å' => 'A',
        'Ç' => 'C',
        'È'..='Ë' => 'E',
        'Ì'..='Ï' => 'I',
        'Ñ' => 'N',
        'Ò'..='Ö' | 'Ø' => 'O',
        'Ù'..='Ü' => 'U',
        'Ý' => 'Y',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn case_and_accents_are_folded() {
        let fold = |text| folded(text).collect::<String>();
        assert_eq!(fold("áàâäéèêëíìîïóòôöúùûüñç"), "AAAAEEEEIIIIOOOOUUUUNC");
        assert_eq!(fold("N\u{303}o\u{301}"), "NO");
        assert_eq!(fold("Año 1, º"), "ANO 1, º");
    }
}
