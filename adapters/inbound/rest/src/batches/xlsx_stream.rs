//! Workbook with one sheet (XLSX) that is generated while it is sent: of rows that were written it keeps nothing, and
//! nothing of it stands on a disk.

use std::fmt::Write as _;
use std::io;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::batches::sheet::serial_number;
use zip::result::ZipError;

use super::zip_stream::ZipStream;

/// The parts of the file but for the sheet (ECMA-376, part 1).
const PARTS: [(&str, &str); 5] = [
    (
        "[Content_Types].xml",
        include_str!("xlsx/content_types.xml"),
    ),
    ("_rels/.rels", include_str!("xlsx/rels.xml")),
    ("xl/workbook.xml", include_str!("xlsx/workbook.xml")),
    (
        "xl/_rels/workbook.xml.rels",
        include_str!("xlsx/workbook_rels.xml"),
    ),
    ("xl/styles.xml", include_str!("xlsx/styles.xml")),
];
const SHEET: &str = "xl/worksheets/sheet1.xml";
/// Maximum number of characters in a cell.
const MAX_TEXT: usize = 32_767;

/// A style of a cell: its index in `xlsx/styles.xml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    General = 0,
    Header = 1,
    /// Text, whatever is typed into the cell later.
    Text = 2,
    Amount = 3,
    Date = 4,
    Link = 5,
    Good = 6,
    Doubtful = 7,
    Bad = 8,
}

/// A value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(f64),
    Date(NaiveDate),
    /// An address, and the text that stands for it.
    Link(String, String),
}

/// A workbook that is being written.
pub(super) struct XlsxStream {
    zip: ZipStream,
    rows: u32,
    columns: usize,
}

impl XlsxStream {
    /// Begins a sheet with these headers, which stay in view, and the widths of their columns in characters.
    pub(super) fn new(headers: &[(String, u16)]) -> Result<Self, ZipError> {
        let mut zip = ZipStream::new();
        for (name, content) in PARTS {
            zip.add(name, content.as_bytes())?;
        }
        zip.begin(SHEET)?;
        let mut xml = include_str!("xlsx/sheet_begin.xml").trim_end().to_owned();
        xml.push_str("<cols>");
        for (column, (_, width)) in (1..).zip(headers) {
            let _ = write!(
                xml,
                r#"<col min="{column}" max="{column}" width="{width}" customWidth="1"/>"#
            );
        }
        xml.push_str("</cols><sheetData>");
        zip.write_all(xml.as_bytes())?;
        let mut new = Self {
            zip,
            rows: 0,
            columns: headers.len(),
        };
        let headers = headers
            .iter()
            .map(|(text, _)| (Value::Text(text.clone()), Style::Header));
        new.add(headers)?;
        Ok(new)
    }

    /// Writes a row, from the first column on. Of an empty text nothing is written.
    pub(super) fn add(
        &mut self,
        cells: impl IntoIterator<Item = (Value, Style)>,
    ) -> io::Result<()> {
        self.rows += 1;
        let mut xml = format!(r#"<row r="{}">"#, self.rows);
        for (column, (value, style)) in cells.into_iter().enumerate() {
            cell(&mut xml, (&letters(column), self.rows), &value, style);
        }
        xml.push_str("</row>");
        self.zip.write_all(xml.as_bytes())
    }

    /// Takes the bytes since the last call.
    pub(super) fn take(&self) -> Bytes {
        self.zip.take()
    }

    /// Ends the sheet, whose rows can be filtered, and returns the last bytes.
    pub(super) fn finish(mut self) -> Result<Bytes, ZipError> {
        let last = letters(self.columns.saturating_sub(1));
        let rows = self.rows;
        let end = format!(r#"</sheetData><autoFilter ref="A1:{last}{rows}"/></worksheet>"#);
        self.zip.write_all(end.as_bytes())?;
        self.zip.finish()
    }
}

fn cell(xml: &mut String, (letters, row): (&str, u32), value: &Value, style: Style) {
    let style = style as u8;
    let open = format!(r#"<c r="{letters}{row}" s="{style}""#);
    // Writing to memory can't fail.
    let _ = match value {
        Value::Text(text) if text.is_empty() => Ok(()),
        Value::Text(text) => {
            let has_blanks = text.trim() != text || text.contains('\n');
            let space = if has_blanks {
                r#" xml:space="preserve""#
            } else {
                ""
            };
            let text = escaped(text);
            write!(
                xml,
                r#"{open} t="inlineStr"><is><t{space}>{text}</t></is></c>"#
            )
        }
        Value::Number(number) => write!(xml, "{open}><v>{number}</v></c>"),
        Value::Date(date) => {
            let days = serial_number(*date);
            write!(xml, "{open}><v>{days}</v></c>")
        }
        Value::Link(address, text) => {
            let quoted = |text: &str| escaped(&text.replace('"', "\"\""));
            let (address, shown) = (quoted(address), quoted(text));
            let value = escaped(text);
            write!(
                xml,
                r#"{open} t="str"><f>HYPERLINK("{address}","{shown}")</f><v>{value}</v></c>"#
            )
        }
    };
}

/// The letters of a column, which is numbered from 0: `A`, …, `Z`, `AA`.
fn letters(mut column: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(b'A' + u8::try_from(column % 26).unwrap_or_default());
        match (column / 26).checked_sub(1) {
            Some(next) => column = next,
            None => break,
        }
    }
    letters.reverse();
    String::from_utf8(letters).unwrap_or_default()
}

/// A text as the content of an element: without characters that XML doesn't have, and no longer than a cell.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars().take(MAX_TEXT) {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\t' | '\n' => escaped.push(character),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            _ if character.is_control() => escaped.push(' '),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_letters() {
        let columns = [0, 25, 26, 51, 52, 701, 702];
        assert_eq!(
            columns.map(letters),
            ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]
        );
    }

    #[test]
    fn a_text_is_no_markup_and_as_long_as_a_cell_may_be() {
        assert_eq!(
            escaped("a<b>&\"\u{1}\u{ffff}\n"),
            "a&lt;b&gt;&amp;\" \u{fffd}\n"
        );
        assert_eq!(escaped(&"é".repeat(40_000)).chars().count(), MAX_TEXT);
    }
}
