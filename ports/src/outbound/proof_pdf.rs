//! Port: reading of the PDFs that people send.

use domain::check::{PdfError, PrintedPage};

/// Port: the text of a proof's PDF.
pub trait ProofPdfReader: Send + Sync {
    /// Reads the only page of a PDF. The file may be hostile: within 100 ms and 32 MiB it MUST come
    /// to an end, and it MUST refuse what is encrypted or needs more.
    ///
    /// # Errors
    /// See [`PdfError`]; a page without any text is an empty one, or [`PdfError::NoText`].
    fn read(&self, pdf: &[u8]) -> Result<PrintedPage, PdfError>;
}
