//! Reads the JSON body of a request: strictly, in one pass, and without losing the spelling of a
//! number.
//!
//! A general parser would do three things that we can't have: keep the last of two equal keys
//! (two readers of one body could then see two different transfers), turn `monto` into a float,
//! and stop at the first value of a wrong type instead of reporting every faulty field.

use std::borrow::Cow;
use std::collections::BTreeSet;

use domain::query::{Field, RawQuery, Token};
use web::Problem;

/// Deepest nesting of a body; the contract's own is 1.
pub(crate) const MAX_DEPTH: usize = 8;

/// The members of a proof request.
const FIELDS: [Field; 6] = [
    Field::Date,
    Field::TrackingKey,
    Field::Account,
    Field::Amount,
    Field::Issuer,
    Field::Receiver,
];

/// Reads the body of a proof request. Unknown keys are ignored, `null` counts as absent.
pub(crate) fn read_query(body: &[u8]) -> Result<RawQuery<'_>, Problem> {
    let mut query = RawQuery::default();
    read_object(body, &FIELDS.map(Field::name), &mut |key, value| {
        keep(&mut query, key, value);
    })?;
    Ok(query)
}

fn keep<'a>(query: &mut RawQuery<'a>, key: &str, value: Token<'a>) {
    let place = match FIELDS.into_iter().find(|field| field.name() == key) {
        Some(Field::Date) => &mut query.date,
        Some(Field::TrackingKey) => &mut query.tracking_key,
        Some(Field::Account) => &mut query.account,
        Some(Field::Amount) => &mut query.amount,
        Some(Field::Issuer) => &mut query.issuer,
        Some(Field::Receiver) => &mut query.receiver,
        None => return,
    };
    *place = value;
}

/// Reads a body that must be an object, and hands over each of its members. A fault names a member
/// only if it is one of `names`.
pub(crate) fn read_object<'a>(
    body: &'a [u8],
    names: &[&'static str],
    member: &mut dyn FnMut(&str, Token<'a>),
) -> Result<(), Problem> {
    let text = std::str::from_utf8(body).map_err(|error| Problem::NotUtf8 {
        position: error.valid_up_to() + 1,
    })?;
    if text.starts_with('\u{feff}') {
        return Err(Problem::ByteOrderMark);
    }
    let mut reader = Reader {
        text,
        index: 0,
        names,
    };
    reader.skip_blanks();
    let Some(first) = reader.peek() else {
        return Err(Problem::EmptyBody);
    };
    if first == b'{' {
        reader.object(1, member)?;
        return reader.end();
    }
    let value = reader.value(0)?;
    reader.end()?;
    Err(Problem::NotAnObject {
        found: type_name(&value),
    })
}

/// Returns the JSON type of a value.
pub(crate) fn type_name(value: &Token<'_>) -> &'static str {
    match value {
        Token::Absent => "null",
        Token::Text(_) => "string",
        Token::Number(_) => "number",
        Token::Other(name) => name,
    }
}

/// A place in the text of a body.
struct Reader<'a, 'n> {
    text: &'a str,
    index: usize,
    names: &'n [&'static str],
}

impl<'a> Reader<'a, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.index).copied()
    }

    fn place(&self) -> usize {
        self.index + 1
    }

    fn malformed<T>(&self) -> Result<T, Problem> {
        Err(Problem::MalformedJson {
            position: self.place(),
        })
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.index += 1;
        }
    }

    /// Passes `byte`, which must come next.
    fn pass(&mut self, byte: u8) -> Result<(), Problem> {
        if self.peek() != Some(byte) {
            return self.malformed();
        }
        self.index += 1;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Problem> {
        self.skip_blanks();
        match self.peek() {
            None => Ok(()),
            Some(_) => self.malformed(),
        }
    }

    /// Reads the value that comes next, inside `depth` objects and arrays.
    fn value(&mut self, depth: usize) -> Result<Token<'a>, Problem> {
        match self.peek() {
            Some(b'"') => self.string().map(Token::Text),
            Some(b'-' | b'0'..=b'9') => self.number().map(Token::Number),
            Some(b't') => self.word("true", Token::Other("boolean")),
            Some(b'f') => self.word("false", Token::Other("boolean")),
            Some(b'n') => self.word("null", Token::Absent),
            Some(b'{') => {
                self.object(depth + 1, &mut |_, _| {})?;
                Ok(Token::Other("object"))
            }
            Some(b'[') => {
                self.array(depth + 1)?;
                Ok(Token::Other("array"))
            }
            _ => self.malformed(),
        }
    }

    fn word(&mut self, word: &str, token: Token<'a>) -> Result<Token<'a>, Problem> {
        for byte in word.bytes() {
            self.pass(byte)?;
        }
        Ok(token)
    }

    fn object(
        &mut self,
        depth: usize,
        member: &mut dyn FnMut(&str, Token<'a>),
    ) -> Result<(), Problem> {
        self.open(depth, b'{')?;
        let mut seen = BTreeSet::new();
        if self.closes(b'}') {
            return Ok(());
        }
        loop {
            let place = self.place();
            let key = self.string()?;
            self.skip_blanks();
            self.pass(b':')?;
            self.skip_blanks();
            let value = self.value(depth)?;
            member(&key, value);
            if seen.contains(&key) {
                let field = self.names.iter().find(|name| depth == 1 && **name == key);
                return Err(match field {
                    Some(field) => Problem::DuplicateKey {
                        field,
                        position: place,
                    },
                    None => Problem::DuplicateUnknownKey { position: place },
                });
            }
            seen.insert(key);
            if !self.continues(b'}')? {
                return Ok(());
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), Problem> {
        self.open(depth, b'[')?;
        if self.closes(b']') {
            return Ok(());
        }
        loop {
            self.value(depth)?;
            if !self.continues(b']')? {
                return Ok(());
            }
        }
    }

    fn open(&mut self, depth: usize, bracket: u8) -> Result<(), Problem> {
        if depth > MAX_DEPTH {
            return Err(Problem::TooDeep {
                position: self.place(),
                levels: MAX_DEPTH,
            });
        }
        self.pass(bracket)?;
        self.skip_blanks();
        Ok(())
    }

    /// Passes `bracket` if it comes next.
    fn closes(&mut self, bracket: u8) -> bool {
        let closes = self.peek() == Some(bracket);
        self.index += usize::from(closes);
        closes
    }

    /// Passes a comma, after which another member must follow, or the closing `bracket`.
    fn continues(&mut self, bracket: u8) -> Result<bool, Problem> {
        self.skip_blanks();
        if self.closes(bracket) {
            return Ok(false);
        }
        self.pass(b',')?;
        self.skip_blanks();
        Ok(true)
    }

    /// Reads a number of JSON's grammar and returns its own spelling.
    fn number(&mut self) -> Result<&'a str, Problem> {
        let start = self.index;
        self.index += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.index += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.index += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.index += 1;
            self.index += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(&self.text[start..self.index])
    }

    fn digits(&mut self) -> Result<(), Problem> {
        let start = self.index;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.index += 1;
        }
        if self.index == start {
            return self.malformed();
        }
        Ok(())
    }

    /// Reads a string; it is copied only when it has escapes.
    fn string(&mut self) -> Result<Cow<'a, str>, Problem> {
        self.pass(b'"')?;
        let mut unescaped = String::new();
        let mut start = self.index;
        loop {
            match self.peek() {
                Some(b'"') => {
                    let rest = &self.text[start..self.index];
                    self.index += 1;
                    if unescaped.is_empty() {
                        return Ok(Cow::Borrowed(rest));
                    }
                    unescaped.push_str(rest);
                    return Ok(Cow::Owned(unescaped));
                }
                Some(b'\\') => {
                    unescaped.push_str(&self.text[start..self.index]);
                    unescaped.push(self.escape()?);
                    start = self.index;
                }
                None | Some(0..=0x1F) => return self.malformed(),
                Some(_) => self.index += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Problem> {
        self.pass(b'\\')?;
        let Some(kind) = self.peek() else {
            return self.malformed();
        };
        let character = match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return self.malformed(),
        };
        self.index += 1;
        Ok(character)
    }

    /// Reads `uXXXX`, or two of them that are a surrogate pair. A lone surrogate is no character.
    fn unicode_escape(&mut self) -> Result<char, Problem> {
        let place = self.place();
        let first = self.unit()?;
        let units = if (0xD800..0xDC00).contains(&first) {
            self.pass(b'\\')?;
            vec![first, self.unit()?]
        } else {
            vec![first]
        };
        let mut decoded = char::decode_utf16(units);
        match (decoded.next(), decoded.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(Problem::MalformedJson { position: place }),
        }
    }

    fn unit(&mut self) -> Result<u16, Problem> {
        self.pass(b'u')?;
        let end = self.index + 4;
        let digits = self.text.as_bytes().get(self.index..end);
        let hex = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let Some(hex) = hex.and_then(|hex| std::str::from_utf8(hex).ok()) else {
            return self.malformed();
        };
        let Ok(unit) = u16::from_str_radix(hex, 16) else {
            return self.malformed();
        };
        self.index = end;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests;
