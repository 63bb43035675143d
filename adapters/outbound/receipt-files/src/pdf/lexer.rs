//! Tokens of the file format (ISO 32000-1, 7.2).

use domain::receipts::ReceiptFileError;

use super::object::{Dictionary, Object, index};
use super::work::{Reading, Work};

/// Maximum nesting of arrays and dictionaries.
const MAX_DEPTH: usize = 32;
/// Maximum nesting of parentheses in a string.
const MAX_PARENTHESES: usize = 64;
/// Maximum length of a string.
const MAX_STRING: usize = 64 * 1024;

/// Number of blanks after which the clock is looked at.
const MANY_BLANKS: usize = 4096;

/// An object, or another word: a keyword or an operator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Object(Object),
    Word(&'a [u8]),
}

/// Reads tokens from bytes.
pub(crate) struct Lexer<'a, 'w> {
    bytes: &'a [u8],
    at: usize,
    work: &'w Work,
    reading: Reading,
}

impl<'a, 'w> Lexer<'a, 'w> {
    /// Creates a lexer that starts at offset `at`.
    pub(crate) fn new(bytes: &'a [u8], at: usize, work: &'w Work, reading: Reading) -> Self {
        let at = at.min(bytes.len());
        Self {
            bytes,
            at,
            work,
            reading,
        }
    }

    /// Offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Skips bytes.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.bytes.len());
    }

    /// The bytes that haven't been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Skips blanks and comments.
    ///
    /// # Errors
    /// [`ReceiptFileError::TooSlow`] after the deadline.
    pub(crate) fn skip_blanks(&mut self) -> Result<(), ReceiptFileError> {
        let start = self.at;
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let line = memchr::memchr2(b'\r', b'\n', self.rest());
                self.skip(line.unwrap_or(usize::MAX));
            } else if is_blank(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
        if self.at - start > MANY_BLANKS {
            self.work.look()?;
        }
        Ok(())
    }

    /// Reads the next object or word; `None` at the end.
    ///
    /// # Errors
    /// [`ReceiptFileError::Damaged`] for anything else, and [`Work::value`]'s.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'a>>, ReceiptFileError> {
        self.token(0)
    }

    /// Reads the next token, which must be an object.
    pub(crate) fn object(&mut self) -> Result<Object, ReceiptFileError> {
        match self.next()? {
            Some(Token::Object(object)) => Ok(object),
            _ => Err(ReceiptFileError::Damaged),
        }
    }

    /// Reads the next token, which must be a non-negative integer.
    pub(crate) fn index(&mut self) -> Result<usize, ReceiptFileError> {
        let object = self.object()?;
        object.as_index().ok_or(ReceiptFileError::Damaged)
    }

    fn token(&mut self, depth: usize) -> Result<Option<Token<'a>>, ReceiptFileError> {
        self.skip_blanks()?;
        let Some(byte) = self.peek() else {
            return Ok(None);
        };
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(ReceiptFileError::Damaged);
        }
        let object = match byte {
            b'/' => {
                self.at += 1;
                Object::Name(self.name())
            }
            b'(' => Object::Text(self.literal()?),
            b'<' if self.rest().starts_with(b"<<") => self.dictionary(depth)?,
            b'<' => Object::Text(self.hexadecimal()?),
            b'[' => self.array(depth)?,
            _ => {
                let word = self.word();
                match (word, number(word)) {
                    ([], _) => return Err(ReceiptFileError::Damaged),
                    (b"null" | b"true" | b"false", _) => Object::Other,
                    (_, Some(number)) => self.reference(number).unwrap_or(Object::Number(number)),
                    (word, None) => {
                        self.work.value(self.reading, 0)?;
                        return Ok(Some(Token::Word(word)));
                    }
                }
            }
        };
        let bytes = match object {
            Object::Name(_) | Object::Text(_) => self.at - start,
            // As much memory as they take at least.
            Object::Array(_) => 64,
            Object::Dictionary(_) => 256,
            _ => 0,
        };
        self.work.value(self.reading, bytes)?;
        Ok(Some(Token::Object(object)))
    }

    /// Reads the rest of a reference `N G R` after `N`; consumes nothing if there is none.
    fn reference(&mut self, number: f32) -> Option<Object> {
        let count = |bytes: &[u8], is: fn(u8) -> bool| {
            let counted = bytes.iter().take(16).take_while(|byte| is(**byte));
            Some(counted.count()).filter(|count| *count > 0)
        };
        let rest = self.rest();
        let blanks = count(rest, is_blank)?;
        let digits = count(&rest[blanks..], |byte| byte.is_ascii_digit())?;
        let more = count(&rest[blanks + digits..], is_blank)?;
        let rest = rest[blanks + digits + more..].strip_prefix(b"R")?;
        if rest.first().is_some_and(|byte| is_regular(*byte)) {
            return None;
        }
        let number = u32::try_from(index(number)?).ok()?;
        self.at += blanks + digits + more + 1;
        Some(Object::Reference(number))
    }

    fn array(&mut self, depth: usize) -> Result<Object, ReceiptFileError> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Object::Array(items));
            }
            match self.token(depth + 1)? {
                Some(Token::Object(item)) => items.push(item),
                _ => return Err(ReceiptFileError::Damaged),
            }
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Object, ReceiptFileError> {
        self.at += 2;
        let mut entries = Dictionary::new();
        loop {
            self.skip_blanks()?;
            if self.rest().starts_with(b">>") {
                self.at += 2;
                return Ok(Object::Dictionary(entries));
            }
            let (Some(Token::Object(Object::Name(name))), Some(Token::Object(value))) =
                (self.token(depth + 1)?, self.token(depth + 1)?)
            else {
                return Err(ReceiptFileError::Damaged);
            };
            entries.insert(name, value);
        }
    }

    /// Reads a name after its slash; `#41` stands for `A`.
    fn name(&mut self) -> Vec<u8> {
        let mut rest = self.word();
        let mut name = Vec::with_capacity(rest.len());
        while let [byte, after @ ..] = rest {
            let escaped = match after {
                [high, low, ..] if *byte == b'#' => hex(*high).zip(hex(*low)),
                _ => None,
            };
            if let Some((high, low)) = escaped {
                name.push(high << 4 | low);
                rest = &after[2..];
            } else {
                name.push(*byte);
                rest = after;
            }
        }
        name
    }

    fn literal(&mut self) -> Result<Vec<u8>, ReceiptFileError> {
        let mut text = Vec::new();
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            if open > MAX_PARENTHESES || text.len() > MAX_STRING {
                return Err(ReceiptFileError::TooLarge);
            }
            self.at += 1;
            match byte {
                b'(' => {
                    open += 1;
                    if open > 1 {
                        text.push(byte);
                    }
                }
                b')' => {
                    open -= 1;
                    if open == 0 {
                        return Ok(text);
                    }
                    text.push(byte);
                }
                b'\\' => text.extend(self.escape()),
                b'\r' => {
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                    }
                    text.push(b'\n');
                }
                _ => text.push(byte),
            }
        }
        Err(ReceiptFileError::Damaged)
    }

    /// Reads the rest of an escape sequence, after its backslash.
    fn escape(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        match byte {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            b'f' => Some(12),
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
                None
            }
            b'\n' => None,
            b'0'..=b'7' => {
                let mut code = u16::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else {
                        break;
                    };
                    self.at += 1;
                    code = code * 8 + u16::from(digit - b'0');
                }
                // High-order overflow is ignored (ISO 32000-1, 7.3.4.2).
                u8::try_from(code & 0xff).ok()
            }
            other => Some(other),
        }
    }

    fn hexadecimal(&mut self) -> Result<Vec<u8>, ReceiptFileError> {
        self.at += 1;
        let mut digits = Vec::new();
        while let Some(byte) = self.peek() {
            if digits.len() > 2 * MAX_STRING {
                return Err(ReceiptFileError::TooLarge);
            }
            self.at += 1;
            match byte {
                b'>' => {
                    if digits.len() % 2 == 1 {
                        digits.push(0);
                    }
                    let bytes = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]);
                    return Ok(bytes.collect());
                }
                _ if is_blank(byte) => {}
                _ => digits.push(hex(byte).ok_or(ReceiptFileError::Damaged)?),
            }
        }
        Err(ReceiptFileError::Damaged)
    }

    /// Reads all regular characters up to the next blank or delimiter.
    fn word(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| is_regular(**byte)).count();
        self.at += length;
        &rest[..length]
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

fn number(word: &[u8]) -> Option<f32> {
    let is_number = word
        .iter()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'));
    if !is_number {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_regular(byte: u8) -> bool {
    !is_blank(byte)
        && !matches!(
            byte,
            b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
        )
}
