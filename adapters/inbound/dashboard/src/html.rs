//! Escaping of text in HTML.

use std::fmt;

/// Escapes a text for an element or a quoted attribute.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => write!(f, "{other}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_text_ends_neither_an_element_nor_an_attribute() {
        let text = "<b title=\"a\">O'Neil & Co</b>";
        assert_eq!(
            Escaped(text).to_string(),
            "&lt;b title=&quot;a&quot;&gt;O&#39;Neil &amp; Co&lt;/b&gt;"
        );
    }
}
