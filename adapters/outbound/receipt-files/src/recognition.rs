//! Recognition of text in pictures, by a program of the system: Tesseract.
//!
//! The program reads pixels of a hostile file, though never the file itself: it has no network, no environment, no
//! files of this process, and bounds on its time, its memory and its output.

use std::io;
use std::time::Duration;

use domain::receipts::{ReceiptFileError, ReceiptPage};
use image::GrayImage;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::picture::Prepared;

mod program;
mod table;

pub(crate) use program::Program;

/// Maximum size of the table that the program writes. A word takes about 60 bytes.
const MAX_OUTPUT: u64 = 1 << 20;
/// Arguments of the program: one picture from its input, as one block of text, with the places of the words. The English
/// model reads codes and capitals that the Spanish one, half its size, mixes up; it knows no accents.
const ARGUMENTS: [&str; 7] = ["stdin", "stdout", "-l", "spa+eng", "--psm", "6", "tsv"];

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
    let command = program.command(&ARGUMENTS).await;
    let mut command = command.ok_or(ReceiptFileError::NoRecognition)?;
    let child = command.spawn().map_err(|error| of_start(&error))?;
    let mut running = Running(child);
    let output = timeout(most, running.read(&prepared.picture)).await;
    let output = output.map_err(|_| ReceiptFileError::TooSlow)??;
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures")]
    let [width, height, prepared_width] =
        [prepared.width, prepared.height, prepared.picture.width()].map(|side| side as f32);
    Ok(ReceiptPage {
        width,
        height,
        words: table::words(&output, prepared_width / width)?,
    })
}

/// A program that runs, and is ended with all that it started.
struct Running(Child);

impl Running {
    /// Writes a picture to the program, and reads what it writes.
    async fn read(&mut self, picture: &GrayImage) -> Result<Vec<u8>, ReceiptFileError> {
        let Running(child) = self;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ReceiptFileError::NoRecognition);
        };
        // The program may end before it has read everything; its status tells.
        let ((), output) = tokio::join!(write(input, picture), read(output));
        let output = output?;
        let status = child.wait().await;
        match status.ok().map(|status| status.code()) {
            Some(Some(0)) => Ok(output),
            // By a signal, as when it takes too much memory or time.
            Some(None) => Err(ReceiptFileError::TooSlow),
            _ => Err(ReceiptFileError::NoRecognition),
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

/// Writes a picture in the format PGM.
async fn write(mut input: ChildStdin, picture: &GrayImage) {
    let head = format!("P5\n{} {}\n255\n", picture.width(), picture.height());
    if input.write_all(head.as_bytes()).await.is_ok() {
        let _ = input.write_all(picture.as_raw()).await;
        let _ = input.shutdown().await;
    }
}

async fn read(output: ChildStdout) -> Result<Vec<u8>, ReceiptFileError> {
    let mut table = Vec::new();
    let read = output.take(MAX_OUTPUT + 1).read_to_end(&mut table).await;
    read.map_err(|_| ReceiptFileError::NoRecognition)?;
    if u64::try_from(table.len()).is_ok_and(|length| length > MAX_OUTPUT) {
        return Err(ReceiptFileError::TooLarge);
    }
    Ok(table)
}

fn of_start(error: &io::Error) -> ReceiptFileError {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => ReceiptFileError::Busy,
        _ => ReceiptFileError::NoRecognition,
    }
}
