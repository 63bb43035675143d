//! The proof shown by a PDF, for comparison with an XML.

use chrono::NaiveDate;

use super::{CheckReport, PageComparison, PdfError, PrintedPage, printed};
use crate::keys::Environment;
use crate::proofs::{OriginalChain, Proof};
use crate::seals::{NotChecked, Verdict};

/// The proof shown by a page of the portal, in every reading that its line breaks allow. Empty if the
/// page isn't drawn like the portal's or contradicts its own chain.
#[derive(Clone, Debug)]
pub struct ShownProof(Vec<Proof>);

impl ShownProof {
    /// Reads a file's pages; `today` is the date in Mexico City.
    ///
    /// # Errors
    /// See [`PdfError`].
    pub fn of(
        pages: &[PrintedPage],
        environment: Environment,
        today: NaiveDate,
    ) -> Result<Self, PdfError> {
        let readings = printed::readings(pages, environment, today)?.into_iter();
        let reports = readings.map(|reading| {
            let verdict = Verdict::NotChecked(NotChecked::UnknownCertificate);
            CheckReport::of_reading(reading, verdict)
        });
        let agreeing = reports.filter(|it| it.page() == Some(PageComparison::Agrees));
        Ok(Self(agreeing.filter_map(|report| report.proof).collect()))
    }

    /// The seal in base64; empty if there is no proof.
    pub fn seal(&self) -> &str {
        self.0.first().map_or("", |proof| proof.chain.seal())
    }

    /// Returns `true` if the page shows this chain and this tracking key.
    pub fn is(&self, chain: &OriginalChain, tracking_key: &str) -> bool {
        self.0.iter().any(|shown| {
            shown.tracking_key() == tracking_key && is_same(shown.chain.as_str(), chain.as_str())
        })
    }
}

/// Compares texts. A replacement character on the page matches any character beyond ASCII, because the
/// page's encoding lacks some of these.
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
