//! XLSX and XLSM, cell by cell.

use std::io::Cursor;

use bytes::Bytes;
use calamine::{Reader as _, SheetType, SheetVisible, Xlsx, XlsxError};
use domain::batches::sheet::{WorkbookError, WorkbookRow};
use ports::outbound::Workbook;

use crate::table::{Cells, Room, check_names};
use crate::value;

/// An open workbook, of which each sheet is read when it is asked for.
pub(crate) struct Book {
    file: Xlsx<Cursor<Bytes>>,
    names: Vec<String>,
    room: Room,
}

pub(crate) fn open(file: Bytes) -> Result<Book, WorkbookError> {
    let file = Xlsx::new(Cursor::new(file)).map_err(|error| of(&error))?;
    check_names(file.sheets_metadata())?;
    let sheets = file.sheets_metadata().iter();
    let shown = sheets.filter(|sheet| {
        sheet.visible == SheetVisible::Visible && sheet.typ == SheetType::WorkSheet
    });
    let names = shown.map(|sheet| sheet.name.clone()).collect();
    let room = Room::default();
    Ok(Book { file, names, room })
}

impl Workbook for Book {
    fn sheets(&self) -> &[String] {
        &self.names
    }

    fn rows(&mut self, sheet: usize) -> Result<Vec<WorkbookRow>, WorkbookError> {
        let name = self.names.get(sheet).ok_or(WorkbookError::Unreadable)?;
        let reader = self.file.worksheet_cells_reader(name);
        let mut reader = reader.map_err(|error| of(&error))?;
        let mut cells = Cells::default();
        while let Some(cell) = reader.next_cell().map_err(|error| of(&error))? {
            let (row, column) = cell.get_position();
            if let Some(value) = value::of(&cell.get_value().clone().into()) {
                cells.put((row, column as usize), value, &mut self.room)?;
            }
        }
        // Reading goes on behind the rows, where programs may show other ones.
        match reader.next_cell() {
            Err(XlsxError::XmlEof(_)) => cells.into_rows(),
            _ => Err(WorkbookError::Unreadable),
        }
    }
}

fn of(error: &XlsxError) -> WorkbookError {
    match error {
        XlsxError::Password => WorkbookError::Encrypted,
        _ => WorkbookError::Unreadable,
    }
}
