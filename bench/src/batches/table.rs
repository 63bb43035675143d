//! A table of payments, in the formats of spreadsheets.

use anyhow::Result;
use chrono::TimeDelta;
use rust_xlsxwriter::{ExcelDateTime, Format as CellFormat, Workbook};

use crate::now;

const HEADERS: [&str; 6] = [
    "fecha",
    "clave_rastreo",
    "cuenta",
    "monto",
    "emisor",
    "receptor",
];
const ACCOUNT: &str = "002010077777777771";
const AMOUNT: f64 = 1234.56;
const ISSUER: u16 = 40_012;
const RECEIVER: u16 = 40_002;

/// Format of a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    Csv,
    Xlsx,
}

impl Format {
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }

    /// A table of so many payments.
    pub(super) fn table(self, rows: u32) -> Result<Vec<u8>> {
        // A day that has begun in Mexico City, too.
        let day = (now()? - TimeDelta::days(1)).format("%Y-%m-%d").to_string();
        match self {
            Self::Csv => Ok(csv(&day, rows).into_bytes()),
            Self::Xlsx => xlsx(&day, rows),
        }
    }
}

fn tracking_key(number: u32) -> String {
    format!("MBAN01002611180{number:09}")
}

fn csv(day: &str, rows: u32) -> String {
    let row = |number| {
        let key = tracking_key(number);
        format!("{day},{key},{ACCOUNT},{AMOUNT},{ISSUER},{RECEIVER}\n")
    };
    let header = HEADERS.join(",") + "\n";
    std::iter::once(header).chain((0..rows).map(row)).collect()
}

/// Dates and amounts are numbers, tracking keys and accounts texts.
fn xlsx(day: &str, rows: u32) -> Result<Vec<u8>> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.write_row(0, 0, HEADERS)?;
    let shown = CellFormat::new().set_num_format("yyyy-mm-dd");
    let day = ExcelDateTime::parse_from_str(day)?;
    for number in 0..rows {
        let row = number + 1;
        sheet
            .write_datetime_with_format(row, 0, &day, &shown)?
            .write_string(row, 1, tracking_key(number))?
            .write_string(row, 2, ACCOUNT)?
            .write_number(row, 3, AMOUNT)?
            .write_number(row, 4, ISSUER)?
            .write_number(row, 5, RECEIVER)?;
    }
    Ok(workbook.save_to_buffer()?)
}
