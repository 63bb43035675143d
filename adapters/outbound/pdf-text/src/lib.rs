//! PDF text: the page of a proof's PDF, as the portal writes it.
//!
//! The files are hostile until the contrary is shown, so this reads a narrow kind of PDF: objects one
//! after another, each of them in the only cross-reference table; no object streams, no revisions; one
//! page; standard fonts. What a viewer finds by the table is then what is read here. A file is read
//! once from its beginning to its end; only the page's content is inflated, up to a bound.
//!
//! - `lexer`: objects of the file format, with bounds on their number and depth;
//! - `file`: the file's structure;
//! - `page`: the page, its content and its fonts;
//! - `content`: the drawing of the page, which yields the texts.
#![warn(missing_docs)]

mod content;
mod file;
mod lexer;
mod matrix;
mod page;
mod win_ansi;

use domain::check::{MAX_FILE_BYTES, PdfError, PrintedPage};
use ports::outbound::ProofPdfReader;

/// Reader of the portal's PDFs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortalPdf;

impl ProofPdfReader for PortalPdf {
    fn read(&self, pdf: &[u8]) -> Result<PrintedPage, PdfError> {
        if pdf.len() > MAX_FILE_BYTES {
            return Err(PdfError::TooLarge);
        }
        let file = file::File::read(pdf)?;
        let page = page::Page::of(&file)?;
        content::draw(&page)
    }
}
