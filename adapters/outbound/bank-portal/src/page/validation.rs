//! The validator's page of results, about a single file. It repeats texts of the file, so a verdict is read only
//! from a page that is as expected in all its parts.

use domain::seals::{SealOpinion, is_same_seal};

use super::html::{StartTag, Token, decode, tokens};
use super::text::{collapse, fold};

/// Headers of the table of totals.
const TOTALS: [&str; 3] = ["total", "validos", "invalidos"];
/// `id` of the table with a row for each file.
const RESULTS_ID: &str = "comprobantesCEP";
/// The call of a row's button; its argument is a table in HTML.
const DETAILS: (&str, &str) = ("openModalDetalleCEP('", "')");

const SEAL: &str = "sello digital";
const NOTE: &str = "nota";
const VALID_NOTE: &str = "comprobante electronico de pago valido";
const INVALID_NOTE: &str = "comprobante electronico de pago con informacion erronea";

/// Reads the verdict on the only file, with this name and this seal. `None` if anything of the page isn't
/// about it, or contradicts the verdict.
pub(crate) fn opinion(page: &[u8], name: &str, seal: &str) -> Option<SealOpinion> {
    let tables = tables(&decode(page))?;
    let totals = only(tables.iter().filter(|table| table.headers == TOTALS))?;
    let results = only(tables.iter().filter(|table| table.id == RESULTS_ID))?;
    let [file, verdict, details] = &only(results.rows.iter())?[..] else {
        return None;
    };
    let opinion = verdict.opinion()?;
    let expected = match opinion {
        SealOpinion::Valid => ["1", "1", "0"],
        SealOpinion::Invalid => ["1", "0", "1"],
    };
    let counted = only(totals.rows.iter())?.iter().map(|cell| &*cell.text);
    let is_about_it = counted.eq(expected) && file.is_text(name);
    (is_about_it && details.confirm(opinion, seal)?).then_some(opinion)
}

/// A table without tables in it.
#[derive(Default)]
struct Table {
    id: String,
    /// Folded texts of all header cells.
    headers: Vec<String>,
    /// Data cells; a row without any isn't kept.
    rows: Vec<Vec<Cell>>,
}

#[derive(Default)]
struct Cell {
    /// White space collapsed.
    text: String,
    /// Tags of inputs and buttons.
    controls: Vec<StartTag>,
}

impl Cell {
    fn is_text(&self, text: &str) -> bool {
        self.controls.is_empty() && self.text == text
    }

    /// A checked, disabled checkbox, or an `X`.
    fn opinion(&self) -> Option<SealOpinion> {
        if self.is_text("X") {
            return Some(SealOpinion::Invalid);
        }
        let [input] = &self.controls[..] else {
            return None;
        };
        let is_checked = input.name == "input"
            && input.attribute("type") == Some("checkbox")
            && input.attribute("checked").is_some()
            && input.attribute("disabled").is_some();
        (is_checked && self.text.is_empty()).then_some(SealOpinion::Valid)
    }

    /// Returns whether the details behind the cell's only button are those of the seal and of the verdict; `None`
    /// if they can't be read.
    fn confirm(&self, opinion: SealOpinion, seal: &str) -> Option<bool> {
        let [button] = &self.controls[..] else {
            return None;
        };
        let call = button.attribute("onclick")?.trim();
        let call = call.strip_prefix("javascript:").unwrap_or(call);
        let call = call.strip_suffix(';').unwrap_or(call);
        let argument = call.strip_prefix(DETAILS.0)?.strip_suffix(DETAILS.1)?;
        let tables = tables(&format!("<table>{argument}</table>"))?;
        let rows = &only(tables.iter())?.rows;
        let value = |label: &str| {
            let of_label = rows.iter().filter_map(|row| match &row[..] {
                [name, value] if fold(&name.text) == label => Some(&*value.text),
                _ => None,
            });
            only(of_label)
        };
        let note = match opinion {
            SealOpinion::Valid => VALID_NOTE,
            SealOpinion::Invalid => INVALID_NOTE,
        };
        Some(is_same_seal(value(SEAL)?, seal) && fold(value(NOTE)?) == note)
    }
}

/// The only item; `None` if there are several.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let item = items.next()?;
    items.next().is_none().then_some(item)
}

/// All tables of a page; `None` if one has another in it, or no end.
fn tables(page: &str) -> Option<Vec<Table>> {
    let mut tables = Vec::new();
    let mut open: Option<Table> = None;
    // The cell that is open, and whether it is a header.
    let mut cell: Option<(Cell, bool)> = None;
    for token in tokens(page) {
        let Some(table) = &mut open else {
            match token {
                Token::Start(tag) if tag.name == "table" => {
                    let id = tag.attribute("id").unwrap_or_default().to_owned();
                    open = Some(Table {
                        id,
                        ..Table::default()
                    });
                }
                Token::Text(_) | Token::Start(_) | Token::End(_) => {}
            }
            continue;
        };
        match token {
            Token::Text(text) => {
                if let Some((cell, _)) = &mut cell {
                    cell.text.push_str(&text);
                }
            }
            Token::Start(tag) => match tag.name.as_str() {
                "table" => return None,
                "tr" => {
                    table.end(cell.take());
                    table.rows.push(Vec::new());
                }
                name @ ("td" | "th") => {
                    table.end(cell.replace((Cell::default(), name == "th")));
                }
                name => {
                    if let Some((cell, _)) = &mut cell {
                        cell.text.push(' ');
                        let is_control = matches!(name, "input" | "button");
                        cell.controls.extend(is_control.then_some(tag));
                    }
                }
            },
            Token::End(name) => match name.as_str() {
                "td" | "th" | "tr" => table.end(cell.take()),
                "table" => {
                    table.end(cell.take());
                    table.rows.retain(|row| !row.is_empty());
                    tables.extend(open.take());
                }
                _ => {}
            },
        }
    }
    open.is_none().then_some(tables)
}

impl Table {
    /// Adds a cell that has ended: a header, or a cell of the last row.
    fn end(&mut self, cell: Option<(Cell, bool)>) {
        match cell {
            Some((cell, true)) => self.headers.push(fold(&collapse(&cell.text))),
            Some((cell, false)) => {
                let text = collapse(&cell.text);
                if self.rows.is_empty() {
                    self.rows.push(Vec::new());
                }
                if let Some(row) = self.rows.last_mut() {
                    row.push(Cell { text, ..cell });
                }
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests;
