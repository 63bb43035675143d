//! Port: reading of PDF files that users upload.

use domain::proofs::check::{PdfError, PrintedPage};

/// Port: extraction of the text of a proof's PDF.
pub trait ProofPdfReader: Send + Sync {
    /// Reads the pages of a PDF. The file may be hostile: reading MUST end within 100 ms and 32 MiB, and MUST
    /// refuse files that are encrypted or exceed these limits. Pages are reported as
    /// [`domain::proofs::check::Drawing::Portal`] only if no viewer shows anything else than the extracted text, and
    /// the PDF has a single page.
    ///
    /// # Errors
    /// See [`PdfError`]; a page without text isn't an error.
    fn read(&self, pdf: &[u8]) -> Result<Vec<PrintedPage>, PdfError>;
}
