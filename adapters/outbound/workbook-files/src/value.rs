//! Values of cells.

use calamine::{Data, ExcelDateTime};
use chrono::NaiveDate;
use domain::batches::sheet::WorkbookCell;

/// The value of a cell; `None` for an empty one.
pub(crate) fn of(value: &Data) -> Option<WorkbookCell> {
    match value {
        Data::Empty => None,
        Data::Int(integer) => number(&integer.to_string()),
        Data::Float(number) => Some(WorkbookCell::Number(*number)),
        Data::String(value) | Data::DurationIso(value) => text(value),
        Data::Bool(value) => text(&value.to_string()),
        Data::DateTime(moment) => Some(date(moment)),
        Data::DateTimeIso(moment) => Some(iso_date(moment)),
        Data::Error(error) => text(&error.to_string()),
    }
}

pub(crate) fn text(text: &str) -> Option<WorkbookCell> {
    (!text.is_empty()).then(|| WorkbookCell::Text(text.to_owned()))
}

pub(crate) fn number(text: &str) -> Option<WorkbookCell> {
    text.parse().ok().map(WorkbookCell::Number)
}

/// The date of a moment; a duration, or a time of day alone, stays the number that it is.
fn date(moment: &ExcelDateTime) -> WorkbookCell {
    let number = WorkbookCell::Number(moment.as_f64());
    if !moment.is_datetime() || moment.as_f64() < 1.0 {
        return number;
    }
    let (year, month, day, ..) = moment.to_ymd_hms_milli();
    let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
    date.map_or(number, WorkbookCell::Date)
}

/// The date of a moment in ISO 8601; what is none stays a text.
pub(crate) fn iso_date(moment: &str) -> WorkbookCell {
    let date = moment.get(..10).and_then(|date| date.parse().ok());
    date.map_or_else(|| WorkbookCell::Text(moment.to_owned()), WorkbookCell::Date)
}
