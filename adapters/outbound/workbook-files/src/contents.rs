//! Bounds on what the parts of a ZIP hold, whatever their names: `calamine` keeps fonts and formats with each style,
//! allocates as many shared texts as a workbook claims to have, and reads a part again for each sheet that names it.

use std::collections::HashSet;
use std::io::{BufReader, Read};

use domain::batches::sheet::WorkbookError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Maximum number of elements of all parts. Half a million cells with formulas have three million.
const ELEMENTS: usize = 4_000_000;
/// Maximum number of rows of all sheets: those of the longest that programs write.
const ROWS: usize = 1_048_576;
/// Maximum depth of an element. Spreadsheets have about 20.
const DEPTH: usize = 256;
/// Maximum bytes of the text between two elements, of which `calamine` makes several copies. Files of other programs in
/// a workbook, such as queries, have more than any cell.
const TEXT: usize = 4 << 20;
/// Maximum number of shared texts: more cells aren't kept.
const TEXTS: usize = 500_000;
/// Maximum number of other elements that are kept, of each kind. Excel allows 65,490 styles.
const KEPT: usize = 65_536;
/// Maximum bytes of all styles, each with the longest font and the longest format of a number.
const STYLES: usize = 32 << 20;
/// Bytes of a style but for these.
const STYLE: usize = 256;

/// What the parts hold so far.
#[derive(Default)]
pub(crate) struct Contents {
    elements: usize,
    rows: usize,
    texts: usize,
    styles: usize,
    longest_font: usize,
    longest_format: usize,
    fonts: usize,
    fills: usize,
    borders: usize,
    formats: usize,
    names: usize,
    relationships: usize,
    sheets: HashSet<String>,
    parts_of_sheets: HashSet<String>,
}

impl Contents {
    /// Counts the elements of a part, to its end or to the first error, at which other readers end, too.
    ///
    /// # Errors
    /// [`WorkbookError::TooLarge`] when there is more than is read; [`WorkbookError::Unreadable`] when a part is that
    /// of several sheets.
    pub(crate) fn add(&mut self, part: impl Read) -> Result<(), WorkbookError> {
        let mut reader = Reader::from_reader(BufReader::new(part));
        let config = reader.config_mut();
        // As `calamine` has it.
        config.check_end_names = false;
        config.expand_empty_elements = true;
        let (mut buffer, mut depth, mut text) = (Vec::new(), 0_usize, 0);
        loop {
            buffer.clear();
            match reader.read_event_into(&mut buffer) {
                Ok(Event::Start(element)) => {
                    (depth, text) = (depth + 1, 0);
                    if depth > DEPTH {
                        return Err(WorkbookError::TooLarge);
                    }
                    self.count(&element)?;
                }
                Ok(Event::End(_)) => (depth, text) = (depth.saturating_sub(1), 0),
                Ok(Event::Eof) | Err(_) => return Ok(()),
                Ok(event) => {
                    text += event.len();
                    if text > TEXT {
                        return Err(WorkbookError::TooLarge);
                    }
                }
            }
        }
    }

    fn count(&mut self, element: &BytesStart<'_>) -> Result<(), WorkbookError> {
        one_more(&mut self.elements, ELEMENTS)?;
        match element.local_name().as_ref() {
            "row" | "table-row" => one_more(&mut self.rows, ROWS)?,
            "si" => one_more(&mut self.texts, TEXTS)?,
            "sst" => check_claim(element)?,
            "font" => one_more(&mut self.fonts, KEPT)?,
            "fill" => one_more(&mut self.fills, KEPT)?,
            "border" => one_more(&mut self.borders, KEPT)?,
            "definedName" => one_more(&mut self.names, KEPT)?,
            "name" => self.longest_font = self.longest_font.max(element.len()),
            "numFmt" => {
                one_more(&mut self.formats, KEPT)?;
                self.longest_format = self.longest_format.max(element.len());
            }
            "xf" => one_more(&mut self.styles, KEPT)?,
            "sheet" => once(&mut self.sheets, attribute(element, "id")?)?,
            "Relationship" => {
                one_more(&mut self.relationships, KEPT)?;
                if attribute(element, "Id")?.is_empty() {
                    return Err(WorkbookError::Unreadable);
                }
                if attribute(element, "Type")?.ends_with("/worksheet") {
                    let target = attribute(element, "Target")?.to_lowercase();
                    let name = target.rsplit(['/', '\\']).next().unwrap_or_default();
                    once(&mut self.parts_of_sheets, name.to_owned())?;
                }
            }
            _ => return Ok(()),
        }
        let style = STYLE + self.longest_font + self.longest_format;
        if self.styles.saturating_mul(style) > STYLES {
            return Err(WorkbookError::TooLarge);
        }
        Ok(())
    }
}

fn one_more(count: &mut usize, most: usize) -> Result<(), WorkbookError> {
    *count += 1;
    if *count > most {
        return Err(WorkbookError::TooLarge);
    }
    Ok(())
}

/// Keeps a name that may come once. Other elements of the same kind have none.
fn once(known: &mut HashSet<String>, name: String) -> Result<(), WorkbookError> {
    if !name.is_empty() && !known.insert(name) {
        return Err(WorkbookError::Unreadable);
    }
    if known.len() > KEPT {
        return Err(WorkbookError::TooLarge);
    }
    Ok(())
}

/// Checks the number of shared texts that a workbook claims to have.
fn check_claim(element: &BytesStart<'_>) -> Result<(), WorkbookError> {
    match &*attribute(element, "uniqueCount")? {
        "" => Ok(()),
        claim => match claim.parse::<usize>() {
            Ok(claim) if claim <= TEXTS => Ok(()),
            Ok(_) => Err(WorkbookError::TooLarge),
            Err(_) => Err(WorkbookError::Unreadable),
        },
    }
}

/// The first attribute of a name, whatever its prefix; empty without it.
fn attribute(element: &BytesStart<'_>, name: &str) -> Result<String, WorkbookError> {
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|_| WorkbookError::Unreadable)?;
        if attribute.key.local_name().as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            return value.map(Into::into).map_err(|_| WorkbookError::Unreadable);
        }
    }
    Ok(String::new())
}
