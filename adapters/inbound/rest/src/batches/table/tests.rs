use chrono::NaiveDate;
use domain::batches::sheet::{CellErrorKind, CellErrors, CorrectedRows};
use domain::participants::Catalogue;
use proptest::prelude::*;

use super::*;

const GOOD: &str =
    r#""fecha":"2026-11-20","clave_rastreo":"KEY","cuenta":"002010077777777771","monto""#;

fn rules() -> RowRules<'static> {
    RowRules {
        today: NaiveDate::from_ymd_opt(2026, 11, 24).unwrap(),
        catalogue: Catalogue::embedded(),
        own_accounts: &[],
    }
}

fn rows(file: &[u8]) -> Vec<SheetRow> {
    let table = Table::open(TableType::JsonLines, file, &ColumnMapping::default()).unwrap();
    table.rows(rules(), &[]).collect()
}

fn error(row: &SheetRow) -> (&str, CellErrorKind) {
    let Err(CellErrors(errors)) = &row.query else {
        panic!("{row:?}");
    };
    assert_eq!(errors.len(), 1, "{errors:?}");
    (errors[0].name(), errors[0].problem.clone())
}

fn amount(row: &SheetRow) -> String {
    row.query.as_ref().unwrap().amount.to_string()
}

#[test]
fn a_payment_stands_on_each_line() {
    let file = format!(
        "\u{feff}{{\"id\":\"a\",{GOOD}:9007199254740993.01}}\r\n\n{{{GOOD}:\"1\",\"id\":7}}"
    );
    let rows = rows(file.as_bytes());
    let [first, second] = &rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!((first.line, first.id.as_deref()), (1, Some("a")));
    assert_eq!(amount(first), "9007199254740993.01");
    assert_eq!((second.line, second.id.as_deref()), (3, Some("7")));
    assert!(second.query.is_ok());
}

#[test]
fn a_faulty_line_costs_one_row() {
    let lines = [
        "{".to_owned(),
        "[]".to_owned(),
        format!("{{{GOOD}:1,\"monto\":2}}"),
        format!("{{{GOOD}:\"1,234.56\"}}"),
        format!("{{{GOOD}:1}}").replace("2026-11-20", "20/11/2026"),
        format!("{{{GOOD}:1}} {{}}"),
        format!("{{{GOOD}:1}}"),
    ];
    let mut file = lines.join("\n").into_bytes();
    file.extend_from_slice(b"\n{\"id\":\"\xff\"}");
    let rows = rows(&file);
    let malformed = |position| ("row", RowFault::MalformedJson { position }.into());
    assert_eq!(error(&rows[0]), malformed(2));
    let no_object = RowFault::NotAnObject { found: "array" };
    assert_eq!(error(&rows[1]), ("row", no_object.into()));
    let repeated = error(&rows[2]).1;
    assert!(matches!(
        repeated,
        CellErrorKind::Row(RowFault::RepeatedMember { .. })
    ));
    assert_eq!(error(&rows[3]).0, "monto");
    assert_eq!(error(&rows[4]).0, "fecha");
    assert_eq!(error(&rows[5]).0, "row");
    assert!(rows[6].query.is_ok());
    assert_eq!(error(&rows[7]), malformed(8));
    let lines: Vec<_> = rows.iter().map(|row| row.line).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn an_unknown_member_costs_one_row_and_a_misspelt_one_says_what_it_is_meant_to_be() {
    let file = format!("{{{GOOD}:1,\"Emisor\":\"40012\"}}\n{{{GOOD}:1,\"x\":[]}}\n{{{GOOD}:1}}");
    let rows = rows(file.as_bytes());
    for (row, name, meant) in [(0, "Emisor", Some("emisor")), (1, "x", None)] {
        let fault = RowFault::UnknownMember {
            name: name.to_owned(),
            meant,
        };
        assert_eq!(error(&rows[row]), (name, fault.into()));
    }
    assert!(rows[2].query.is_ok());
}

#[test]
fn a_line_that_is_too_long_costs_one_row() {
    let file = format!("{{\"x\":\"{}\"}}\n{{{GOOD}:1}}", "x".repeat(MAX_ROW_LENGTH));
    let rows = rows(file.as_bytes());
    assert_eq!(error(&rows[0]), ("row", RowFault::TooLong.into()));
    assert!(rows[1].query.is_ok());
}

#[test]
fn a_file_without_a_line_is_empty() {
    for file in [&b""[..], b"\n \r\n", b"\xef\xbb\xbf\n"] {
        let table = Table::open(TableType::JsonLines, file, &ColumnMapping::default());
        assert_eq!(table.unwrap_err(), SheetError::Empty);
    }
}

#[test]
fn a_csv_is_read_as_one() {
    let file = b"fecha;rastreo;clabe;monto\n20/11/2026;KEY;002010077777777771;1.234,50\n";
    let table = Table::open(TableType::Sheet, file, &ColumnMapping::default()).unwrap();
    assert_eq!(table.columns().len(), 4);
    let rows: Vec<_> = table.rows(rules(), &[]).collect();
    assert_eq!(amount(&rows[0]), "1234.50");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_without_panic(
        file in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"{}[]\":,\n\\ 01".to_vec())], 0..200,
        ),
    ) {
        for format in [TableType::Sheet, TableType::JsonLines] {
            if let Ok(table) = Table::open(format, &file, &ColumnMapping::default()) {
                prop_assert!(table.rows(rules(), &[]).all(|row| row.line > 0));
            }
        }
    }
}

#[test]
fn lines_are_corrected_by_their_number_or_a_value_of_any_type() {
    let lines = [
        format!("{{{GOOD}:\"x\",\"id\":7}}"),
        String::new(),
        format!("{{{GOOD}:1.50,\"receptor\":\"BBVA MEX\"}}"),
        "{".to_owned(),
        format!("{{{GOOD}:[],\"id\":\"7\",\"receptor\":\"BBVA MEX\"}}"),
    ];
    let file = lines.join("\n");
    let correction = |rows, column, value: &str| Correction {
        rows,
        column,
        value: value.to_owned(),
    };
    let of = |value: &str| CorrectedRows::WithValue(value.to_owned());
    let corrections = [
        correction(of("7"), Column::Id, "F-7"),
        correction(CorrectedRows::OnLine(1), Column::Amount, "2.00"),
        correction(of("1.50"), Column::Amount, "3.00"),
        correction(of("BBVA MEX"), Column::Receiver, "40012"),
        correction(CorrectedRows::OnLine(5), Column::Amount, "4.00"),
        correction(CorrectedRows::OnLine(4), Column::Amount, "5.00"),
    ];
    let mapping = ColumnMapping::default();
    let table = Table::open(TableType::JsonLines, file.as_bytes(), &mapping).unwrap();
    let mut rows = table.rows(rules(), &corrections);
    let read: Vec<_> = rows.by_ref().collect();
    for (row, expected) in [(0, "2.00"), (1, "3.00"), (3, "4.00")] {
        assert_eq!(amount(&read[row]), expected);
    }
    assert_eq!(read[0].id.as_deref(), Some("F-7"));
    assert_eq!(read[3].id.as_deref(), Some("F-7"));
    assert_eq!(rows.corrector().corrected(), 3);
    let faults = rows.corrector().faults().map(|fault| fault.index);
    assert_eq!(faults.collect::<Vec<_>>(), [5]);
}
