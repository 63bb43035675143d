//! Tables from codes to characters or glyphs (ISO 32000-1, 9.7.5 and 9.10.3).

use std::collections::BTreeMap;

use domain::receipts::ReceiptFileError;

use super::lexer::{Lexer, Token};
use super::object::Object;
use super::work::{Reading, Work};

/// Maximum length of a code, in bytes.
const MAX_CODE: usize = 4;
/// Maximum number of UTF-16 units that one code stands for: ligatures have up to four letters.
const MAX_TARGET: usize = 16;

/// A table of codes.
#[derive(Default)]
pub(crate) struct CMap {
    /// Length of the codes in bytes, if the table tells.
    pub(crate) code_bytes: Option<usize>,
    /// Ranges, by their first code.
    ranges: BTreeMap<u32, Range>,
}

struct Range {
    last: u32,
    target: Target,
}

enum Target {
    /// UTF-16 of the first code; the last unit counts up with the code.
    Text(Vec<u16>),
    /// Glyph of the first code.
    Glyph(u32),
}

impl CMap {
    /// Reads a table. What can't be read ends it.
    ///
    /// # Errors
    /// Bounds of [`Work`].
    pub(crate) fn read(bytes: &[u8], work: &Work) -> Result<Self, ReceiptFileError> {
        let mut map = Self::default();
        let mut lexer = Lexer::new(bytes, 0, work, Reading::Kept);
        let mut operands = Vec::new();
        loop {
            match lexer.next() {
                Ok(Some(Token::Object(object))) => operands.push(object),
                Ok(Some(Token::Word(operator))) => {
                    map.apply(operator, &operands);
                    operands.clear();
                }
                Ok(None) => return Ok(map),
                // A stray delimiter.
                Err(ReceiptFileError::Damaged) => lexer.skip(1),
                Err(error) => return Err(error),
            }
            work.look()?;
        }
    }

    fn apply(&mut self, operator: &[u8], operands: &[Object]) {
        match operator {
            b"endcodespacerange" => {
                for range in operands.chunks_exact(2) {
                    if let Some((_, length)) = code(&range[0]) {
                        let longest = self.code_bytes.unwrap_or_default().max(length);
                        self.code_bytes = Some(longest);
                    }
                }
            }
            b"endbfchar" | b"endcidchar" => {
                for pair in operands.chunks_exact(2) {
                    if let Some((first, _)) = code(&pair[0]) {
                        self.insert(first, first, &pair[1]);
                    }
                }
            }
            b"endbfrange" | b"endcidrange" => {
                for range in operands.chunks_exact(3) {
                    let ends = code(&range[0]).zip(code(&range[1]));
                    if let Some(((first, _), (last, _))) = ends {
                        self.insert(first, last, &range[2]);
                    }
                }
            }
            _ => {}
        }
    }

    fn insert(&mut self, first: u32, last: u32, target: &Object) {
        let target = match target {
            Object::Text(bytes) => Target::Text(units(bytes)),
            Object::Number(_) => match target.as_index().map(u32::try_from) {
                Some(Ok(glyph)) => Target::Glyph(glyph),
                _ => return,
            },
            Object::Array(items) => {
                for (code, item) in (first..=last).zip(items) {
                    if matches!(item, Object::Text(_)) {
                        self.insert(code, code, item);
                    }
                }
                return;
            }
            _ => return,
        };
        self.ranges.insert(first, Range { last, target });
    }

    fn range(&self, code: u32) -> Option<(u32, &Target)> {
        let (first, range) = self.ranges.range(..=code).next_back()?;
        (code <= range.last).then(|| (code - first, &range.target))
    }

    /// Characters of a code.
    pub(crate) fn text(&self, code: u32) -> Option<String> {
        let (distance, Target::Text(units)) = self.range(code)? else {
            return None;
        };
        let mut units = units.clone();
        let last = units.last_mut()?;
        *last = u16::try_from(u32::from(*last).checked_add(distance)?).ok()?;
        Some(String::from_utf16_lossy(&units))
    }

    /// Glyph of a code.
    pub(crate) fn glyph(&self, code: u32) -> Option<u32> {
        match self.range(code)? {
            (distance, Target::Glyph(glyph)) => glyph.checked_add(distance),
            _ => None,
        }
    }
}

/// A code and its length in bytes.
fn code(object: &Object) -> Option<(u32, usize)> {
    let Object::Text(bytes) = object else {
        return None;
    };
    let is_code = (1..=MAX_CODE).contains(&bytes.len());
    is_code.then(|| (number(bytes), bytes.len()))
}

/// The number that bytes are, most significant first; of more than four, the last four.
pub(crate) fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Units of UTF-16, most significant byte first. A single byte is a unit, too.
pub(crate) fn units(bytes: &[u8]) -> Vec<u16> {
    let pairs = bytes.chunks(2).take(MAX_TARGET);
    let unit = |pair: &[u8]| match pair {
        [high, low] => u16::from(*high) << 8 | u16::from(*low),
        other => other.first().copied().map_or(0, u16::from),
    };
    pairs.map(unit).collect()
}
