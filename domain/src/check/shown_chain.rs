//! The original chain that a page shows, compared with that of an XML.

use super::{PdfError, PrintedPage, printed};
use crate::key::Environment;
use crate::proof::OriginalChain;

/// The original chain that a page shows, in every spelling that its lines allow.
#[derive(Clone, Debug)]
pub struct ShownChain(Vec<OriginalChain>);

impl ShownChain {
    /// Reads the chain of a file's pages.
    ///
    /// # Errors
    /// See [`PdfError`].
    pub fn of(pages: &[PrintedPage]) -> Result<Self, PdfError> {
        // A chain is read alike in every environment.
        let readings = printed::readings(pages, Environment::Live)?;
        let chains = readings.into_iter().map(|reading| reading.proof.chain);
        Ok(Self(chains.collect()))
    }

    /// The seal of the chain, in base64.
    pub fn seal(&self) -> &str {
        self.0.first().map_or("", OriginalChain::seal)
    }

    /// Returns `true` if a page shows this chain.
    pub fn is(&self, chain: &OriginalChain) -> bool {
        self.0
            .iter()
            .any(|shown| is_same(shown.as_str(), chain.as_str()))
    }
}

/// Compares texts. A page's encoding lacks some characters beyond ASCII, and has a sign for them.
fn is_same(shown: &str, chain: &str) -> bool {
    let is_lacking = |shown, other: char| matches!(shown, '?' | '\u{fffd}') && !other.is_ascii();
    let (mut shown, mut chain) = (shown.chars(), chain.chars());
    loop {
        match (shown.next(), chain.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || is_lacking(a, b) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn a_sign_for_a_character_that_the_page_lacks_is_no_difference() {
        assert!(is_same("||1|A?o|5.55||", "||1|A\u{148}o|5.55||"));
        assert!(!is_same("||1|Ano|?.55||", "||1|Ano|5.55||"));
        assert!(!is_same("||1|Ano|5.55||", "||1|Ano|9.55||"));
        assert!(!is_same("||1|Ano|5.55||", "||1|Ano|5.55||x"));
    }
}
