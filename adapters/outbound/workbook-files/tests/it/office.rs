//! Tables of a generator, which `LibreOffice` writes in every format.

use std::fs;
use std::path::Path;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

use super::*;

mod program;
mod tables;

use program::Program;
use tables::Table;

/// Number of tables, of which the first is long.
const TABLES: usize = 20;

/// A format of `LibreOffice`: filter with its options, extension of the files.
struct Format(&'static str, &'static str);

/// The options of CSV files are separator, quote and encoding, and "as shown on the screen".
const FORMATS: [Format; 7] = [
    Format("calc8", "ods"),
    Format("Calc MS Excel 2007 XML", "xlsx"),
    Format("MS Excel 97", "xls"),
    Format("HTML (StarCalc)", "html"),
    Format(
        "Text - txt - csv (StarCalc):44,34,76,1,,0,false,true",
        "utf8.csv",
    ),
    Format(
        "Text - txt - csv (StarCalc):9,34,65535,1,,0,false,true",
        "utf16.csv",
    ),
    Format(
        "Text - txt - csv (StarCalc):59,34,1,1,,0,false,true",
        "1252.csv",
    ),
];

/// What is read of a file: payments, and rows that are passed over.
type Read = (Vec<SheetRow>, Vec<(u64, PassedOver)>);

fn read_csv(file: &[u8]) -> Read {
    payments_of(&Sheet::open(file, &ColumnMapping::default()).unwrap())
}

fn read(file: &Path) -> Read {
    let content = fs::read(file).unwrap();
    if file.extension().unwrap() == "csv" {
        return read_csv(&content);
    }
    payments(&choose(content.into()).unwrap().rows)
}

fn generated() -> Vec<Table> {
    let mut random = TestRunner::deterministic();
    let table = |number| {
        let rows = if number == 0 { 600..601 } else { 1..25 };
        let table = tables::table(rows).new_tree(&mut random);
        table.unwrap().current()
    };
    (0..TABLES).map(table).collect()
}

/// All fields of all rows, as those of the CSV file from which `LibreOffice` made the others.
#[test]
fn a_table_gives_the_same_rows_in_every_format_that_libreoffice_writes() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = Program::start(folder.path()) else {
        testkit::skip("no soffice (libreoffice-calc-nogui): no program writes the tables");
        return;
    };
    let tables = generated();
    let name = |number: usize, extension: &str| folder.path().join(format!("{number}.{extension}"));
    for (number, table) in tables.iter().enumerate() {
        fs::write(name(number, "csv"), &table.csv).unwrap();
    }
    let files = |extension: &str| {
        let files = (0..TABLES).map(|number| name(number, extension));
        files.collect::<Vec<_>>()
    };
    for Format(filter, extension) in FORMATS {
        // The others are made of ODS, in which dates, numbers and texts are told apart already.
        let from = if extension == "ods" { "csv" } else { "ods" };
        program.convert(&files(from), filter, extension);
    }
    for (number, table) in tables.iter().enumerate() {
        let expected = read_csv(table.csv.as_bytes());
        let valid = expected.0.iter().filter(|row| row.query.is_ok());
        assert_eq!(
            (expected.0.len(), valid.count(), expected.1.len()),
            (table.payments, table.payments - table.faulty, table.totals),
            "{}",
            table.csv
        );
        for Format(_, extension) in FORMATS {
            let read = read(&name(number, extension));
            let mut both = expected.0.iter().zip(&read.0);
            let differing = both.find(|(one, other)| one != other);
            assert!(
                read == expected,
                "{extension}: {differing:#?}, {:?} and {:?}\n{}",
                expected.1,
                read.1,
                table.csv
            );
        }
    }
}
