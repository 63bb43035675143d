//! Objects of the file format (ISO 32000-1, 7.2 and 7.3).

use domain::proofs::check::PdfError;

/// Maximum nesting of arrays and dictionaries.
const MAX_DEPTH: usize = 16;
/// Maximum nesting of parentheses in a string.
const MAX_PARENTHESES: usize = 32;
/// Maximum length of a string; the longest of the portal's page has about 150 bytes.
const MAX_STRING: usize = 32 * 1024;

/// An object. Numbers are read as `f32`, which is exact for all offsets below 2^24.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Object {
    /// `null`, `true` or `false`: nothing here depends on them.
    Other,
    Number(f32),
    Name(Vec<u8>),
    Text(Vec<u8>),
    Array(Vec<Object>),
    Dictionary(Dictionary),
    /// The number of an object; all generations are 0.
    Reference(u32),
}

/// Entries in file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dictionary(Vec<(Vec<u8>, Object)>);

/// An object, or another word: a keyword or an operator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Object(Object),
    Word(&'a [u8]),
}

/// Reads objects from bytes, at most `budget` of them.
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Objects that may still be read.
    budget: usize,
    comment_bytes: usize,
}

impl Object {
    pub(crate) fn is_name(&self, name: &str) -> bool {
        matches!(self, Self::Name(bytes) if bytes == name.as_bytes())
    }

    /// Length of the longest string in the object, in bytes.
    pub(crate) fn longest_text(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Array(objects) => longest_text(objects.iter()),
            Self::Dictionary(dictionary) => dictionary.longest_text(),
            Self::Other | Self::Number(_) | Self::Name(_) | Self::Reference(_) => 0,
        }
    }

    /// The number, if the object is a non-negative integer.
    pub(crate) fn as_index(&self) -> Option<usize> {
        match self {
            Self::Number(number) => index(*number),
            _ => None,
        }
    }
}

fn longest_text<'a>(objects: impl Iterator<Item = &'a Object>) -> usize {
    objects.map(Object::longest_text).max().unwrap_or_default()
}

impl Dictionary {
    /// Length of the longest string in the values, in bytes.
    pub(crate) fn longest_text(&self) -> usize {
        longest_text(self.0.iter().map(|(_, value)| value))
    }

    /// Value of an entry; `None` if the name occurs twice, as readers disagree on which value
    /// counts.
    pub(crate) fn get(&self, name: &str) -> Option<&Object> {
        let mut values = self.0.iter().filter(|(key, _)| key == name.as_bytes());
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// Returns `true` if there are no other entries than these, and none occurs twice.
    pub(crate) fn has_only(&self, names: &[&str]) -> bool {
        let is_named = |key: &[u8]| names.iter().any(|name| name.as_bytes() == key);
        let is_only = |key: &[u8]| self.0.iter().filter(|(other, _)| other == key).count() == 1;
        self.0.len() <= names.len() && self.0.iter().all(|(key, _)| is_named(key) && is_only(key))
    }

    /// Returns `true` if at least one entry has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name.as_bytes())
    }

    /// Value of the entry whose name is given as bytes; `None` if they aren't UTF-8.
    pub(crate) fn get_bytes(&self, name: &[u8]) -> Option<&Object> {
        std::str::from_utf8(name)
            .ok()
            .and_then(|name| self.get(name))
    }
}

impl<'a> Lexer<'a> {
    /// Creates a lexer that starts at offset `at`.
    pub(crate) fn new(bytes: &'a [u8], at: usize, budget: usize) -> Self {
        Self {
            bytes,
            at,
            budget,
            comment_bytes: 0,
        }
    }

    pub(crate) fn budget(&self) -> usize {
        self.budget
    }

    /// Skips an inline image after its `BI`: entries, data and `EI`.
    pub(crate) fn skip_inline_image(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_end = |window: &[u8]| {
            window.starts_with(b"EI") || (is_blank(window[0]) && window[1..].starts_with(b"EI"))
        };
        let end = rest.windows(3).position(is_end);
        self.at += end.map_or(rest.len(), |place| (place + 3).min(rest.len()));
    }

    /// Offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Continues at another offset.
    pub(crate) fn jump(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// Total length of the comments skipped so far, in bytes.
    pub(crate) fn comment_bytes(&self) -> usize {
        self.comment_bytes
    }

    /// Skips blanks and comments.
    pub(crate) fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let rest = &self.bytes[self.at..];
                let line = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
                let length = line.unwrap_or(rest.len());
                self.comment_bytes += length;
                self.at += length;
            } else if is_blank(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// Reads the next object or word; `None` at the end.
    ///
    /// # Errors
    /// [`PdfError::Damaged`] for anything else, [`PdfError::TooComplex`] beyond the limits.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'a>>, PdfError> {
        self.token(0)
    }

    /// Reads the next token, which must be an object.
    pub(crate) fn object(&mut self) -> Result<Object, PdfError> {
        match self.next()? {
            Some(Token::Object(object)) => Ok(object),
            _ => Err(PdfError::Damaged),
        }
    }

    /// Reads the next token, which must be a non-negative integer.
    pub(crate) fn index(&mut self) -> Result<usize, PdfError> {
        self.object()?.as_index().ok_or(PdfError::Damaged)
    }

    /// Reads the next token, which must be this word.
    pub(crate) fn expect(&mut self, word: &str) -> Result<(), PdfError> {
        match self.next()? {
            Some(Token::Word(found)) if found == word.as_bytes() => Ok(()),
            _ => Err(PdfError::Damaged),
        }
    }

    /// Reads the rest of a reference `N 0 R` after `N`; consumes nothing if there is none.
    fn reference(&mut self, number: f32) -> Option<Object> {
        let rest = &self.bytes[self.at..];
        let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
        let rest = rest[blanks..].strip_prefix(b"0")?;
        let more = rest.iter().take_while(|byte| is_blank(**byte)).count();
        let rest = rest[more..].strip_prefix(b"R")?;
        let is_end = rest.first().is_none_or(|byte| !is_regular(*byte));
        if blanks == 0 || more == 0 || !is_end {
            return None;
        }
        let number = u32::try_from(index(number)?).ok()?;
        self.at += blanks + more + 2;
        Some(Object::Reference(number))
    }

    fn token(&mut self, depth: usize) -> Result<Option<Token<'a>>, PdfError> {
        self.skip_blanks();
        let Some(byte) = self.peek() else {
            return Ok(None);
        };
        self.budget = self.budget.checked_sub(1).ok_or(PdfError::TooComplex)?;
        if depth > MAX_DEPTH {
            return Err(PdfError::TooComplex);
        }
        let rest = &self.bytes[self.at..];
        let object = match byte {
            b'/' => {
                self.at += 1;
                Object::Name(self.name())
            }
            b'(' => Object::Text(self.literal()?),
            b'<' if rest.starts_with(b"<<") => self.dictionary(depth)?,
            b'<' => Object::Text(self.hexadecimal()?),
            b'[' => self.array(depth)?,
            _ => {
                let word = self.word();
                match word {
                    [] => return Err(PdfError::Damaged),
                    b"null" | b"true" | b"false" => Object::Other,
                    word => match number(word) {
                        Some(number) => self.reference(number).unwrap_or(Object::Number(number)),
                        None => return Ok(Some(Token::Word(word))),
                    },
                }
            }
        };
        Ok(Some(Token::Object(object)))
    }

    fn array(&mut self, depth: usize) -> Result<Object, PdfError> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Object::Array(items));
            }
            match self.token(depth + 1)? {
                Some(Token::Object(item)) => items.push(item),
                _ => return Err(PdfError::Damaged),
            }
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Object, PdfError> {
        self.at += 2;
        let mut entries = Vec::new();
        loop {
            self.skip_blanks();
            if self.bytes[self.at..].starts_with(b">>") {
                self.at += 2;
                return Ok(Object::Dictionary(Dictionary(entries)));
            }
            let (Some(Token::Object(Object::Name(name))), Some(Token::Object(value))) =
                (self.token(depth + 1)?, self.token(depth + 1)?)
            else {
                return Err(PdfError::Damaged);
            };
            entries.push((name, value));
        }
    }

    /// Reads a name after its slash; `#41` stands for `A`.
    fn name(&mut self) -> Vec<u8> {
        let word = self.word();
        let mut name = Vec::with_capacity(word.len());
        let mut rest = word;
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

    fn literal(&mut self) -> Result<Vec<u8>, PdfError> {
        let mut text = Vec::new();
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            if open > MAX_PARENTHESES || text.len() > MAX_STRING {
                return Err(PdfError::TooComplex);
            }
            self.at += 1;
            match byte {
                b'(' => {
                    open += 1;
                    if open == 1 {
                        continue;
                    }
                    text.push(byte);
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
        Err(PdfError::Damaged)
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

    fn hexadecimal(&mut self) -> Result<Vec<u8>, PdfError> {
        self.at += 1;
        let mut digits = Vec::new();
        while let Some(byte) = self.peek() {
            if digits.len() > 2 * MAX_STRING {
                return Err(PdfError::TooComplex);
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
                _ => digits.push(hex(byte).ok_or(PdfError::Damaged)?),
            }
        }
        Err(PdfError::Damaged)
    }

    /// Reads all regular characters up to the next blank or delimiter.
    fn word(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
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

/// Converts a non-negative integer that `f32` represents exactly.
fn index(number: f32) -> Option<usize> {
    const EXACT: f32 = 16_777_216.0;
    if !(0.0..EXACT).contains(&number) || number.fract() != 0.0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 2^24"
    )]
    Some(number as usize)
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
