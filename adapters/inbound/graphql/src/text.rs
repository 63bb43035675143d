//! Truncation of caller-supplied text in messages.

/// Truncates caller-supplied text to 300 characters.
pub(crate) fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 300;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
