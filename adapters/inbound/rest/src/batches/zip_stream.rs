//! ZIP file that is generated while it is sent.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

/// ZIP writer whose output is taken incrementally. Of written entries it keeps only the directory.
pub(super) struct ZipStream {
    writer: ZipWriter<StreamWriter<Shared>>,
    written: Shared,
}

/// Output that hasn't been taken yet.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ZipStream {
    pub(super) fn new() -> Self {
        let written = Shared::default();
        Self {
            writer: ZipWriter::new_stream(written.clone()),
            written,
        }
    }

    pub(super) fn add(&mut self, name: &str, content: &[u8]) -> Result<(), ZipError> {
        self.begin(name)?;
        Ok(self.writer.write_all(content)?)
    }

    /// Starts an entry; its content is written afterwards.
    pub(super) fn begin(&mut self, name: &str) -> Result<(), ZipError> {
        // A fixed timestamp, so that the same files give the same bytes.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(0o644);
        self.writer.start_file(name, options)
    }

    /// Writes content of the entry that was begun last.
    pub(super) fn write_all(&mut self, content: &[u8]) -> io::Result<()> {
        self.writer.write_all(content)
    }

    /// Takes the output since the last call.
    pub(super) fn take(&self) -> Bytes {
        self.written.take()
    }

    /// Writes the directory, and returns the last bytes.
    pub(super) fn finish(self) -> Result<Bytes, ZipError> {
        self.writer.finish()?;
        Ok(self.written.take())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use super::*;

    #[test]
    fn a_file_that_is_taken_in_parts_is_read_as_a_whole() {
        let mut zip = ZipStream::new();
        let mut taken = Vec::new();
        for number in 0..300 {
            let name = format!("{number}.txt");
            zip.add(&name, name.repeat(100).as_bytes()).unwrap();
            taken.extend_from_slice(&zip.take());
        }
        taken.extend_from_slice(&zip.finish().unwrap());
        let mut read = zip::ZipArchive::new(Cursor::new(taken)).unwrap();
        assert_eq!(read.len(), 300);
        let mut text = String::new();
        read.by_name("299.txt")
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "299.txt".repeat(100));
    }
}
