//! Reads the text of the receipts that people send: PDFs and pictures.
//!
//! Files are untrusted:
//!
//! - PDFs are read here, by a reader with bounds on all that it does: libraries either inflate what they find, or parse
//!   it again and again;
//! - pictures are decoded here, and their text is recognised by a program of the system that is confined.
//!
//! Modules:
//!
//! - `pdf`: text of PDFs, and their pictures;
//! - `picture`: pixels of pictures, and QR codes in them;
//! - `recognition`: the program;
//! - `queue`: how many files are read at once.

use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use domain::receipts::{MAX_FILE_BYTES, ReceiptFileError, ReceiptPage, ReceiptText, TextSource};
use image::GrayImage;
use ports::outbound::ReceiptReader;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;

mod pdf;
mod picture;
mod queue;
mod recognition;

use pdf::{Pdf, Picture};
use queue::Queue;
use recognition::Program;

/// Number of PDFs that are read at once.
const PDFS: usize = 2;

/// Bounds on the reading of receipts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum time in which a PDF is read, its pictures aside.
    pub pdf: Duration,
    /// Maximum time of the recognition of a picture.
    pub recognition: Duration,
    /// Maximum number of PDFs, and of pictures, that wait for their turn.
    pub waiting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pdf: Duration::from_secs(2),
            recognition: Duration::from_secs(10),
            waiting: 16,
        }
    }
}

/// Reader of receipts.
#[derive(Debug)]
pub struct ReceiptFiles {
    program: Program,
    limits: Limits,
    pdfs: Queue,
    pictures: Queue,
}

impl ReceiptFiles {
    /// Creates a reader that recognises text with a program: that at an absolute path, or the system's Tesseract, which
    /// needs its Spanish and English models. Without it pictures aren't read, and PDFs are.
    pub fn new(program: Option<PathBuf>) -> Self {
        Self::with_limits(program, Limits::default())
    }

    /// Creates a reader with bounds of its own.
    pub fn with_limits(program: Option<PathBuf>, limits: Limits) -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self {
            program: Program::find(program),
            limits,
            pdfs: Queue::new(PDFS, limits.waiting),
            pictures: Queue::new(processors, limits.waiting),
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
        let page = recognition::recognise(&self.program, &prepared, most).await?;
        Ok((page, codes, place))
    }

    /// Reads the pictures of a PDF without words.
    async fn scanned(&self, pictures: Vec<Picture>) -> Result<ReceiptText, ReceiptFileError> {
        let mut text = ReceiptText {
            source: TextSource::Recognition,
            ..ReceiptText::default()
        };
        let mut place = self.pictures.enter().await?;
        for picture in pictures {
            let read = self.read(place, move || picture.pixels()).await?;
            let (page, codes, again) = read;
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
        let place = self.pdfs.enter().await?;
        let most = self.limits.pdf;
        let read = blocking(place, move || pdf::read(&file, Instant::now() + most));
        let (pdf, place) = read.await?;
        if !pdf.has_words() && !pdf.pictures.is_empty() {
            drop(place);
            return self.scanned(pdf.pictures).await;
        }
        let Pdf { pages, pictures } = pdf;
        let (codes, _) = blocking(place, move || {
            let pixels = pictures.into_iter().filter_map(|it| it.pixels().ok());
            let codes = pixels.flat_map(|pixels| picture::codes(&pixels));
            Ok(codes.take(picture::MAX_CODES).collect())
        })
        .await?;
        Ok(ReceiptText {
            pages,
            codes,
            source: TextSource::Characters,
        })
    }

    async fn picture(&self, file: Bytes) -> Result<ReceiptText, ReceiptFileError> {
        check_size(&file)?;
        let place = self.pictures.enter().await?;
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
