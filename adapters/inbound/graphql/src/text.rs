//! Texts of the caller's in messages.

/// Shortens the caller's own text, or one that repeats it.
pub(crate) fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 300;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
