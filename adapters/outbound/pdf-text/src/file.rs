//! Structure of the portal's files (ISO 32000-1, 7.5): objects, one cross-reference table, the trailer.

use std::collections::BTreeMap;

use domain::proofs::check::PdfError;

use crate::lexer::{Dictionary, Lexer, Object, Token, is_blank};

/// Maximum number of indirect objects; the portal's PDF has 10.
const MAX_OBJECTS: usize = 256;
/// Maximum number of values in all objects together; the portal's PDF has about 150.
const MAX_VALUES: usize = 20_000;
/// Maximum length of the comments in the portal's file; it has 18 bytes of them, in the first two
/// lines and the last.
const MAX_COMMENTS: usize = 24;
/// Maximum length of a string in its objects: the generator's name has 71 bytes.
const MAX_TEXT: usize = 80;
/// Maximum length of the file without its streams; the portal's has 1,600 bytes.
const MAX_BESIDE_STREAMS: usize = 4096;
/// `startxref` is searched for in the last 1,024 bytes.
const TAIL: usize = 1024;

/// A PDF file whose objects were read.
pub(crate) struct File<'a> {
    bytes: &'a [u8],
    objects: BTreeMap<u32, Indirect<'a>>,
    trailer: Dictionary,
    comment_bytes: usize,
    is_of_one_revision: bool,
}

pub(crate) struct Indirect<'a> {
    offset: usize,
    value: Object,
    /// The bytes of a stream.
    stream: Option<&'a [u8]>,
}

impl<'a> Indirect<'a> {
    pub(crate) fn new(offset: usize, value: Object, stream: Option<&'a [u8]>) -> Self {
        Self {
            offset,
            value,
            stream,
        }
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    pub(crate) fn as_stream(&self) -> Option<(&Dictionary, &'a [u8])> {
        match &self.value {
            Object::Dictionary(dictionary) => Some((dictionary, self.stream?)),
            _ => None,
        }
    }
}

impl<'a> File<'a> {
    /// Reads the objects of a file. Its cross-reference table must list exactly them, as viewers
    /// rely on it.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, PdfError> {
        if !bytes.starts_with(b"%PDF-1.") {
            return Err(PdfError::NotPdf);
        }
        let table = table_offset(bytes).ok_or(PdfError::Damaged)?;
        let mut file = Self {
            bytes,
            objects: BTreeMap::new(),
            trailer: Dictionary::default(),
            comment_bytes: 0,
            is_of_one_revision: false,
        };
        let mut lexer = Lexer::new(bytes, 0, MAX_VALUES);
        loop {
            lexer.skip_blanks();
            let offset = lexer.at();
            if bytes[offset..].starts_with(b"xref") {
                if offset != table {
                    return Err(PdfError::Damaged);
                }
                break;
            }
            file.read_object(&mut lexer)?;
        }
        file.read_table(&mut lexer)?;
        file.read_trailer(&mut lexer)?;
        file.comment_bytes = lexer.comment_bytes();
        file.is_of_one_revision = file.is_plain(table);
        Ok(file)
    }

    /// Creates a file from objects that were found without a cross-reference table.
    pub(crate) fn salvaged(objects: BTreeMap<u32, Indirect<'a>>, trailer: Dictionary) -> Self {
        Self {
            bytes: &[],
            objects,
            trailer,
            comment_bytes: 0,
            is_of_one_revision: false,
        }
    }

    /// Returns `true` if every viewer finds exactly the objects that were read.
    pub(crate) fn is_of_one_revision(&self) -> bool {
        self.is_of_one_revision
    }

    /// Returns `true` if the table follows the format strictly, and a viewer that searches for
    /// objects, as viewers do when a table is malformed, finds no others.
    fn is_plain(&self, table: usize) -> bool {
        let count = |word: &[u8]| {
            let words = self.bytes.windows(word.len());
            words.filter(|window| *window == word).count()
        };
        let has_words = self.places_of_objects() == self.objects.len()
            && count(b"xref") == 2
            && count(b"trailer") == 1
            && self.trailer.has_only(&["Info", "ID", "Root", "Size"]);
        has_words && self.has_plain_table(table)
    }

    /// Number of places where a viewer that searches for objects finds one: `obj` after a number
    /// and a blank. Compressed bytes look like that in about one of a million files.
    fn places_of_objects(&self) -> usize {
        let is_place = |window: &[u8]| match window {
            [digit, blank, b'o', b'b', b'j'] => digit.is_ascii_digit() && is_blank(*blank),
            _ => false,
        };
        let double_blank = |window: &[u8]| match window {
            [one, other, b'o', b'b', b'j'] => is_blank(*one) && is_blank(*other),
            _ => false,
        };
        let words = self.bytes.windows(5);
        words.filter(|it| is_place(it) || double_blank(it)).count()
    }

    /// Returns `true` if the table has one section, with entries of 20 bytes for all objects.
    fn has_plain_table(&self, table: usize) -> bool {
        let size = self.objects.len() + 1;
        let head = format!("xref\n0 {size}\n");
        let rest = self.bytes.get(table..).unwrap_or_default();
        let Some(rest) = rest.strip_prefix(head.as_bytes()) else {
            return false;
        };
        let numbers = 1..=u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        let is_numbered = self.objects.keys().copied().eq(numbers);
        let entries = self.objects.values();
        let used = entries.map(|object| format!("{:010} 00000 n", object.offset));
        let expected = std::iter::once("0000000000 65535 f".to_owned()).chain(used);
        let mut lines = rest.chunks(20);
        let is_entry = |(expected, line): (String, &[u8])| {
            let end = line.strip_prefix(expected.as_bytes());
            matches!(end, Some(b" \n" | b"\r\n" | b" \r"))
        };
        let is_whole = expected.zip(lines.by_ref()).all(is_entry);
        let behind = rest.get(20 * size..).unwrap_or_default();
        is_numbered
            && is_whole
            && behind.starts_with(b"trailer")
            && self.trailer.get("Size").and_then(Object::as_index) == Some(size)
    }

    /// Returns `true` if the file contains only short strings and streams that satisfy `is_known`:
    /// a program that reads the file as another format finds no content of that format.
    pub(crate) fn has_only_streams(&self, is_known: impl Fn(&Dictionary, &[u8]) -> bool) -> bool {
        let mut beside = self.bytes.len();
        let mut objects = self.objects.values();
        let are_known = objects.all(|object| {
            let is_short = object.value.longest_text() <= MAX_TEXT;
            is_short
                && object.as_stream().is_none_or(|(dictionary, bytes)| {
                    beside -= bytes.len();
                    is_known(dictionary, bytes)
                })
        });
        are_known
            && beside <= MAX_BESIDE_STREAMS
            && self.trailer.longest_text() <= MAX_TEXT
            && self.comment_bytes <= MAX_COMMENTS
    }

    fn read_object(&mut self, lexer: &mut Lexer<'a>) -> Result<(), PdfError> {
        let offset = lexer.at();
        let number = lexer.index()?;
        if lexer.index()? != 0 {
            return Err(PdfError::Damaged);
        }
        lexer.expect("obj")?;
        let value = lexer.object()?;
        let stream = match lexer.next()? {
            Some(Token::Word(b"endobj")) => None,
            Some(Token::Word(b"stream")) => {
                let stream = self.read_stream(&value, lexer)?;
                lexer.expect("endstream")?;
                lexer.expect("endobj")?;
                Some(stream)
            }
            _ => return Err(PdfError::Damaged),
        };
        let number = u32::try_from(number).map_err(|_| PdfError::TooComplex)?;
        let indirect = Indirect {
            offset,
            value,
            stream,
        };
        if self.objects.insert(number, indirect).is_some() {
            return Err(PdfError::Damaged);
        }
        if self.objects.len() > MAX_OBJECTS {
            return Err(PdfError::TooComplex);
        }
        Ok(())
    }

    /// Reads the bytes after `stream` and its line end.
    fn read_stream(&self, value: &Object, lexer: &mut Lexer<'a>) -> Result<&'a [u8], PdfError> {
        let Object::Dictionary(dictionary) = value else {
            return Err(PdfError::Damaged);
        };
        let length = dictionary.get("Length").and_then(Object::as_index);
        let length = length.ok_or(PdfError::Damaged)?;
        let rest = &self.bytes[lexer.at()..];
        let line_end = match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => return Err(PdfError::Damaged),
        };
        let stream = rest.get(line_end..line_end + length);
        lexer.jump(lexer.at() + line_end + length);
        stream.ok_or(PdfError::Damaged)
    }

    /// Reads the cross-reference table, which must list all objects and no others.
    fn read_table(&self, lexer: &mut Lexer<'a>) -> Result<(), PdfError> {
        lexer.expect("xref")?;
        let mut known = 0;
        let mut entries = 0;
        loop {
            let first = match lexer.next()? {
                Some(Token::Object(object)) => object.as_index().ok_or(PdfError::Damaged)?,
                Some(Token::Word(b"trailer")) => break,
                _ => return Err(PdfError::Damaged),
            };
            let count = lexer.index()?;
            entries += count;
            if entries > 2 * MAX_OBJECTS {
                return Err(PdfError::TooComplex);
            }
            for number in first..first + count {
                let offset = lexer.index()?;
                let generation = lexer.index()?;
                match lexer.next()? {
                    Some(Token::Word(b"f")) => {}
                    Some(Token::Word(b"n")) if generation == 0 => {
                        let object = u32::try_from(number)
                            .ok()
                            .and_then(|number| self.objects.get(&number));
                        if object.is_none_or(|object| object.offset != offset) {
                            return Err(PdfError::Damaged);
                        }
                        known += 1;
                    }
                    _ => return Err(PdfError::Damaged),
                }
            }
        }
        if known != self.objects.len() {
            return Err(PdfError::Damaged);
        }
        Ok(())
    }

    /// Reads the trailer, and checks that nothing follows it.
    fn read_trailer(&mut self, lexer: &mut Lexer<'a>) -> Result<(), PdfError> {
        let Object::Dictionary(trailer) = lexer.object()? else {
            return Err(PdfError::Damaged);
        };
        if trailer.has("Encrypt") {
            return Err(PdfError::Encrypted);
        }
        if trailer.has("Prev") || trailer.has("XRefStm") {
            return Err(PdfError::Damaged);
        }
        lexer.expect("startxref")?;
        lexer.index()?;
        lexer.skip_blanks();
        if lexer.at() != self.bytes.len() {
            return Err(PdfError::Damaged);
        }
        self.trailer = trailer;
        Ok(())
    }

    pub(crate) fn trailer(&self) -> &Dictionary {
        &self.trailer
    }

    /// The object itself, or the one that a reference names. A reference to a reference isn't
    /// followed.
    pub(crate) fn resolve<'b>(&'b self, object: &'b Object) -> Option<&'b Object> {
        match object {
            Object::Reference(number) => self.objects.get(number).map(|object| &object.value),
            direct => Some(direct),
        }
    }

    /// Dictionary in an entry of `within`, directly or by reference.
    pub(crate) fn dictionary<'b>(
        &'b self,
        within: &'b Dictionary,
        name: &str,
    ) -> Option<&'b Dictionary> {
        match self.resolve(within.get(name)?)? {
            Object::Dictionary(dictionary) => Some(dictionary),
            _ => None,
        }
    }

    /// Dictionary and bytes of the stream that a reference names.
    pub(crate) fn stream(&self, object: &Object) -> Option<(&Dictionary, &'a [u8])> {
        let Object::Reference(number) = object else {
            return None;
        };
        self.objects.get(number)?.as_stream()
    }
}

/// Offset of the cross-reference table, from the last `startxref` of the file.
fn table_offset(bytes: &[u8]) -> Option<usize> {
    const KEYWORD: &[u8] = b"startxref";
    let tail = bytes.len().saturating_sub(TAIL);
    let place = bytes[tail..]
        .windows(KEYWORD.len())
        .rposition(|window| window == KEYWORD)?;
    let mut lexer = Lexer::new(bytes, tail + place + KEYWORD.len(), 1);
    lexer.index().ok()
}
