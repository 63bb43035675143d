//! Rows of a CSV file (RFC 4180), read one at a time.
//!
//! The crate `csv` would read a quote that is never closed up to the end of the file, as one row; here
//! such a row is an error, and those after it are read. It counts lines that end in CR alone as one, too.

use super::bounds::{MAX_BLANK_ROWS, MAX_ROW_LENGTH};
use super::encoding::Text;
use super::error::RowFault;
use super::separator::Separator;

/// Rows of a text.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    text: Text<'a>,
    place: Place,
    /// Blank rows that were passed over.
    blank: u32,
}

/// A place at the beginning of a line.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: usize,
    /// From 1.
    line: u64,
}

/// A row, before its cells have a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tokenised {
    /// Line on which it begins.
    pub(super) line: u64,
    pub(super) cells: Result<Vec<String>, RowFault>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: Text<'a>) -> Self {
        let place = Place { offset: 0, line: 1 };
        Self {
            text,
            place,
            blank: 0,
        }
    }

    /// Reads a line without its end, whatever it holds; `None` when it is longer than a row, or there is none.
    pub(super) fn line(&mut self) -> Option<String> {
        let start = self.place;
        let mut line = String::new();
        let mut at = start.offset;
        while let Some((character, next)) = self.text.at(at) {
            if is_end(character) {
                break;
            }
            if line.len() > MAX_ROW_LENGTH {
                return None;
            }
            line.push(character);
            at = next;
        }
        self.place = self.next_line(start);
        (self.place.offset > start.offset).then_some(line)
    }

    /// Reads the next row that isn't blank; a blank one, too, after [`MAX_BLANK_ROWS`], so that it counts as one.
    pub(super) fn next(&mut self, separator: Separator) -> Option<Tokenised> {
        while self.text.at(self.place.offset).is_some() {
            let start = self.place;
            let cells = self.read(separator.character());
            if cells.is_err() {
                // The rows after a faulty one are read, beginning with the line after its first.
                self.place = self.next_line(start);
            }
            let is_blank = cells
                .as_ref()
                .is_ok_and(|cells| cells.iter().all(|cell| is_blank(cell)));
            if !is_blank || self.blank >= MAX_BLANK_ROWS {
                let line = start.line;
                return Some(Tokenised { line, cells });
            }
            self.blank += 1;
        }
        None
    }

    /// Reads one row.
    fn read(&mut self, separator: char) -> Result<Vec<String>, RowFault> {
        let mut cells = Vec::new();
        let mut cell = String::new();
        let mut state = State::Start;
        let Place {
            mut offset,
            mut line,
        } = self.place;
        let mut length = 0;
        while let Some((character, next)) = self.text.at(offset) {
            length += 1;
            if length > MAX_ROW_LENGTH {
                return Err(match state {
                    State::Quoted => RowFault::UnclosedQuote,
                    _ => RowFault::TooLong,
                });
            }
            let ends_line = is_end(character);
            offset = if ends_line {
                self.after_end(offset)
            } else {
                next
            };
            line += u64::from(ends_line);
            match (state, character) {
                (State::Start, '"') => state = State::Quoted,
                (State::Quoted, '"') => state = State::QuoteInQuoted,
                (State::Quoted, _) if ends_line => cell.push('\n'),
                (State::QuoteInQuoted, '"') => {
                    cell.push('"');
                    state = State::Quoted;
                }
                (State::Quoted, _) => cell.push(character),
                _ if ends_line => {
                    cells.push(cell);
                    self.place = Place { offset, line };
                    return Ok(cells);
                }
                _ if character == separator => {
                    cells.push(std::mem::take(&mut cell));
                    state = State::Start;
                }
                // Blanks before a quote don't make it a part of the text.
                (State::Start, ' ') => cell.push(' '),
                _ => {
                    cell.push(character);
                    state = State::Plain;
                }
            }
        }
        if matches!(state, State::Quoted) {
            return Err(RowFault::UnclosedQuote);
        }
        cells.push(cell);
        self.place = Place { offset, line };
        Ok(cells)
    }

    /// The beginning of the line after the one that `place` is on.
    fn next_line(&self, place: Place) -> Place {
        let Place { mut offset, line } = place;
        while let Some((character, next)) = self.text.at(offset) {
            if is_end(character) {
                let offset = self.after_end(offset);
                let line = line + 1;
                return Place { offset, line };
            }
            offset = next;
        }
        Place { offset, line }
    }

    /// The offset after the end of a line at `offset`; CR and LF together are one.
    fn after_end(&self, offset: usize) -> usize {
        match self.text.at(offset) {
            Some(('\r', next)) => match self.text.at(next) {
                Some(('\n', after)) => after,
                _ => next,
            },
            Some((_, next)) => next,
            None => offset,
        }
    }
}

#[derive(Clone, Copy)]
enum State {
    /// At the beginning of a cell.
    Start,
    /// In a cell without quotes.
    Plain,
    /// Within quotes.
    Quoted,
    /// After a quote within quotes: the end, or the first of two.
    QuoteInQuoted,
}

fn is_end(character: char) -> bool {
    matches!(character, '\r' | '\n')
}

/// Returns `true` for a cell of blanks, or of separators of another kind.
fn is_blank(cell: &str) -> bool {
    cell.chars()
        .all(|c| c.is_whitespace() || matches!(c, ',' | ';'))
}
