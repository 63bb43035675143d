//! Searches a file for its objects, whatever its cross-reference tables contain.
//!
//! All objects are read in their order in the file, and the last one of each number counts, as after a revision; then
//! those of object streams (ISO 32000-1, 7.5.7). Each byte is read a bounded number of times.

use std::collections::BTreeMap;
use std::ops::Range;

use domain::receipts::ReceiptFileError;
use memchr::memmem;

use super::file::{File, Indirect, Stream, is_of_type};
use super::filters;
use super::lexer::Lexer;
use super::object::{Dictionary, Object};
use super::work::{Reading, Work};

/// Number of first bytes that are searched for the header.
const HEAD: usize = 1024;
/// Maximum number of indirect objects.
const MAX_OBJECTS: usize = 50_000;
/// Maximum number of places that look like an object and aren't.
const MAX_FAILURES: usize = 16;
const MAX_TRAILERS: usize = 64;

const OBJECT: &[u8] = b"obj";
const END_OF_STREAM: &[u8] = b"endstream";
const TRAILER: &[u8] = b"trailer";

/// Reads the objects of a file.
///
/// # Errors
/// [`ReceiptFileError::Damaged`] for a file without a catalog, [`ReceiptFileError::Encrypted`], and the bounds of
/// [`Work`].
pub(crate) fn read<'a>(bytes: &'a [u8], work: &'a Work) -> Result<File<'a>, ReceiptFileError> {
    let head = &bytes[..bytes.len().min(HEAD)];
    memmem::find(head, b"%PDF-").ok_or(ReceiptFileError::Damaged)?;
    let mut search = Search {
        bytes,
        file: File::new(work),
        trailers: BTreeMap::new(),
        failures: 0,
    };
    search.find_objects()?;
    search.find_trailers()?;
    let mut trailers = search.trailers.values();
    if trailers.any(|trailer| trailer.contains_key(&b"Encrypt"[..])) {
        return Err(ReceiptFileError::Encrypted);
    }
    search.unpack()?;
    let mut trailers = search.trailers.into_values();
    let trailer = trailers.rfind(|trailer| trailer.contains_key(&b"Root"[..]));
    let mut file = search.file;
    file.trailer = trailer.unwrap_or_default();
    Ok(file)
}

struct Search<'a> {
    bytes: &'a [u8],
    file: File<'a>,
    /// Trailers and dictionaries of cross-reference streams, by their offsets.
    trailers: BTreeMap<usize, Dictionary>,
    failures: usize,
}

impl<'a> Search<'a> {
    fn find_objects(&mut self) -> Result<(), ReceiptFileError> {
        let finder = memmem::Finder::new(OBJECT);
        let mut at = 0;
        while let Some(place) = finder.find(&self.bytes[at..]) {
            self.file.work().value(Reading::Passed, 0)?;
            at = self.object(at + place)?;
        }
        Ok(())
    }

    fn find_trailers(&mut self) -> Result<(), ReceiptFileError> {
        for at in memmem::find_iter(self.bytes, TRAILER) {
            let at = at + TRAILER.len();
            let read = Lexer::new(self.bytes, at, self.file.work(), Reading::Kept).object();
            if let Ok(Object::Dictionary(trailer)) = read {
                self.trailers.insert(at, trailer);
            } else {
                self.fail(read.err())?;
            }
            if self.trailers.len() > MAX_TRAILERS {
                return Err(ReceiptFileError::TooLarge);
            }
        }
        Ok(())
    }

    /// Counts a place that can't be read.
    fn fail(&mut self, error: Option<ReceiptFileError>) -> Result<(), ReceiptFileError> {
        self.failures += 1;
        match error {
            None | Some(ReceiptFileError::Damaged) if self.failures <= MAX_FAILURES => Ok(()),
            None => Err(ReceiptFileError::Damaged),
            Some(error) => Err(error),
        }
    }

    /// Reads the object whose `obj` is at an offset; returns the offset after it.
    fn object(&mut self, at: usize) -> Result<usize, ReceiptFileError> {
        let behind = at + OBJECT.len();
        let Some(number) = number_before(&self.bytes[..at]) else {
            // `endobj`, or a word within a text.
            return Ok(behind);
        };
        let mut lexer = Lexer::new(self.bytes, behind, self.file.work(), Reading::Kept);
        let value = match lexer.object() {
            Ok(value) => value,
            Err(error) => {
                self.fail(Some(error))?;
                return Ok(behind);
            }
        };
        let mut end = lexer.at();
        lexer.skip_blanks()?;
        let mut stream = None;
        if let Object::Dictionary(dictionary) = &value {
            if lexer.rest().starts_with(b"stream") {
                let range = stream_behind(self.bytes, lexer.at() + b"stream".len(), dictionary);
                end = range.end;
                stream = Some(&self.bytes[range]);
            }
            if is_of_type(dictionary, "XRef") && self.trailers.len() < MAX_TRAILERS {
                self.trailers.insert(at, dictionary.clone());
            }
        }
        let offset = at;
        let indirect = Indirect {
            offset,
            value,
            stream,
        };
        self.file.objects.insert(number, indirect);
        if self.file.objects.len() > MAX_OBJECTS {
            return Err(ReceiptFileError::TooLarge);
        }
        Ok(end)
    }

    /// Adds the objects of object streams, unless the file has a later one of the same number.
    fn unpack(&mut self) -> Result<(), ReceiptFileError> {
        let mut found: BTreeMap<u32, Indirect<'a>> = BTreeMap::new();
        for container in self.file.objects.values() {
            let Some(stream) = container.as_stream() else {
                continue;
            };
            if !is_of_type(stream.dictionary, "ObjStm") {
                continue;
            }
            match packed(&self.file, stream) {
                Ok(objects) => found.extend(objects.into_iter().map(|(number, value)| {
                    let indirect = Indirect {
                        offset: container.offset,
                        value,
                        stream: None,
                    };
                    (number, indirect)
                })),
                Err(ReceiptFileError::Damaged) => {}
                Err(error) => return Err(error),
            }
        }
        let objects = &mut self.file.objects;
        for (number, indirect) in found {
            let is_newer = |known: &Indirect<'_>| known.offset < indirect.offset;
            if objects.get(&number).is_none_or(is_newer) {
                objects.insert(number, indirect);
            }
        }
        if objects.len() > MAX_OBJECTS {
            return Err(ReceiptFileError::TooLarge);
        }
        Ok(())
    }
}

/// The objects of an object stream.
fn packed(file: &File<'_>, stream: Stream<'_>) -> Result<Vec<(u32, Object)>, ReceiptFileError> {
    let entry = |name: &str| stream.dictionary.get(name.as_bytes())?.as_index();
    let (Some(count), Some(first)) = (entry("N"), entry("First")) else {
        return Err(ReceiptFileError::Damaged);
    };
    let decoded = filters::decode(file, stream)?;
    let mut index = Lexer::new(&decoded, 0, file.work(), Reading::Passed);
    let mut objects = Vec::new();
    for _ in 0..count {
        let (number, offset) = (index.index()?, index.index()?);
        let offset = first.saturating_add(offset);
        let value = Lexer::new(&decoded, offset, file.work(), Reading::Kept).object()?;
        let number = u32::try_from(number).map_err(|_| ReceiptFileError::Damaged)?;
        objects.push((number, value));
    }
    Ok(objects)
}

/// Place of the bytes of a stream, whose line end is at an offset: as many as its dictionary says, if its end follows
/// them, and those to its end otherwise.
fn stream_behind(bytes: &[u8], at: usize, dictionary: &Dictionary) -> Range<usize> {
    let start = match &bytes[at..] {
        [b'\r', b'\n', ..] => at + 2,
        [b'\r' | b'\n', ..] => at + 1,
        _ => at,
    };
    let length = dictionary.get(&b"Length"[..]).and_then(Object::as_index);
    if let Some(end) = length.and_then(|length| start.checked_add(length))
        && let Some(rest) = bytes.get(end..bytes.len().min(end.saturating_add(16)))
        && rest.trim_ascii_start().starts_with(END_OF_STREAM)
    {
        return start..end;
    }
    let found = memmem::find(&bytes[start..], END_OF_STREAM);
    start..found.map_or(bytes.len(), |place| start + place)
}

/// Parses an object number in front of `obj`: `12 0` and a blank at the end of these bytes.
fn number_before(bytes: &[u8]) -> Option<u32> {
    // As far as is looked for them: the blanks of a file may be millions.
    let bytes = &bytes[bytes.len().saturating_sub(32)..];
    let (rest, generation) = digits_at_end(bytes.trim_ascii_end())?;
    let is_apart = rest.len() > rest.trim_ascii_end().len();
    let (_, number) = digits_at_end(rest.trim_ascii_end())?;
    let is_first = generation.len() <= 5 && number.len() <= 8 && is_apart;
    let number = is_first
        .then(|| std::str::from_utf8(number).ok())
        .flatten()?;
    number.parse().ok()
}

fn digits_at_end(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = bytes
        .iter()
        .rev()
        .take(9)
        .take_while(|byte| byte.is_ascii_digit());
    let place = bytes.len() - digits.count();
    (place < bytes.len()).then(|| bytes.split_at(place))
}
