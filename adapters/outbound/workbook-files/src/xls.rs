//! XLS (BIFF in a compound file).

use std::io::{Cursor, Read as _, Seek};

use bytes::Bytes;
use calamine::{Reader as _, SheetType, SheetVisible, Xls, XlsError};
use cfb::CompoundFile as Container;
use domain::batches::sheet::WorkbookError;

use crate::table::{Cells, ReadSheets, Room, check_names};
use crate::value;

/// Maximum number of cells in the smallest rectangle that holds all cells of a sheet: `calamine` keeps all of it.
const RECTANGLE: u64 = 2_000_000;

/// Records of BIFF8 (MS-XLS 2.3) with a cell at their beginning: row and column, of two bytes each. Those of the
/// second list end with their last column.
const OF_A_CELL: [u16; 9] = [0x06, 0xd6, 0xfd, 0x201, 0x203, 0x204, 0x205, 0x206, 0x27e];
const OF_CELLS: [u16; 2] = [0xbd, 0xbe];
/// Record at which a sheet begins.
const BEGIN: [u16; 4] = [0x09, 0x209, 0x409, 0x809];
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

/// Checks the rectangles of all sheets before they are allocated.
fn check(stream: &[u8]) -> Result<(), WorkbookError> {
    let (mut rest, mut rectangle) = (stream, Rectangle::default());
    while let Some((head, after)) = rest.split_first_chunk::<4>() {
        let [kind, length] = [[head[0], head[1]], [head[2], head[3]]].map(u16::from_le_bytes);
        let Some((data, after)) = after.split_at_checked(length.into()) else {
            break;
        };
        rest = after;
        match kind {
            FILE_PASS => return Err(WorkbookError::Encrypted),
            kind if BEGIN.contains(&kind) => rectangle = Rectangle::default(),
            kind if OF_A_CELL.contains(&kind) || OF_CELLS.contains(&kind) => {
                let last = OF_CELLS
                    .contains(&kind)
                    .then(|| data.last_chunk())
                    .flatten();
                rectangle.hold(data, last.copied().map(u16::from_le_bytes));
            }
            _ => {}
        }
        if rectangle.cells() > RECTANGLE {
            return Err(WorkbookError::TooLarge);
        }
    }
    Ok(())
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
