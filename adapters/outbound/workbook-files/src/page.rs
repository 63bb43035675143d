//! Web pages with a table, which banks name `.xls`.

use bytes::Bytes;
use domain::batches::sheet::WorkbookError;
use encoding_rs::WINDOWS_1252;
use html5gum::{Token, Tokenizer};

use crate::table::{CELL, Cells, ReadSheets, Room};
use crate::value::text;

/// Maximum size of a page. Ten thousand rows of ten columns have about 5 MiB.
const MOST_BYTES: usize = 8 << 20;
/// Maximum bytes of a tag with the text after it: all attributes of a tag are in memory.
const MOST_OF_A_TAG: usize = 1 << 20;
/// Most columns that one cell spans.
const MOST_SPANNED: usize = 100;

/// Reads the rows of all tables of a page, as one sheet.
pub(crate) fn open(file: &Bytes) -> Result<ReadSheets, WorkbookError> {
    let mut tags = file.split(|byte| *byte == b'<');
    if file.len() > MOST_BYTES || tags.any(|tag| tag.len() > MOST_OF_A_TAG) {
        return Err(WorkbookError::TooLarge);
    }
    let page = match std::str::from_utf8(file) {
        Ok(page) => page.into(),
        Err(_) => WINDOWS_1252.decode(file).0,
    };
    let mut rows = Rows::default();
    for token in Tokenizer::new(&*page) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let span = tag.attributes.get(&b"colspan"[..]);
                let span =
                    span.and_then(|span| std::str::from_utf8(span).ok()?.trim().parse().ok());
                rows.begin(&tag.name, span.unwrap_or(1).clamp(1, MOST_SPANNED))?;
            }
            Token::String(content) => rows.write(&String::from_utf8_lossy(&content))?,
            Token::EndTag(tag) => rows.end(&tag.name)?,
            _ => {}
        }
    }
    rows.end_cell()?;
    let mut read = ReadSheets::default();
    read.push("1".to_owned(), rows.cells)?;
    Ok(read)
}

#[derive(Default)]
struct Rows {
    cells: Cells,
    room: Room,
    /// Number of rows so far.
    begun: u32,
    column: usize,
    /// Text of the cell that hasn't ended yet, and the columns that it spans.
    cell: Option<(String, usize)>,
    /// Within a script or a style sheet, whose text isn't shown.
    is_hidden: bool,
}

impl Rows {
    fn begin(&mut self, tag: &[u8], span: usize) -> Result<(), WorkbookError> {
        match tag {
            b"tr" => {
                self.end_cell()?;
                self.begun = self.begun.saturating_add(1);
                self.column = 0;
            }
            b"td" | b"th" => {
                self.end_cell()?;
                self.cell = Some((String::new(), span));
            }
            b"br" => self.write(" ")?,
            b"script" | b"style" => self.is_hidden = true,
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), WorkbookError> {
        if let Some((cell, _)) = self.cell.as_mut().filter(|_| !self.is_hidden) {
            if cell.len() + text.len() > CELL {
                return Err(WorkbookError::TooLarge);
            }
            cell.push_str(text);
        }
        Ok(())
    }

    fn end(&mut self, tag: &[u8]) -> Result<(), WorkbookError> {
        match tag {
            b"script" | b"style" => {
                self.is_hidden = false;
                Ok(())
            }
            b"td" | b"th" | b"tr" | b"table" => self.end_cell(),
            _ => Ok(()),
        }
    }

    fn end_cell(&mut self) -> Result<(), WorkbookError> {
        let Some((content, span)) = self.cell.take() else {
            return Ok(());
        };
        let place = (self.begun.saturating_sub(1), self.column);
        self.column += span;
        let words: Vec<_> = content.split_whitespace().collect();
        match text(&words.join(" ")) {
            Some(value) => self.cells.put(place, value, &mut self.room),
            None => Ok(()),
        }
    }
}
