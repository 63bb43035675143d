//! Reads files of any other structure: re-saved, linearised, revised, with object streams.
//!
//! Cross-reference tables are ignored. All objects are read in file order, and the last one of each
//! number counts, as after a revision; then those of object streams (ISO 32000-1, 7.5.7).

use std::collections::BTreeMap;

use domain::proofs::check::PdfError;

use crate::file::{File, Indirect};
use crate::filters;
use crate::lexer::{Dictionary, Lexer, Object, Token};

/// The header is searched for in the first 1,024 bytes.
const HEAD: usize = 1024;
/// Maximum number of indirect objects.
const MAX_OBJECTS: usize = 2048;
/// Maximum number of values in all objects together, and of tokens that are examined.
const MAX_VALUES: usize = 60_000;
/// Maximum number of places that look like an object and aren't.
const MAX_FAILURES: usize = 8;
const MAX_TRAILERS: usize = 64;
/// Maximum size of all inflated object streams.
const MAX_INFLATED: usize = 512 * 1024;

const OBJECT: &[u8] = b"obj";
const END_OF_STREAM: &[u8] = b"endstream";
const TRAILER: &[u8] = b"trailer";

/// Searches a file for its objects.
///
/// # Errors
/// [`PdfError::NotPdf`], [`PdfError::Encrypted`], [`PdfError::TooComplex`], and
/// [`PdfError::Damaged`] for a file without a catalog.
pub(crate) fn read(bytes: &[u8]) -> Result<File<'_>, PdfError> {
    let head = &bytes[..bytes.len().min(HEAD)];
    find(head, b"%PDF-").ok_or(PdfError::NotPdf)?;
    let mut search = Search {
        bytes,
        objects: BTreeMap::new(),
        trailers: BTreeMap::new(),
        budget: MAX_VALUES,
        failures: 0,
    };
    search.find_objects()?;
    search.find_trailers()?;
    if search
        .trailers
        .values()
        .any(|trailer| trailer.has("Encrypt"))
    {
        return Err(PdfError::Encrypted);
    }
    search.unpack()?;
    let mut trailers = search.trailers.into_values();
    let trailer = trailers.rfind(|trailer| trailer.has("Root"));
    let trailer = trailer.ok_or(PdfError::Damaged)?;
    Ok(File::salvaged(search.objects, trailer))
}

struct Search<'a> {
    bytes: &'a [u8],
    objects: BTreeMap<u32, Indirect<'a>>,
    /// Trailers and dictionaries of cross-reference streams, by their offsets.
    trailers: BTreeMap<usize, Dictionary>,
    budget: usize,
    failures: usize,
}

impl<'a> Search<'a> {
    fn find_objects(&mut self) -> Result<(), PdfError> {
        let mut at = 0;
        while let Some(place) = find(&self.bytes[at..], OBJECT) {
            at = self.object(at + place)?;
        }
        Ok(())
    }

    fn find_trailers(&mut self) -> Result<(), PdfError> {
        let mut at = 0;
        while let Some(place) = find(&self.bytes[at..], TRAILER) {
            at += place + TRAILER.len();
            let mut lexer = Lexer::new(self.bytes, at, self.budget);
            let read = lexer.object();
            self.budget = lexer.budget();
            if let Object::Dictionary(trailer) = read.unwrap_or(Object::Other) {
                self.trailers.insert(at, trailer);
            }
            if self.trailers.len() > MAX_TRAILERS || self.budget == 0 {
                return Err(PdfError::TooComplex);
            }
        }
        Ok(())
    }

    /// Reads the object whose `obj` is at an offset; returns the offset after it.
    fn object(&mut self, at: usize) -> Result<usize, PdfError> {
        let behind = at + OBJECT.len();
        let Some(number) = number_before(&self.bytes[..at]) else {
            // `endobj`, or a word within a text.
            return Ok(behind);
        };
        let (end, value, stream) = match self.attempt(behind) {
            Ok(read) => read,
            Err(PdfError::Damaged) if self.failures < MAX_FAILURES => {
                self.failures += 1;
                return Ok(behind);
            }
            Err(_) => return Err(PdfError::TooComplex),
        };
        if let Object::Dictionary(dictionary) = &value
            && dictionary
                .get("Type")
                .is_some_and(|kind| kind.is_name("XRef"))
        {
            self.trailers.insert(at, dictionary.clone());
        }
        self.objects
            .insert(number, Indirect::new(at, value, stream));
        if self.objects.len() > MAX_OBJECTS {
            return Err(PdfError::TooComplex);
        }
        Ok(end)
    }

    fn attempt(&mut self, at: usize) -> Result<(usize, Object, Option<&'a [u8]>), PdfError> {
        let mut lexer = Lexer::new(self.bytes, at, self.budget);
        let value = lexer.object();
        self.budget = lexer.budget();
        let value = value?;
        let end = lexer.at();
        let is_stream = matches!(lexer.next(), Ok(Some(Token::Word(b"stream"))));
        let Object::Dictionary(dictionary) = &value else {
            return Ok((end, value, None));
        };
        if !is_stream {
            return Ok((end, value, None));
        }
        let start = behind_line_end(self.bytes, lexer.at());
        let length = dictionary.get("Length").and_then(Object::as_index);
        let declared = length
            .map(|length| start.saturating_add(length))
            .filter(|end| {
                let rest = self.bytes.get(*end..).unwrap_or_default();
                rest.trim_ascii_start().starts_with(END_OF_STREAM)
            });
        let end = match declared {
            Some(end) => end,
            None => start + find(&self.bytes[start..], END_OF_STREAM).ok_or(PdfError::Damaged)?,
        };
        Ok((end + END_OF_STREAM.len(), value, self.bytes.get(start..end)))
    }

    /// Adds the objects of object streams, unless the file has a later one of the same number.
    fn unpack(&mut self) -> Result<(), PdfError> {
        let mut room = MAX_INFLATED;
        let mut found = BTreeMap::new();
        for container in self.objects.values() {
            let Some((dictionary, bytes)) = container.as_stream() else {
                continue;
            };
            if !dictionary
                .get("Type")
                .is_some_and(|kind| kind.is_name("ObjStm"))
            {
                continue;
            }
            let entry = |name| dictionary.get(name).and_then(Object::as_index);
            let (Some(count), Some(first)) = (entry("N"), entry("First")) else {
                return Err(PdfError::Damaged);
            };
            let decoded = filters::decode(dictionary, bytes, room)?;
            room -= decoded.len();
            if count > MAX_OBJECTS {
                return Err(PdfError::TooComplex);
            }
            let mut index = Lexer::new(&decoded, 0, self.budget);
            for _ in 0..count {
                let number = index.index()?;
                let offset = first.saturating_add(index.index()?);
                self.budget = self.budget.min(index.budget());
                let mut lexer = Lexer::new(&decoded, offset.min(decoded.len()), self.budget);
                let value = lexer.object()?;
                self.budget = lexer.budget();
                let number = u32::try_from(number).map_err(|_| PdfError::TooComplex)?;
                found.insert(number, Indirect::new(container.offset(), value, None));
            }
        }
        for (number, indirect) in found {
            let is_newer = |known: &Indirect<'_>| known.offset() < indirect.offset();
            if self.objects.get(&number).is_none_or(is_newer) {
                self.objects.insert(number, indirect);
            }
        }
        if self.objects.len() > MAX_OBJECTS {
            return Err(PdfError::TooComplex);
        }
        Ok(())
    }
}

/// Parses an object number in front of `obj`: `12 0` and a blank at the end of these bytes.
fn number_before(bytes: &[u8]) -> Option<u32> {
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

fn behind_line_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..).unwrap_or_default() {
        [b'\r', b'\n', ..] => at + 2,
        [b'\n' | b'\r', ..] => at + 1,
        _ => at,
    }
}

fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}
