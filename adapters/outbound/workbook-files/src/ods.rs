//! ODS (`OpenDocument` 1.2). `calamine` would expand all repetitions.

use std::io::{BufReader, Read, Seek};

use domain::batches::sheet::{WorkbookCell, WorkbookError};
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;

use crate::bounds::of_zip;
use crate::table::{CELL, Cells, ReadSheets, Room};
use crate::value::{iso_date, number, text};

/// Largest number of rows and columns of a sheet in `LibreOffice`.
const MOST_ROWS: u32 = 1_048_576;
const MOST_COLUMNS: usize = 16_384;

pub(crate) fn open(mut archive: ZipArchive<impl Read + Seek>) -> Result<ReadSheets, WorkbookError> {
    if is_encrypted(&mut archive) {
        return Err(WorkbookError::Encrypted);
    }
    let content = archive
        .by_name("content.xml")
        .map_err(|error| of_zip(&error))?;
    let mut reader = Reader::from_reader(BufReader::new(content));
    reader.config_mut().expand_empty_elements = true;
    let mut sheets = Sheets::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        match event.map_err(|_| WorkbookError::Unreadable)? {
            Event::Start(element) => sheets.begin(&element)?,
            Event::Text(content) => sheets.write(&content.xml10_content())?,
            Event::GeneralRef(reference) => sheets.refer(&reference)?,
            Event::End(element) => sheets.end(element.name().as_ref())?,
            Event::Eof => return Ok(sheets.read),
            _ => {}
        }
    }
}

/// Returns `true` if the list of the parts says how one of them is encrypted.
fn is_encrypted(archive: &mut ZipArchive<impl Read + Seek>) -> bool {
    let mut manifest = String::new();
    let part = archive.by_name("META-INF/manifest.xml");
    let read = part.is_ok_and(|mut part| part.read_to_string(&mut manifest).is_ok());
    read && manifest.contains("encryption-data")
}

/// Sheets on their way from the elements of `content.xml`.
#[derive(Default)]
struct Sheets {
    read: ReadSheets,
    room: Room,
    sheet: Option<(String, Cells)>,
    /// Position at which the next row and the next cell begin.
    place: (u32, usize),
    /// Cells of the row, with the first column of each and the number of its repetitions.
    row: Vec<(usize, usize, WorkbookCell)>,
    rows_repeated: u32,
    cell: Option<OpenCell>,
    /// Depth within comments, whose text belongs to no cell.
    comments: u32,
    in_paragraph: bool,
}

/// A cell whose end hasn't come yet.
struct OpenCell {
    repeated: usize,
    /// Its value, as its attributes tell it.
    value: Option<WorkbookCell>,
    /// Its text, which counts without a value.
    text: String,
    paragraphs: u32,
}

impl Sheets {
    fn begin(&mut self, element: &BytesStart<'_>) -> Result<(), WorkbookError> {
        match element.name().as_ref() {
            "table:table" if self.sheet.is_none() => {
                let name = attribute(element, "table:name").unwrap_or_default();
                self.sheet = Some((name, Cells::default()));
                self.place = (0, 0);
            }
            "table:table-row" => {
                self.rows_repeated = count(element, "table:number-rows-repeated");
                self.place.1 = 0;
                self.row.clear();
            }
            "table:table-cell" | "table:covered-table-cell" => {
                let repeated = count(element, "table:number-columns-repeated") as usize;
                self.cell = Some(OpenCell {
                    repeated,
                    value: value(element),
                    text: String::new(),
                    paragraphs: 0,
                });
            }
            "office:annotation" => self.comments += 1,
            "text:p" if self.comments == 0 => {
                self.in_paragraph = true;
                if let Some(cell) = &mut self.cell {
                    cell.paragraphs += 1;
                    if cell.paragraphs > 1 {
                        cell.text.push('\n');
                    }
                }
            }
            // Blanks that XML would collapse.
            "text:s" => {
                let blanks = count(element, "text:c").min(100);
                self.write(&" ".repeat(blanks as usize))?;
            }
            "text:tab" | "text:line-break" => self.write(" ")?,
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), WorkbookError> {
        if let Some(cell) = self.cell.as_mut().filter(|_| self.in_paragraph) {
            if cell.text.len() + text.len() > CELL {
                return Err(WorkbookError::TooLarge);
            }
            cell.text.push_str(text);
        }
        Ok(())
    }

    fn refer(&mut self, reference: &BytesRef<'_>) -> Result<(), WorkbookError> {
        let known = match reference.as_ref() {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "apos" => Some('\''),
            "quot" => Some('"'),
            _ => reference.resolve_char_ref().ok().flatten(),
        };
        known.map_or(Ok(()), |character| {
            self.write(character.encode_utf8(&mut [0; 4]))
        })
    }

    fn end(&mut self, name: &str) -> Result<(), WorkbookError> {
        match name {
            "table:table" => {
                if let Some((name, cells)) = self.sheet.take() {
                    self.read.push(name, cells)?;
                }
            }
            "table:table-row" => self.end_row()?,
            "table:table-cell" | "table:covered-table-cell" => {
                if let Some(cell) = self.cell.take() {
                    let column = self.place.1;
                    self.place.1 = column.saturating_add(cell.repeated);
                    if let Some(value) = cell.value.or_else(|| text(&cell.text)) {
                        self.row.push((column, cell.repeated, value));
                    }
                }
            }
            "office:annotation" => self.comments = self.comments.saturating_sub(1),
            "text:p" => self.in_paragraph = false,
            _ => {}
        }
        Ok(())
    }

    /// Keeps the cells of a row as often as it is repeated.
    fn end_row(&mut self) -> Result<(), WorkbookError> {
        let first = self.place.0;
        self.place.0 = first.saturating_add(self.rows_repeated).min(MOST_ROWS);
        let Some((_, cells)) = &mut self.sheet else {
            return Ok(());
        };
        for row in first..self.place.0 {
            if self.row.is_empty() {
                break;
            }
            for (column, repeated, cell) in &self.row {
                let end = column.saturating_add(*repeated).min(MOST_COLUMNS);
                for column in *column..end {
                    cells.put((row, column), cell.clone(), &mut self.room)?;
                }
            }
        }
        Ok(())
    }
}

/// The value that a cell's attributes tell; `None` for a text, which its content tells.
fn value(element: &BytesStart<'_>) -> Option<WorkbookCell> {
    let of = |name| attribute(element, name);
    match &*of("office:value-type")? {
        "float" | "currency" | "percentage" => number(&of("office:value")?),
        "date" => Some(iso_date(&of("office:date-value")?)),
        "boolean" => text(&of("office:boolean-value")?),
        "string" => text(&of("office:string-value")?),
        _ => None,
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    Some(
        attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .ok()?
            .into_owned(),
    )
}

/// A number of repetitions, 1 without the attribute. One that isn't understood is beyond all bounds.
fn count(element: &BytesStart<'_>, name: &str) -> u32 {
    attribute(element, name).map_or(1, |text| text.parse().unwrap_or(u32::MAX))
}
