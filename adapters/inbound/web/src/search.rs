//! Texts that lists are searched for.

/// Most characters of a text that a list is searched for.
pub const MAX_SEARCH_LENGTH: usize = 200;

/// A text that no list is searched for: longer than [`MAX_SEARCH_LENGTH`], or with control
/// characters, which no name has and PostgreSQL refuses in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a search has up to {MAX_SEARCH_LENGTH} characters, none of them a control character")]
pub struct SearchTextError;

/// Reads a text that a list is searched for. Blanks around it are dropped; a blank one is none.
///
/// # Errors
/// [`SearchTextError`].
pub fn search_text(text: &str) -> Result<Option<String>, SearchTextError> {
    let text = text.trim();
    if text.chars().count() > MAX_SEARCH_LENGTH || text.chars().any(char::is_control) {
        return Err(SearchTextError);
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", Ok(None))]
    #[case("  \t", Ok(None))]
    #[case(" caja 4 ", Ok(Some("caja 4".to_owned())))]
    #[case(&"ñ".repeat(200), Ok(Some("ñ".repeat(200))))]
    #[case(&"ñ".repeat(201), Err(SearchTextError))]
    #[case("ca\u{0}ja", Err(SearchTextError))]
    fn a_search_is_short_and_has_no_control_characters(
        #[case] text: &str,
        #[case] read: Result<Option<String>, SearchTextError>,
    ) {
        assert_eq!(search_text(text), read);
    }
}
