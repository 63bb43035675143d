//! Rows of a CSV file (RFC 4180), read one at a time.
//!
//! The crate `csv` would read an unclosed quote up to the end of the file as one row; here such a row
//! is an error, and the following rows are still read. `csv` also counts lines that end in CR alone as
//! one line.

use super::bounds::{MAX_BLANK_ROWS, MAX_ROW_LENGTH};
use super::encoding::Text;
use super::error::RowFault;
use super::separator::Separator;

/// Reads the rows of a text.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    text: Text<'a>,
    place: Place,
    /// Number of blank rows that were skipped.
    blank: u32,
}

/// Position of the start of a line.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: usize,
    /// Line number, from 1.
    line: u64,
}

/// A row split into cells, not yet assigned to columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tokenised {
    /// Number of the line on which the row begins.
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

    /// Reads a line without its line break. `None` if it is longer than a row may be, or there is none.
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

    /// Reads the next row that isn't blank. After [`MAX_BLANK_ROWS`], blank rows are returned too, so
    /// that they count.
    pub(super) fn next(&mut self, separator: Separator) -> Option<Tokenised> {
        while self.text.at(self.place.offset).is_some() {
            let start = self.place;
            let cells = self.read(separator.character());
            if cells.is_err() {
                // After a malformed row, reading continues with the line after its first.
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

    /// Reads one row and advances past it.
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
                // A quote after leading blanks still opens a quoted cell.
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

    /// Start of the line after the one of `place`.
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

    /// The offset after the line break at `offset`; CR LF counts as one.
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
    /// At the start of a cell.
    Start,
    /// In a cell without quotes.
    Plain,
    /// In a quoted cell.
    Quoted,
    /// After a quote in a quoted cell: its end, or the first of a doubled quote.
    QuoteInQuoted,
}

fn is_end(character: char) -> bool {
    matches!(character, '\r' | '\n')
}

/// Returns `true` for a cell of blanks, or of other separators.
fn is_blank(cell: &str) -> bool {
    cell.chars()
        .all(|c| c.is_whitespace() || matches!(c, ',' | ';'))
}
