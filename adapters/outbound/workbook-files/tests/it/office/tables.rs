//! Generator of tables of payments, as people write them.
//!
//! A cell in quotes is a text and keeps its digits and zeros; one without them becomes a date or a number. No value
//! holds the end of a line: lines of a CSV file would be other ones than rows of a sheet.

use std::ops::Range;

use chrono::{Days, NaiveDate};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// A table as a CSV file, and what it holds.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) csv: String,
    /// Number of rows that ask for a payment, and of those without an account.
    pub(super) payments: usize,
    pub(super) faulty: usize,
    pub(super) totals: usize,
}

/// Headers of each column. The first three say whose totals are passed over, and the fourth is the amount.
const HEADERS: [&[&str]; 8] = [
    &["Fecha de operación", "FECHA"],
    &["Clave de rastreo", "Rastreo"],
    &["CLABE", "Cuenta beneficiaria"],
    &["Importe", "Monto"],
    &["Banco emisor", "Emisor"],
    &["Banco receptor", "Receptor"],
    &["Folio", "ID"],
    &["Concepto", "Observaciones"],
];
const AMOUNT: usize = 3;

/// A row below the header.
#[derive(Clone, Debug)]
enum Row {
    Blank,
    Payment([String; HEADERS.len()]),
}

fn text(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn date() -> impl Strategy<Value = String> {
    let last = NaiveDate::from_ymd_opt(2026, 11, 26).unwrap();
    (0_u64..4_000, 0..5).prop_map(move |(before, form)| {
        let day = last - Days::new(before);
        match form {
            0 => day.to_string(),
            1 => day.format("%d/%m/%Y").to_string(),
            2 => text(&day.to_string()),
            3 => text(&day.format("%d/%m/%Y").to_string()),
            _ => text(&day.format("%-d-%b-%y").to_string()),
        }
    })
}

/// The last digit isn't zero: a CSV file doesn't tell zeros of a text from those of a rounded number.
fn key() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Z]{4}[0-9]{4,20}", "0{0,4}[0-9]{10,20}[1-9]"].prop_map(|key| text(&key))
}

/// CLABEs, cards, and phones, which have as many digits as a number keeps.
fn account() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[0-9]{17}[1-9]".prop_map(|clabe| text(&clabe)),
        3 => "0[01][0-9]{15}[1-9]".prop_map(|clabe| text(&clabe)),
        2 => "[45][0-9]{15}".prop_map(|card| text(&card)),
        1 => "[1-9][0-9]{9}".prop_map(|phone| text(&phone)),
        1 => "[1-9][0-9]{9}",
        1 => Just(String::new()),
    ]
}

fn amount() -> impl Strategy<Value = String> {
    (1_u64..100_000_000_000, 0..5).prop_map(|(centavos, form)| {
        let plain = format!("{}.{:02}", centavos / 100, centavos % 100);
        let grouped = grouped(centavos / 100, centavos % 100);
        match form {
            0 | 1 => plain,
            2 => text(&plain),
            3 => text(&grouped),
            _ => text(&format!("$ {grouped}")),
        }
    })
}

fn grouped(pesos: u64, cents: u64) -> String {
    let (mut rest, mut groups) = (pesos, Vec::new());
    while rest >= 1_000 {
        groups.push(format!(",{:03}", rest % 1_000));
        rest /= 1_000;
    }
    groups.push(rest.to_string());
    groups.reverse();
    format!("{}.{cents:02}", groups.concat())
}

fn bank() -> impl Strategy<Value = String> {
    select(vec![
        "",
        "40012",
        "\"40072\"",
        "\"BANAMEX\"",
        "\"Banco Azteca\"",
    ])
    .prop_map(str::to_owned)
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        "0{1,4}[0-9]{1,6}".prop_map(|it| text(&it)),
        "[1-9][0-9]{0,6}",
        r#"[A-Za-zÑñé]{1,6}[,;" '-][A-Z0-9ü]{1,6}"#.prop_map(|it| text(&it)),
    ]
}

fn note() -> impl Strategy<Value = String> {
    "[a-zA-ZñÑáéíóúü€0-9 ,;\"'=+.<&\t]{0,20}".prop_map(|it| text(&it))
}

fn row() -> impl Strategy<Value = Row> {
    let payment = (
        date(),
        key(),
        account(),
        amount(),
        bank(),
        bank(),
        id(),
        note(),
    );
    let payment = payment.prop_map(|(date, key, account, amount, issuer, receiver, id, note)| {
        Row::Payment([date, key, account, amount, issuer, receiver, id, note])
    });
    prop_oneof![1 => Just(Row::Blank), 9 => payment]
}

/// A table whose number of rows, with blank ones, is in a range.
pub(super) fn table(rows: Range<usize>) -> impl Strategy<Value = Table> {
    let headers = HEADERS.map(|names| select(names).prop_map(text).boxed());
    let headers = headers.into_iter().collect::<Vec<_>>();
    let title = option::of("[A-ZÁÉÍ][a-zñáé]{2,9}, [a-z \"]{0,9}[0-9]{4}");
    let order = Just((0..HEADERS.len()).collect::<Vec<_>>()).prop_shuffle();
    let total = option::of(select(vec!["Total", "SUMA", "Gran total:"]));
    (vec(title, 0..5), headers, order, vec(row(), rows), total).prop_map(
        |(titles, headers, order, rows, total)| {
            let write = |cells: &[String]| {
                let cells = order.iter().map(|column| cells[*column].as_str());
                cells.collect::<Vec<_>>().join(",") + "\n"
            };
            // A page begins with the first row that isn't blank: `LibreOffice` leaves out those above it.
            let titles = titles.iter().skip_while(|title| title.is_none());
            let titles = titles.map(|title| title.as_deref().map_or(String::new(), text));
            let mut csv: String = titles.map(|title| title + "\n").collect();
            csv += &write(&headers);
            let (mut payments, mut faulty) = (0, 0);
            for row in &rows {
                match row {
                    Row::Blank => csv += "\n",
                    Row::Payment(cells) => {
                        payments += 1;
                        faulty += usize::from(cells[2].is_empty());
                        csv += &write(cells);
                    }
                }
            }
            if let Some(total) = total {
                let mut cells = [const { String::new() }; HEADERS.len()];
                cells[AMOUNT].push_str("1234567.5");
                cells[order[0]] = text(total);
                csv += &write(&cells);
            }
            Table {
                csv,
                payments,
                faulty,
                totals: usize::from(total.is_some()),
            }
        },
    )
}
