//! Receipts as programs make them, and hostile ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use domain::receipts::{ReceiptFileError, ReceiptPage, ReceiptText, TextSource, Word};
use ports::outbound::ReceiptReader as _;
use receipt_files::{Limits, Programs, ReceiptFiles};

mod browser;
mod codes;
mod fakes;
mod hostile_pictures;
mod layouts;
mod made;
mod memory;
mod panics;
mod pdfs;
mod pictures;
mod programs;

/// Reads a PDF.
fn pdf(file: impl Into<Bytes>) -> Result<ReceiptText, ReceiptFileError> {
    wait(ReceiptFiles::default().pdf(file.into()))
}

/// Reads a picture.
fn picture(file: impl Into<Bytes>) -> Result<ReceiptText, ReceiptFileError> {
    wait(ReceiptFiles::default().picture(file.into()))
}

/// A reader that recognises text with another program.
fn recognising(program: impl Into<std::path::PathBuf>, limits: Limits) -> ReceiptFiles {
    let tesseract = Some(program.into());
    let programs = Programs {
        tesseract,
        ..Programs::default()
    };
    ReceiptFiles::new(programs, limits)
}

fn wait<T>(act: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all().build().unwrap().block_on(act)
}

fn words(text: &ReceiptText) -> Vec<&str> {
    let words = text.pages.iter().flat_map(|page| &page.words);
    words.map(|word| &*word.text).collect()
}

/// The word with this text, which must be one.
fn word<'a>(page: &'a ReceiptPage, text: &str) -> &'a Word {
    let mut found = page.words.iter().filter(|word| word.text == text);
    let word = found.next();
    word.unwrap_or_else(|| panic!("{text} in {:?}", page.words))
}
