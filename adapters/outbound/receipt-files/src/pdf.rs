//! Text of PDFs, and their pictures.
//!
//! - `lexer`, `object`: objects of the file format; `file`: those of a file; `search`: where they are found;
//! - `filters`, `predictor`: bytes of streams;
//! - `pages`: the pages; `content`: the text that their contents show; `words`: the words in it;
//! - `fonts`: characters and widths of codes, with `encoding`, `cmap` and `standard_widths`;
//! - `images`: pictures of pages;
//! - `work`: bounds on all of it.

mod cmap;
mod content;
mod encoding;
mod file;
mod filters;
mod fonts;
mod images;
mod lexer;
mod matrix;
mod object;
mod pages;
mod predictor;
mod search;
mod standard_widths;
mod words;
mod work;

use std::time::Instant;

use domain::receipts::{ReceiptFileError, ReceiptPage};

pub(crate) use images::Picture;

use content::Contents;
use file::File;
use pages::Page;
use words::Words;
use work::Work;

/// Maximum number of pictures that are searched for codes.
const MAX_SEARCHED: usize = 4;

/// A PDF.
pub(crate) struct Pdf {
    /// Pages, with their words.
    pub(crate) pages: Vec<ReceiptPage>,
    /// The largest picture of each page without words; if there are words, the largest ones of all pages.
    pub(crate) pictures: Vec<Picture>,
}

impl Pdf {
    pub(crate) fn has_words(&self) -> bool {
        self.pages.iter().any(|page| !page.words.is_empty())
    }
}

/// Reads a PDF.
///
/// # Errors
/// See [`ReceiptFileError`].
pub(crate) fn read(bytes: &[u8], deadline: Instant) -> Result<Pdf, ReceiptFileError> {
    let work = Work::until(deadline);
    let file = search::read(bytes, &work)?;
    let pages = pages::pages(&file)?;
    let mut contents = Contents::new(&file);
    let mut read = Vec::new();
    let mut found = 0;
    for page in &pages {
        let mut words = Words::new(page.width, page.height, found);
        contents.read(page, &mut words)?;
        let words = words.finish()?;
        found += words.len();
        read.push(ReceiptPage {
            width: page.width,
            height: page.height,
            words,
        });
    }
    Ok(Pdf {
        pictures: pictures(&file, &pages, found > 0)?,
        pages: read,
    })
}

fn pictures(
    file: &File<'_>,
    pages: &[Page<'_>],
    has_words: bool,
) -> Result<Vec<Picture>, ReceiptFileError> {
    let mut pictures = Vec::new();
    for page in pages {
        for found in images::of_page(file, page) {
            let picture = match found.decode(file) {
                // Codes in pictures are no reason to refuse the words.
                Err(_) if has_words => None,
                decoded => decoded?,
            };
            let is_read = picture.is_some();
            pictures.extend(picture);
            let most = if has_words { MAX_SEARCHED } else { pages.len() };
            if pictures.len() >= most {
                return Ok(pictures);
            }
            if !has_words && is_read {
                break;
            }
        }
    }
    Ok(pictures)
}
