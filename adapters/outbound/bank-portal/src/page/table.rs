//! The table that names a payment which has no proof. All nine states are *described* in the text
//! of every such page, so the state is read from here alone.

use chrono::NaiveDateTime;
use domain::payment::{Payment, PaymentState};

use super::markup::{Piece, pieces};
use super::words::{collapse, fold, unescape};

const STATE: &str = "estado del pago en banxico";
const RECEIVED: &str = "fecha y hora de recepcion";
const PROCESSED: &str = "fecha y hora de procesamiento";
/// How the portal writes both times, Mexico City's.
const TIME: &str = "%d/%m/%Y %H:%M:%S";

/// The payment in a page's tables; `None` without exactly one state that we know.
pub(super) fn payment(page: &str) -> Option<Payment> {
    let rows = rows(page);
    let values = |label: &'static str| {
        let of_label = move |row: &&Row| fold(&row.label) == label;
        rows.iter().filter(of_label).map(|row| row.value.as_str())
    };
    let mut states = values(STATE).map(state);
    let state = states.next()??;
    if states.any(|another| another != Some(state)) {
        return None;
    }
    let time = |label| {
        let text = values(label).next()?;
        NaiveDateTime::parse_from_str(text, TIME).ok()
    };
    Some(Payment {
        state,
        received_at: time(RECEIVED),
        processed_at: time(PROCESSED),
    })
}

fn state(label: &str) -> Option<PaymentState> {
    let label = fold(label);
    PaymentState::ALL
        .into_iter()
        .find(|state| fold(state.label()) == label)
}

/// The first two cells of a row.
struct Row {
    label: String,
    value: String,
}

/// All rows of all tables with two cells or more.
fn rows(page: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut tables = 0_usize;
    let mut cells = Vec::new();
    // The text of the cell that is open.
    let mut cell: Option<String> = None;
    for piece in pieces(page) {
        match piece {
            Piece::Text(text) => {
                if let Some(cell) = &mut cell {
                    cell.push_str(text);
                }
            }
            Piece::Open(tag) if tag.is("table") => tables += 1,
            Piece::Open(tag) if tables > 0 && tag.is("tr") => {
                finish(&mut rows, &mut cells, cell.take());
            }
            Piece::Open(tag) if tables > 0 && (tag.is("td") || tag.is("th")) => {
                cells.extend(cell.replace(String::new()));
            }
            Piece::Close(name) if is_any(name, &["td", "th"]) => cells.extend(cell.take()),
            Piece::Close(name) if is_any(name, &["tr", "table"]) => {
                finish(&mut rows, &mut cells, cell.take());
                tables -= usize::from(tables > 0 && name.eq_ignore_ascii_case("table"));
            }
            Piece::Open(_) | Piece::Close(_) => {
                if let Some(cell) = &mut cell {
                    cell.push(' ');
                }
            }
        }
    }
    rows
}

fn finish(rows: &mut Vec<Row>, cells: &mut Vec<String>, open: Option<String>) {
    cells.extend(open);
    let mut cells = cells.drain(..).map(|cell| collapse(&unescape(&cell)));
    if let (Some(label), Some(value)) = (cells.next(), cells.next()) {
        rows.push(Row { label, value });
    }
}

fn is_any(name: &str, names: &[&str]) -> bool {
    names.iter().any(|one| name.eq_ignore_ascii_case(one))
}
