//! Reads the text of the receipts that people send: PDFs and pictures.
//!
//! Files are untrusted. PDFs are read by programs of the system that are confined: a library in this process could be
//! bounded in neither time nor memory (lopdf 0.47 inflates object streams once for each entry that names them).
//! Pictures are decoded here, within bounds, and their text is recognised by a program.
//!
//! Modules:
//!
//! - `drawn`: words of PDFs against what is drawn;
//! - `picture`: pixels of pictures, and QR codes in them;
//! - `programs`: the programs, and what they write;
//! - `queue`: how many files are read at once.

use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::receipts::{MAX_FILE_BYTES, ReceiptFileError, ReceiptPage, ReceiptText, TextSource};
use image::GrayImage;
use ports::outbound::ReceiptReader;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;

mod drawn;
mod picture;
mod programs;
mod queue;

use programs::Program;
use queue::Queue;

/// Number of pages without words that are recognised.
const MAX_SCANNED: usize = 2;

/// Bounds on the reading of receipts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum time in which the text of a PDF is read, or a page of it is drawn.
    pub pdf: Duration,
    /// Maximum time of the recognition of a picture.
    pub recognition: Duration,
    /// Maximum number of files that wait for their turn.
    pub waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pdf: Duration::from_secs(10),
            recognition: Duration::from_secs(10),
            waiting: 16,
        }
    }
}

/// Paths of programs, if they aren't the system's.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// Tesseract, with its Spanish and English models.
    pub tesseract: Option<PathBuf>,
    /// Poppler's program that writes the text of PDFs.
    pub pdftotext: Option<PathBuf>,
    /// Poppler's program that draws pages of PDFs.
    pub pdftoppm: Option<PathBuf>,
}

/// Reader of receipts.
#[derive(Debug)]
pub struct ReceiptFiles {
    tesseract: Program,
    pdftotext: Program,
    pdftoppm: Program,
    limits: Limits,
    queue: Queue,
}

impl Default for ReceiptFiles {
    fn default() -> Self {
        Self::new(Programs::default(), Limits::default())
    }
}

impl ReceiptFiles {
    /// Creates a reader with these programs, at absolute paths. What needs a program that isn't there fails with
    /// [`ReceiptFileError::NoRecognition`].
    pub fn new(programs: Programs, limits: Limits) -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self {
            tesseract: Program::find("tesseract", programs.tesseract),
            pdftotext: Program::find("pdftotext", programs.pdftotext),
            pdftoppm: Program::find("pdftoppm", programs.pdftoppm),
            limits,
            queue: Queue::new(processors, limits.waiting),
        }
    }

    /// Reads a picture that a function decodes: its words, and its codes. Returns the place, too.
    async fn read(
        &self,
        place: OwnedSemaphorePermit,
        decode: impl FnOnce() -> Result<GrayImage, ReceiptFileError> + Send + 'static,
    ) -> Result<(ReceiptPage, Vec<String>, OwnedSemaphorePermit), ReceiptFileError> {
        let read = blocking(place, move || {
            let pixels = decode()?;
            Ok((picture::codes(&pixels), picture::prepare(pixels)))
        });
        let ((codes, prepared), place) = read.await?;
        let most = self.limits.recognition;
        let page = programs::recognise(&self.tesseract, &prepared, most).await?;
        Ok((page, codes, place))
    }

    /// Words and QR codes on the first page of a PDF as it is drawn; `None` if it can't be.
    async fn drawn(
        &self,
        place: OwnedSemaphorePermit,
        file: &Bytes,
    ) -> Option<(ReceiptPage, Vec<String>)> {
        let drawn = programs::draw_page(&self.pdftoppm, (file, 1), self.limits.pdf)
            .await
            .ok()?;
        let (page, codes, _) = self
            .read(place, move || picture::decode(&drawn))
            .await
            .ok()?;
        Some((page, codes))
    }

    /// Reads the first pages of a PDF without words as pictures.
    async fn scanned(
        &self,
        mut place: OwnedSemaphorePermit,
        (file, pages): (&Bytes, usize),
    ) -> Result<ReceiptText, ReceiptFileError> {
        let mut text = ReceiptText {
            source: TextSource::Recognition,
            ..ReceiptText::default()
        };
        for page in 1..=pages.min(MAX_SCANNED) {
            let drawn = programs::draw_page(&self.pdftoppm, (file, page), self.limits.pdf).await?;
            let (page, codes, again) = self.read(place, move || picture::decode(&drawn)).await?;
            text.pages.push(page);
            text.codes.extend(codes);
            place = again;
        }
        text.codes.truncate(picture::MAX_CODES);
        Ok(text)
    }
}

#[async_trait]
impl ReceiptReader for ReceiptFiles {
    async fn pdf(&self, file: Bytes) -> Result<ReceiptText, ReceiptFileError> {
        check_size(&file)?;
        let place = self.queue.enter().await?;
        let mut pages = programs::text_of_pdf(&self.pdftotext, &file, self.limits.pdf).await?;
        if pages.iter().all(|page| page.words.is_empty()) {
            return self.scanned(place, (&file, pages.len())).await;
        }
        let drawn = self.drawn(place, &file).await;
        drawn::mark_unseen(&mut pages, drawn.as_ref().map(|(page, _)| page));
        let codes = drawn.map(|(_, codes)| codes).unwrap_or_default();
        Ok(ReceiptText {
            pages,
            codes,
            source: TextSource::Characters,
        })
    }

    async fn picture(&self, file: Bytes) -> Result<ReceiptText, ReceiptFileError> {
        check_size(&file)?;
        let place = self.queue.enter().await?;
        let (page, codes, _) = self.read(place, move || picture::decode(&file)).await?;
        Ok(ReceiptText {
            pages: vec![page],
            codes,
            source: TextSource::Recognition,
        })
    }
}

fn check_size(file: &Bytes) -> Result<(), ReceiptFileError> {
    if file.len() > MAX_FILE_BYTES {
        return Err(ReceiptFileError::TooLarge);
    }
    Ok(())
}

/// Does work on a thread for it. The place is taken until the work ends, also when nobody waits for it any more.
async fn blocking<T: Send + 'static>(
    place: OwnedSemaphorePermit,
    work: impl FnOnce() -> Result<T, ReceiptFileError> + Send + 'static,
) -> Result<(T, OwnedSemaphorePermit), ReceiptFileError> {
    let worked = spawn_blocking(move || (work(), place)).await;
    // A decoder that panics has met a file that isn't one of its format.
    let (worked, place) = worked.map_err(|_| ReceiptFileError::Damaged)?;
    Ok((worked?, place))
}
