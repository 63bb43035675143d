//! Types of files that are read as receipts.

use super::notice::DocumentKind;
use crate::proofs::Proof;
use crate::proofs::check::{CheckReason, FileKind};
use crate::proofs::file::Format;

/// Maximum size in bytes of a receipt's file. Photos of telephones have up to 8 million.
pub const MAX_FILE_BYTES: usize = 8 * 1024 * 1024;

/// Signatures of the pictures that are read.
const PICTURES: [&[u8]; 2] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"];

/// A file by its type, which its first bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptFile {
    /// A text in UTF-8.
    Text,
    /// A PDF.
    Pdf,
    /// A PNG, JPEG or WebP picture.
    Picture,
    /// A document of another kind, which needs no reading.
    Document(DocumentKind),
}

/// Reason why a file isn't read as a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadType {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// A picture in another format, as HEIC.
    #[error("a picture in a format that isn't read")]
    Picture,
    /// A file of another type.
    #[error("a file of a type that isn't read")]
    Other,
}

impl ReceiptFile {
    /// The type of a file.
    ///
    /// # Errors
    /// See [`UnreadType`].
    pub fn of(file: &[u8]) -> Result<Self, UnreadType> {
        let is_webp = file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP");
        if is_webp || PICTURES.iter().any(|signature| file.starts_with(signature)) {
            return Ok(Self::Picture);
        }
        match FileKind::of(file) {
            FileKind::Proof(Format::Pdf) => Ok(Self::Pdf),
            FileKind::Proof(Format::Xml) if Proof::read(file).is_ok() => {
                Ok(Self::Document(DocumentKind::Proof))
            }
            FileKind::Other(CheckReason::Invoice) => Ok(Self::Document(DocumentKind::Invoice)),
            FileKind::Other(CheckReason::PlainText | CheckReason::Email | CheckReason::Json)
                if std::str::from_utf8(file).is_ok() =>
            {
                Ok(Self::Text)
            }
            FileKind::Other(CheckReason::Empty) => Err(UnreadType::Empty),
            FileKind::Other(CheckReason::Picture) => Err(UnreadType::Picture),
            FileKind::Proof(Format::Xml) | FileKind::Zip | FileKind::Other(_) => {
                Err(UnreadType::Other)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::text("Monto: $1.00 — año".as_bytes(), Ok(ReceiptFile::Text))]
    #[case::chat(b"[20/11/26, 11:02] Ana: Monto", Ok(ReceiptFile::Text))]
    #[case::mail(b"From: a@b.mx\nSubject: pago\n\nMonto", Ok(ReceiptFile::Text))]
    #[case::not_utf8(b"a\xf1o", Err(UnreadType::Other))]
    #[case::pdf(b"%PDF-1.7 1 0 obj", Ok(ReceiptFile::Pdf))]
    #[case::png(b"\x89PNG\r\n\x1a\n...", Ok(ReceiptFile::Picture))]
    #[case::jpeg(b"\xff\xd8\xff\xe0", Ok(ReceiptFile::Picture))]
    #[case::webp(b"RIFF\0\0\0\0WEBPVP8 ", Ok(ReceiptFile::Picture))]
    #[case::heic(b"\0\0\0\x18ftypheic", Err(UnreadType::Picture))]
    #[case::gif(b"GIF89a", Err(UnreadType::Picture))]
    #[case::invoice(
        b"<cfdi:Comprobante xmlns:cfdi=\"http://www.sat.gob.mx/cfd/4\"/>",
        Ok(ReceiptFile::Document(DocumentKind::Invoice))
    )]
    #[case::xml(b"<a/>", Err(UnreadType::Other))]
    #[case::zip(b"PK\x03\x04", Err(UnreadType::Other))]
    #[case::nothing(b" \n", Err(UnreadType::Empty))]
    fn the_first_bytes_tell_the_type(
        #[case] file: &[u8],
        #[case] expected: Result<ReceiptFile, UnreadType>,
    ) {
        assert_eq!(ReceiptFile::of(file), expected);
    }
}
