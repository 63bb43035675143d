//! Reader of receipts without a program that recognises text.

use async_trait::async_trait;
use bytes::Bytes;
use domain::receipts::{ReceiptFileError, ReceiptText};
use ports::outbound::ReceiptReader;

/// Reads a PDF as the text behind its first line, and no picture.
pub struct PlainReceipts;

#[async_trait]
impl ReceiptReader for PlainReceipts {
    async fn pdf(&self, file: Bytes) -> Result<ReceiptText, ReceiptFileError> {
        let text = std::str::from_utf8(&file).map_err(|_| ReceiptFileError::Damaged)?;
        let (_, text) = text.split_once('\n').ok_or(ReceiptFileError::Damaged)?;
        Ok(ReceiptText::of_plain(text))
    }

    async fn picture(&self, _: Bytes) -> Result<ReceiptText, ReceiptFileError> {
        Err(ReceiptFileError::NoRecognition)
    }
}
