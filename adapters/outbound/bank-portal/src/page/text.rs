//! Normalised text: white space collapsed, and folded for comparison.

use domain::folding;

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

/// Converts to lower case without accents: for comparison only.
pub(super) fn fold(text: &str) -> String {
    let folded = folding::folded(text);
    folded.map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_collapsed_and_trimmed() {
        assert_eq!(collapse(" \ta\r\n\u{a0}b  c\n"), "a b c");
        assert_eq!(collapse(" \n"), "");
    }
}
