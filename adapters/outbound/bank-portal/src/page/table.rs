//! The table of a payment that has no proof. All nine states are *described* in the text of every
//! such page, so the state is read from the table alone.

use chrono::NaiveDateTime;
use domain::payment::{Payment, PaymentState};

use super::html::{Token, tokens};
use super::text::{collapse, fold};

const STATE: &str = "estado del pago en banxico";
const RECEIVED: &str = "fecha y hora de recepcion";
const PROCESSED: &str = "fecha y hora de procesamiento";
/// The format of both times, which are Mexico City's.
const TIME: &str = "%d/%m/%Y %H:%M:%S";

/// Returns the payment in a page's tables; `None` without exactly one known state.
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
    // The text of the open cell.
    let mut cell: Option<String> = None;
    for token in tokens(page) {
        match token {
            Token::Text(text) => {
                if let Some(cell) = &mut cell {
                    cell.push_str(&text);
                }
            }
            Token::Start(tag) if tag.name == "table" => tables += 1,
            Token::Start(tag) if tag.name == "tr" => {
                finish(&mut rows, &mut cells, cell.take());
            }
            Token::Start(tag) if tables > 0 && is_cell(&tag.name) => {
                cells.extend(cell.replace(String::new()));
            }
            Token::End(name) if is_cell(&name) => cells.extend(cell.take()),
            Token::End(name) if name == "tr" || name == "table" => {
                finish(&mut rows, &mut cells, cell.take());
                tables -= usize::from(tables > 0 && name == "table");
            }
            Token::Start(_) | Token::End(_) => {
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
    let mut cells = cells.drain(..).map(|cell| collapse(&cell));
    if let (Some(label), Some(value)) = (cells.next(), cells.next()) {
        rows.push(Row { label, value });
    }
}

fn is_cell(name: &str) -> bool {
    name == "td" || name == "th"
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// The state in a page, in which `STATE` stands for the label and `BACK` for the state of a return.
    fn state_in(page: &str) -> Option<PaymentState> {
        let page = page.replace("STATE", "Estado del pago en Banxico");
        payment(&page.replace("BACK", "Devuelto")).map(|payment| payment.state)
    }

    #[rstest]
    #[case::plain("<table><tr><td>STATE</td><td>BACK</td></tr></table>")]
    #[case::header_cell("<table><tr><th>STATE</th><td>BACK</td></tr></table>")]
    #[case::end_tags_left_out("<table><tr><td>Monto<td>1.00<tr><td>STATE<td>BACK</table>")]
    #[case::break_in_the_label(
        "<table><tr><td>Estado del<br>pago en Banxico</td><td>BACK</td></tr></table>"
    )]
    #[case::elements_in_cells(
        "<table><tr><td>Estado del <b>pago</b> en Banxico</td><td><i>BACK</i></td></tr></table>"
    )]
    #[case::text_between_cells("<table><tr>x<td>STATE</td>x<td>BACK</td></tr></table>")]
    #[case::third_cell("<table><tr><td>STATE</td><td>BACK</td><td>x</td></tr></table>")]
    #[case::row_of_one_cell("<table><tr><td>Pago</td></tr><tr><td>STATE</td><td>BACK</td></tr>")]
    #[case::after_a_nested_table(
        "<table><tr><td><table></table></td></tr><tr><td>STATE</td><td>BACK</td></tr></table>"
    )]
    #[case::same_state_twice(
        "<table><tr><td>STATE</td><td>BACK</td></tr><tr><td>STATE</td><td>BACK</td></tr></table>"
    )]
    #[case::another_one_outside(
        "<table><tr><td>STATE</td><td>BACK</td></tr></table><tr><td>STATE</td><td>Liquidado</td></tr>"
    )]
    #[case::after_the_end_of_a_table_that_never_began(
        "</table><table><tr><td>STATE</td><td>BACK</td></tr></table>"
    )]
    fn the_state_is_read_from_its_row(#[case] page: &str) {
        assert_eq!(state_in(page), Some(PaymentState::Returned));
    }

    #[rstest]
    #[case::label_and_value_in_two_rows(
        "<table><tr><td>STATE</td></tr><tr><td>BACK</td></tr></table>"
    )]
    #[case::outside_of_a_cell("<table><tr>STATE<td></td>BACK<td></td></tr></table>")]
    #[case::second_row_of_an_unended_table(
        "<table><tr><td>Monto<tr><td>1.00<tr><td>STATE<tr><td>BACK"
    )]
    #[case::outside_of_a_table("</table><tr><td>STATE</td><td>BACK</td></tr>")]
    fn cells_of_different_rows_or_of_no_table_make_no_state(#[case] page: &str) {
        assert_eq!(state_in(page), None);
    }
}
