//! PDF text: reads the pages of a proof's PDF, and tells whether they are drawn as the portal draws
//! them.
//!
//! Files are untrusted. Two readers process them:
//!
//! - one reads a narrow kind of PDF, the portal's: objects one after another, all of them in the
//!   only cross-reference table; no object streams, no revisions; one page. A viewer that follows
//!   the table then finds what is read here, and only the page of such a file may count as the
//!   portal's;
//! - any other file is searched for objects, whatever its tables contain, with object streams and
//!   revisions: the chain of a re-saved file is found, but its page never counts as the portal's.
//!
//! A file is read from its beginning to its end; contents are inflated up to a limit.
//!
//! - `lexer`: objects of the file format, with bounds on their number and depth;
//! - `file`: the structure of the narrow kind; `salvage`: that of any other;
//! - `filters`: the filters of streams;
//! - `page`: the pages, their contents and their fonts;
//! - `content`: interprets a page's content and returns its texts; `grammar`: the portal's layout.

mod content;
mod file;
mod filters;
mod grammar;
mod helvetica;
mod lexer;
mod matrix;
mod page;
mod salvage;
mod win_ansi;

use domain::proofs::check::{MAX_FILE_BYTES, PdfError, PrintedPage};
use ports::outbound::ProofPdfReader;

/// Reader of the portal's PDFs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortalPdf;

impl ProofPdfReader for PortalPdf {
    fn read(&self, pdf: &[u8]) -> Result<Vec<PrintedPage>, PdfError> {
        if pdf.len() > MAX_FILE_BYTES {
            return Err(PdfError::TooLarge);
        }
        let file = match file::File::read(pdf) {
            Err(PdfError::Encrypted) => return Err(PdfError::Encrypted),
            Err(_) => salvage::read(pdf)?,
            Ok(file) => file,
        };
        pages(&file)
    }
}

/// Interprets the pages. A damaged page doesn't prevent others from being read.
fn pages<'a>(file: &'a file::File<'a>) -> Result<Vec<PrintedPage>, PdfError> {
    let mut pages = Vec::new();
    let mut damage = None;
    for leaf in page::leaves(file)? {
        match page::Page::of(file, leaf).and_then(|page| content::draw(&page)) {
            Ok(page) => pages.push(page),
            Err(PdfError::Damaged) => damage = Some(PdfError::Damaged),
            Err(error) => return Err(error),
        }
    }
    match damage {
        Some(error) if pages.is_empty() => Err(error),
        _ => Ok(pages),
    }
}
