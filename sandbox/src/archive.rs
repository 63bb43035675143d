//! Builds ZIPs of proofs' files.

use std::io::{Cursor, Write as _};

use chrono::{Datelike as _, NaiveDateTime, Timelike as _};
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Packs named files; `at` is the time in Mexico City.
pub(crate) fn zip(files: &[(String, &[u8])], at: NaiveDateTime) -> ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(dos_time(at));
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(name, options)?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Converts a time. ZIP can't represent years before 1980; such a time becomes the earliest possible.
fn dos_time(at: NaiveDateTime) -> DateTime {
    let small = |number: u32| u8::try_from(number).unwrap_or(0);
    u16::try_from(at.year())
        .ok()
        .and_then(|year| {
            DateTime::from_date_and_time(
                year,
                small(at.month()),
                small(at.day()),
                small(at.hour()),
                small(at.minute()),
                small(at.second()),
            )
            .ok()
        })
        .unwrap_or_default()
}
