//! Reads the files in a ZIP file, inflated one after the other.
//!
//! Files are untrusted: a size or a checksum counts only if the inflated data confirm it.

use std::io::Read as _;

use bytes::Bytes;
use domain::proofs::check::{ZipBounds, ZipEntry, ZipError, ZipMethod};
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use ports::outbound::{ZipFiles, ZipReader, ZippedFile};

/// Reader of ZIP files.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeflatedZip;

impl ZipReader for DeflatedZip {
    fn open(&self, zip: Bytes, bounds: ZipBounds) -> Result<Box<dyn ZipFiles>, ZipError> {
        Ok(Box::new(Files {
            rest: ZipEntry::of(&zip, bounds)?.into_iter(),
            zip,
            bounds,
            inflated: 0,
        }))
    }
}

struct Files {
    zip: Bytes,
    rest: std::vec::IntoIter<ZipEntry>,
    bounds: ZipBounds,
    /// Bytes inflated so far.
    inflated: usize,
}

impl ZipFiles for Files {
    fn next_file(&mut self) -> Option<ZippedFile> {
        loop {
            let entry = self.rest.next()?;
            let content = self.content(&entry);
            if !content.as_ref().is_ok_and(|it| entry.is_litter(it)) {
                let name = entry.name;
                return Some(ZippedFile { name, content });
            }
        }
    }
}

impl Files {
    fn content(&mut self, entry: &ZipEntry) -> Result<Bytes, ZipError> {
        let method = entry.readable(self.bounds, self.inflated)?;
        self.inflated += entry.size;
        let data = self.zip.slice(entry.data.clone());
        let content = match method {
            ZipMethod::Stored => data,
            ZipMethod::Deflated => inflated(&data, entry.size).ok_or(ZipError::Unreadable)?,
        };
        let mut checksum = Crc::new();
        checksum.update(&content);
        if content.len() != entry.size || u64::from(checksum.sum()) != entry.checksum {
            return Err(ZipError::Unreadable);
        }
        Ok(content)
    }
}

/// Inflates data; `None` unless they have this size, and no bytes follow them.
fn inflated(data: &[u8], size: usize) -> Option<Bytes> {
    let mut decoder = DeflateDecoder::new(data);
    let mut bytes = Vec::new();
    // One byte more than the stated size shows that there are more.
    let mut bounded = decoder.by_ref().take(size as u64 + 1);
    bounded.read_to_end(&mut bytes).ok()?;
    (decoder.total_in() == data.len() as u64).then(|| bytes.into())
}
