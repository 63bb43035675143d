//! Programs of the system that read hostile files: Tesseract, and Poppler's `pdftotext` and `pdftoppm`.
//!
//! Each runs in a process of its own that has no network, no environment, no files of this process, and bounds on its
//! time, its memory and its output.

use std::io;
use std::time::{Duration, Instant};

use domain::receipts::{ReceiptFileError, ReceiptPage};
use image::GrayImage;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::picture::Prepared;

mod printed;
mod program;
mod raised_cents;
mod recognised;

pub(crate) use program::Program;

/// Arguments of Tesseract: one picture from its input, as one block of text, with the places of the words. The English
/// model reads codes and capitals that the Spanish one, half its size, mixes up; it knows no accents.
const RECOGNISE: [&str; 7] = ["stdin", "stdout", "-l", "spa+eng", "--psm", "6", "tsv"];
/// Maximum size of the table that Tesseract writes. A word takes about 60 bytes.
const MAX_TABLE: u64 = 1 << 20;
/// Maximum size of what `pdftotext` writes. A word takes about 100 bytes.
const MAX_TEXT: u64 = 1 << 20;
/// Maximum size of a page that `pdftoppm` draws.
const MAX_PAGE: u64 = 32 << 20;

/// Recognises the words of a picture.
///
/// # Errors
/// [`ReceiptFileError::NoRecognition`] if the program isn't there or fails, [`ReceiptFileError::TooSlow`] if it takes
/// too long, [`ReceiptFileError::TooLarge`] if it writes too much.
pub(crate) async fn recognise(
    program: &Program,
    prepared: &Prepared,
    most: Duration,
) -> Result<ReceiptPage, ReceiptFileError> {
    let started = Instant::now();
    let picture = pgm(&prepared.picture);
    let table = run(program, &RECOGNISE, &picture, (most, MAX_TABLE)).await?;
    let table = table.ok_or(ReceiptFileError::NoRecognition)?;
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures")]
    let [width, height, prepared_width] =
        [prepared.width, prepared.height, prepared.picture.width()].map(|side| side as f32);
    let scale = prepared_width / width;
    let mut words = recognised::words(&table, scale)?;
    let left = most.saturating_sub(started.elapsed());
    raised_cents::complete(program, (&prepared.picture, scale), &mut words, left).await;
    Ok(ReceiptPage {
        width,
        height,
        words,
    })
}

/// Reads the words of the first pages of a PDF.
///
/// # Errors
/// Those of [`recognise`], and [`ReceiptFileError::Encrypted`] or [`ReceiptFileError::Damaged`] if the program can't
/// read the file.
pub(crate) async fn text_of_pdf(
    program: &Program,
    file: &[u8],
    most: Duration,
) -> Result<Vec<ReceiptPage>, ReceiptFileError> {
    let last = domain::receipts::MAX_PAGES.to_string();
    let arguments = ["-bbox", "-l", &last, "-", "-"];
    let text = run(program, &arguments, file, (most, MAX_TEXT)).await?;
    let pages = printed::pages(&text.ok_or_else(|| unread(file))?)?;
    if pages.is_empty() {
        return Err(unread(file));
    }
    Ok(pages)
}

/// Draws a page of a PDF, from 1, as a PNG.
///
/// # Errors
/// Those of [`text_of_pdf`].
pub(crate) async fn draw_page(
    program: &Program,
    (file, page): (&[u8], usize),
    most: Duration,
) -> Result<Vec<u8>, ReceiptFileError> {
    let page = page.to_string();
    // A page of a letter's size has 1,700 pixels across at this resolution; one of any size, as many.
    let arguments = [
        "-png",
        "-gray",
        "-singlefile",
        "-scale-to",
        "2200",
        "-f",
        &page,
        "-l",
        &page,
        "-",
    ];
    let drawn = run(program, &arguments, file, (most, MAX_PAGE)).await?;
    drawn.ok_or_else(|| unread(file))
}

/// Reason why a program can't read a PDF.
fn unread(file: &[u8]) -> ReceiptFileError {
    if memchr::memmem::find(file, b"/Encrypt").is_some() {
        ReceiptFileError::Encrypted
    } else {
        ReceiptFileError::Damaged
    }
}

/// Runs a program on its input, and returns its output; `None` if it fails.
async fn run(
    program: &Program,
    arguments: &[&str],
    input: &[u8],
    (most, most_output): (Duration, u64),
) -> Result<Option<Vec<u8>>, ReceiptFileError> {
    let command = program.command(arguments).await;
    let mut command = command.ok_or(ReceiptFileError::NoRecognition)?;
    let child = command.spawn().map_err(|error| of_start(&error))?;
    let mut running = Running(child);
    let output = timeout(most, running.read(input, most_output)).await;
    output.map_err(|_| ReceiptFileError::TooSlow)?
}

/// A program that runs, and is ended with all that it started.
struct Running(Child);

impl Running {
    /// Writes to the program, and reads what it writes.
    async fn read(&mut self, input: &[u8], most: u64) -> Result<Option<Vec<u8>>, ReceiptFileError> {
        let Running(child) = self;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Ok(None);
        };
        // The program may end before it has read everything; its status tells.
        let ((), output) = tokio::join!(write(stdin, input), read(stdout, most));
        let output = output?;
        let status = child.wait().await;
        match status.ok().map(|status| status.code()) {
            Some(Some(0)) => Ok(Some(output)),
            // By a signal, as when it takes too much memory or time.
            Some(None) => Err(ReceiptFileError::TooSlow),
            _ => Ok(None),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // None if it has ended and was waited for: another group may have its number then.
        let id = self.0.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(group) = id {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// A picture in the format PGM.
fn pgm(picture: &GrayImage) -> Vec<u8> {
    let head = format!("P5\n{} {}\n255\n", picture.width(), picture.height());
    [head.as_bytes(), picture.as_raw()].concat()
}

async fn write(mut stdin: ChildStdin, input: &[u8]) {
    if stdin.write_all(input).await.is_ok() {
        let _ = stdin.shutdown().await;
    }
}

async fn read(stdout: ChildStdout, most: u64) -> Result<Vec<u8>, ReceiptFileError> {
    let mut output = Vec::new();
    let read = stdout.take(most + 1).read_to_end(&mut output).await;
    read.map_err(|_| ReceiptFileError::NoRecognition)?;
    if u64::try_from(output.len()).is_ok_and(|length| length > most) {
        return Err(ReceiptFileError::TooLarge);
    }
    Ok(output)
}

fn of_start(error: &io::Error) -> ReceiptFileError {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => ReceiptFileError::Busy,
        _ => ReceiptFileError::NoRecognition,
    }
}
