//! XLS (BIFF in a compound file).

use std::io::{Cursor, Read as _, Seek};

use bytes::Bytes;
use calamine::{Reader as _, SheetType, SheetVisible, Xls, XlsError};
use cfb::CompoundFile as Container;
use domain::batches::sheet::WorkbookError;

use crate::table::{Cells, ReadSheets, Room, check_names};
use crate::value;

/// Maximum number of cells in the smallest rectangles that hold all cells and all formulas of a sheet, of all sheets:
/// `calamine` keeps all of them.
const RECTANGLES: u64 = 2_000_000;
/// Maximum number of cells of a sheet that the file claims, for which `calamine` reserves memory: all rows, and a
/// quarter of the columns.
const CLAIMED: u64 = 65_536 * 64;
/// Maximum number of sheets, and of the records of all of them. A file of 16 MiB has room for four million.
const SHEETS: usize = 1_000;
const RECORDS: usize = 5_000_000;

/// Records of BIFF8 (MS-XLS 2.3) with a cell at their beginning: row and column, of two bytes each. Those of the
/// second list end with their last column.
const OF_A_CELL: [u16; 8] = [0xd6, 0xfd, 0x201, 0x203, 0x204, 0x205, 0x206, 0x27e];
const OF_CELLS: [u16; 2] = [0xbd, 0xbe];
const FORMULA: u16 = 0x06;
/// Records at which a sheet, or a chart in it, begins and ends.
const BEGIN: u16 = 0x809;
const END: u16 = 0x0a;
/// Record with the place of a sheet.
const SHEET: u16 = 0x85;
/// Record with the rows and columns of a sheet, as the file claims: the first and the one after the last of each.
const DIMENSIONS: u16 = 0x200;
/// Record of an encrypted workbook.
const FILE_PASS: u16 = 0x2f;

pub(crate) fn open(file: Bytes) -> Result<ReadSheets, WorkbookError> {
    let container = Container::open(Cursor::new(file.clone()));
    let mut container = container.map_err(|_| WorkbookError::Unreadable)?;
    if container.exists("EncryptedPackage") {
        return Err(WorkbookError::Encrypted);
    }
    check(&stream(&mut container).ok_or(WorkbookError::Unreadable)?)?;
    let mut file = Xls::new(Cursor::new(file)).map_err(|error| match error {
        XlsError::Password => WorkbookError::Encrypted,
        _ => WorkbookError::Unreadable,
    })?;
    let sheets = file.sheets_metadata().to_vec();
    check_names(&sheets)?;
    let (mut read, mut room) = (ReadSheets::default(), Room::default());
    for sheet in sheets {
        if sheet.visible != SheetVisible::Visible || sheet.typ != SheetType::WorkSheet {
            continue;
        }
        let range = file.worksheet_range(&sheet.name);
        let range = range.map_err(|_| WorkbookError::Unreadable)?;
        let (first_row, first_column) = range.start().unwrap_or_default();
        let mut cells = Cells::default();
        for (row, column, value) in range.used_cells() {
            let row = first_row.saturating_add(u32::try_from(row).unwrap_or(u32::MAX));
            if let Some(value) = value::of(value) {
                cells.put((row, first_column as usize + column), value, &mut room)?;
            }
        }
        read.push(sheet.name, cells)?;
    }
    Ok(read)
}

fn stream<F: std::io::Read + Seek>(container: &mut Container<F>) -> Option<Vec<u8>> {
    let name = ["Workbook", "Book"]
        .into_iter()
        .find(|name| container.is_stream(name))?;
    let mut bytes = Vec::new();
    container
        .open_stream(name)
        .ok()?
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

/// Checks the rectangles of all sheets before they are allocated, of the records that `calamine` reads.
fn check(stream: &[u8]) -> Result<(), WorkbookError> {
    let mut places = Vec::new();
    for (kind, data) in records(stream).take_while(|(kind, _)| *kind != END) {
        match kind {
            FILE_PASS => return Err(WorkbookError::Encrypted),
            SHEET => places.extend(data.first_chunk().copied().map(u32::from_le_bytes)),
            _ => {}
        }
    }
    let (mut cells, mut left) = (0, RECORDS);
    for place in &places {
        let sheet = stream.get(*place as usize..);
        cells += rectangles(sheet.ok_or(WorkbookError::Unreadable)?, &mut left)?;
        if cells > RECTANGLES || places.len() > SHEETS {
            return Err(WorkbookError::TooLarge);
        }
    }
    Ok(())
}

/// Number of cells in the smallest rectangles that hold all cells and all formulas of a sheet.
fn rectangles(sheet: &[u8], left: &mut usize) -> Result<u64, WorkbookError> {
    let (mut cells, mut formulas) = (Rectangle::default(), Rectangle::default());
    let mut depth = 0_usize;
    for (kind, data) in records(sheet) {
        *left = left.checked_sub(1).ok_or(WorkbookError::TooLarge)?;
        match kind {
            BEGIN => depth += 1,
            END if depth < 2 => break,
            END => depth -= 1,
            // A chart in the sheet.
            _ if depth > 1 => {}
            DIMENSIONS if claimed(data) > CLAIMED => return Err(WorkbookError::TooLarge),
            FORMULA => {
                cells.hold(data, None);
                formulas.hold(data, None);
            }
            kind if OF_A_CELL.contains(&kind) => cells.hold(data, None),
            kind if OF_CELLS.contains(&kind) => {
                let last = data.last_chunk().copied();
                cells.hold(data, last.map(u16::from_le_bytes));
            }
            _ => {}
        }
    }
    Ok(cells.cells() + formulas.cells())
}

/// The records of a stream with their kinds, to its end or to one that is cut off.
fn records(mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (head, after) = rest.split_first_chunk::<4>()?;
        let [kind, length] = [[head[0], head[1]], [head[2], head[3]]].map(u16::from_le_bytes);
        let (data, after) = after.split_at_checked(length.into())?;
        rest = after;
        Some((kind, data))
    })
}

/// Number of cells from the first row and column to the last ones, with four bytes for a row, or two in older files.
fn claimed(data: &[u8]) -> u64 {
    let side = |first: u64, end: u64| end.saturating_sub(first) + 1;
    let of = |place: usize| {
        data.get(place..place + 2)
            .map_or(0, |it| u64::from(it[0]) | u64::from(it[1]) << 8)
    };
    let columns = |place: usize| side(0, of(place));
    match data.len() {
        10 => side(of(0), of(2)) * columns(6),
        _ => side(of(0) | of(2) << 16, of(4) | of(6) << 16) * columns(10),
    }
}

/// The smallest rectangle that holds some cells: first and last row, first and last column.
#[derive(Default)]
struct Rectangle(Option<[u16; 4]>);

impl Rectangle {
    fn hold(&mut self, data: &[u8], last: Option<u16>) {
        let [row, column] = match data.first_chunk::<4>() {
            Some([a, b, c, d]) => [[*a, *b], [*c, *d]].map(u16::from_le_bytes),
            None => return,
        };
        let last = last.unwrap_or(column).max(column);
        let [top, bottom, left, right] = self.0.unwrap_or([row, row, column, last]);
        let rows = [top.min(row), bottom.max(row)];
        self.0 = Some([rows[0], rows[1], left.min(column), right.max(last)]);
    }

    fn cells(&self) -> u64 {
        let side = |first: u16, last: u16| u64::from(last - first) + 1;
        self.0.map_or(0, |[top, bottom, left, right]| {
            side(top, bottom) * side(left, right)
        })
    }
}
