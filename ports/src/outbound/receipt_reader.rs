//! Port: reading of receipts that users upload.

use async_trait::async_trait;
use bytes::Bytes;
use domain::receipts::{ReceiptFileError, ReceiptText};

/// Port: reader of the text of receipts, in PDF files and pictures.
#[async_trait]
pub trait ReceiptReader: Send + Sync {
    /// Reads the text of a PDF. The file may be hostile: time and memory MUST be bounded whatever it declares.
    ///
    /// A PDF whose pages are pictures without text MUST be read like pictures, its first pages at least.
    ///
    /// # Errors
    /// See [`ReceiptFileError`]; a page without text isn't an error.
    async fn pdf(&self, file: Bytes) -> Result<ReceiptText, ReceiptFileError>;

    /// Reads the text of a PNG, JPEG or WebP picture, and the QR codes in it, with the same bounds.
    ///
    /// # Errors
    /// See [`ReceiptFileError`]; a picture without text isn't an error.
    async fn picture(&self, file: Bytes) -> Result<ReceiptText, ReceiptFileError>;
}
