//! Validation of search texts.

/// Maximum characters of a search text.
pub const MAX_SEARCH_LENGTH: usize = 200;

/// The search text is longer than [`MAX_SEARCH_LENGTH`], or has control characters, some of which
/// PostgreSQL refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a search has up to {MAX_SEARCH_LENGTH} characters, none of them a control character")]
pub struct SearchTextError;

/// Trims and validates a search text; `None` when it is blank.
///
/// # Errors
/// [`SearchTextError`] for a text that is too long or has control characters.
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
