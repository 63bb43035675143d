//! Port: reading of the PDFs that people send.

use domain::check::{PdfError, PrintedPage};

/// Port: the text of a proof's PDF.
pub trait ProofPdfReader: Send + Sync {
    /// Reads the pages of a PDF. The file may be hostile: within 100 ms and 32 MiB it MUST come to an
    /// end, and it MUST refuse what is encrypted or needs more. A page is said to be drawn as the
    /// portal draws ([`domain::check::Drawing::Portal`]) only if no viewer shows anything else than
    /// what was read, and it is the only one.
    ///
    /// # Errors
    /// See [`PdfError`]; a page without any text is an empty one.
    fn read(&self, pdf: &[u8]) -> Result<Vec<PrintedPage>, PdfError>;
}
