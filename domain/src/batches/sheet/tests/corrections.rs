//! Corrections of cells.

use std::borrow::Cow;

use proptest::prelude::*;

use super::*;

const HEADER: &str = "fecha,clave_rastreo,cuenta,monto,emisor,receptor,id";
const ROWS: [&str; 3] = [
    "2026-11-20,MBAN01002611200001234567,'002010077777777771,1.00,40012,BBVA MEX,F-1",
    "2026-11-20,MBAN01002611200001234568,002010077777777771,2.00, BBVA MEX ,\"=\"\"BBVA MEX\"\"\",F-2",
    "2026-11-20,MBAN01002611200001234569,002010077777777771,3.00,,40012,F-3",
];

fn table(rows: &[&str]) -> String {
    format!("{HEADER}\n{}\n", rows.join("\n"))
}

fn on_line(line: u64, column: Column, value: &str) -> Correction {
    Correction {
        rows: CorrectedRows::OnLine(line),
        column,
        value: value.to_owned(),
    }
}

fn with_value(from: &str, column: Column, value: &str) -> Correction {
    Correction {
        rows: CorrectedRows::WithValue(from.to_owned()),
        column,
        value: value.to_owned(),
    }
}

/// The rows of a table, the number of those that were corrected, and the errors of the corrections.
fn corrected(
    file: &str,
    corrections: &[Correction],
) -> (Vec<SheetRow>, usize, Vec<(usize, CorrectionError)>) {
    let sheet = open(file.as_bytes()).unwrap();
    let mut rows = sheet.rows(rules()).corrected_by(corrections);
    let read = rows.by_ref().collect();
    let corrector = rows.corrector();
    let faults = corrector.faults().map(|it| (it.index, it.problem));
    (read, corrector.corrected(), faults.collect())
}

fn receivers(rows: &[SheetRow]) -> Vec<Option<String>> {
    let receivers = rows.iter().map(|row| {
        let query = row.query.as_ref().ok()?;
        query.receiver.map(|code| code.to_string())
    });
    receivers.collect()
}

#[test]
fn a_value_is_corrected_in_each_row_that_has_it_and_in_its_field_alone() {
    let corrections = [with_value("'BBVA MEX ", Column::Receiver, "40012")];
    let (rows, corrected, faults) = corrected(&table(&ROWS), &corrections);
    let known = Some("40012".to_owned());
    assert_eq!(receivers(&rows), [known.clone(), None, known]);
    assert_eq!(error(&rows[1]).0, "emisor", "that is another field");
    assert_eq!((corrected, faults), (2, vec![]));
}

#[test]
fn a_correction_of_a_line_takes_precedence_whatever_their_order() {
    let mut corrections = [
        on_line(2, Column::Receiver, "40072"),
        with_value("BBVA MEX", Column::Receiver, "40012"),
        on_line(3, Column::Issuer, "40002"),
        on_line(3, Column::Receiver, ""),
    ];
    for _ in 0..2 {
        let (rows, corrected, faults) = corrected(&table(&ROWS), &corrections);
        let expected = [Some("40072".to_owned()), None, Some("40012".to_owned())];
        assert_eq!(receivers(&rows), expected);
        assert!(rows.iter().all(|row| row.query.is_ok()));
        assert_eq!((corrected, faults), (2, vec![]));
        corrections.reverse();
    }
}

#[test]
fn a_corrected_value_is_not_corrected_again() {
    let corrections = [
        with_value("BBVA MEX", Column::Receiver, "40012"),
        with_value("40012", Column::Receiver, "40072"),
    ];
    let (rows, ..) = corrected(&table(&ROWS[..1]), &corrections);
    assert_eq!(receivers(&rows), [Some("40012".to_owned())]);
}

#[test]
fn an_empty_cell_and_a_field_without_a_column_can_be_filled() {
    let file = "fecha,clave_rastreo,cuenta,monto\n\
        2026-11-20,,002010077777777771,1.00\n2026-11-20,K-2,002010077777777771,1.00\n";
    let corrections = [
        with_value("", Column::TrackingKey, "K-1"),
        on_line(3, Column::Id, "F-2"),
        with_value("", Column::Receiver, "40012"),
    ];
    let (rows, corrected, faults) = corrected(file, &corrections);
    assert_eq!((corrected, faults), (2, vec![]));
    assert_eq!(receivers(&rows), vec![Some("40012".to_owned()); 2]);
    assert_eq!(rows[1].id.as_deref(), Some("F-2"));
    let keys = rows.iter().map(|row| row.query.as_ref().unwrap());
    assert!(keys.map(|it| it.criterion.to_string()).eq(["K-1", "K-2"]));
    // The added columns stand behind those of the file, in their order.
    let added = ["40012", "F-2"];
    let own: Vec<_> = rows[1]
        .cells
        .iter()
        .rev()
        .take(2)
        .map(String::as_str)
        .collect();
    assert!(
        added.iter().all(|value| own.contains(value)),
        "{:?}",
        rows[1].cells
    );
    assert_eq!(
        rows[1].cells[..4],
        ["2026-11-20", "K-2", "002010077777777771", "1.00"]
    );
}

#[test]
fn a_row_that_has_the_value_already_is_not_counted() {
    let corrections = [
        on_line(2, Column::Account, "002010077777777771"),
        on_line(4, Column::Issuer, " "),
        with_value("40012", Column::Receiver, "'40012"),
    ];
    let (_, corrected, faults) = corrected(&table(&ROWS), &corrections);
    assert_eq!((corrected, faults), (0, vec![]));
}

#[test]
fn a_correction_without_a_row_is_told() {
    let file = table(&[
        ROWS[0],
        ",,,,,,",
        "TOTAL,,,1.00,,,",
        "\"2026-11-20,not closed,,,,,",
        "2026-11-20,a,b,1,234.00,,,F-4",
        ROWS[2],
    ]);
    let mut corrections: Vec<_> = [0, 1, 2, 3, 4, 5, 6, 7, 8]
        .map(|line| on_line(line, Column::Id, "x"))
        .to_vec();
    corrections.push(with_value("bbva mex", Column::Receiver, "40012"));
    corrections.push(on_line(7, Column::Id, "y"));
    corrections.push(with_value("z", Column::Id, "y"));
    corrections.push(with_value(" 'z", Column::Id, "x"));
    let (rows, corrected, faults) = corrected(&file, &corrections);
    assert_eq!((rows.len(), corrected), (4, 2));
    let lines = [0, 1, 3, 4, 5, 6, 8].map(|line| (line, CorrectionError::NoSuchLine));
    let others = [
        (9, CorrectionError::NoSuchValue),
        (10, CorrectionError::Repeated),
        (11, CorrectionError::NoSuchValue),
        (12, CorrectionError::Repeated),
    ];
    assert_eq!(faults, [&lines[..], &others].concat());
}

#[test]
fn a_correction_overrides_what_a_text_told() {
    let file = "fecha,concepto,cargo,abono\n\
        20/11/2026,SPEI RASTREO MBAN01002611200000000001 CLABE 002010077777777771,1.00,\n\
        20/11/2026,COMISION,5.00,\n";
    let corrections = [
        with_value(
            "MBAN01002611200000000001",
            Column::TrackingKey,
            "MBAN01002611200000000002",
        ),
        on_line(2, Column::Amount, "1,234.56"),
        on_line(3, Column::TrackingKey, "MBAN01002611200000000003"),
    ];
    let (rows, corrected, faults) = corrected(file, &corrections);
    let query = rows[0].query.as_ref().unwrap();
    assert_eq!(query.criterion.to_string(), "MBAN01002611200000000002");
    assert_eq!(query.amount.centavos(), 123_456);
    assert_eq!(query.account.as_str(), "002010077777777771");
    assert_eq!((rows.len(), corrected), (1, 1), "a commission stays one");
    assert_eq!(faults, [(2, CorrectionError::NoSuchLine)]);
}

#[test]
fn cells_of_a_workbook_are_corrected_by_the_number_of_their_row() {
    let text = |text: &str| WorkbookCell::Text(text.to_owned());
    let row = |number, cells: Vec<WorkbookCell>| WorkbookRow {
        number,
        cells: cells.into_iter().enumerate().collect(),
    };
    let header = ["fecha", "rastreo", "cuenta", "monto", "receptor"];
    let rows = [
        row(3, header.map(text).to_vec()),
        row(
            7,
            vec![
                WorkbookCell::Date(rules().today),
                text("K-1"),
                WorkbookCell::Number(2.010_077_777_777_77e15),
                WorkbookCell::Number(1.5),
                text("40012"),
            ],
        ),
    ];
    let corrections = [
        on_line(7, Column::Account, "002010077777777771"),
        with_value("1.5", Column::Amount, "2.5"),
        with_value("40012", Column::Receiver, "40072"),
    ];
    let sheet = Sheet::of_workbook(&rows, &ColumnMapping::default()).unwrap();
    let mut rows = sheet.rows(rules()).corrected_by(&corrections);
    let query = rows.next().unwrap().query.unwrap();
    assert_eq!(query.account.as_str(), "002010077777777771");
    assert_eq!(query.amount.centavos(), 250);
    assert_eq!(
        query.receiver.map(|it| it.to_string()),
        Some("40072".to_owned())
    );
    assert_eq!(rows.corrector().faults().count(), 0);
}

/// A cell of a CSV file.
fn quoted(cell: &str) -> Cow<'_, str> {
    if cell.contains([',', '"', ';', '\t']) {
        format!("\"{}\"", cell.replace('"', "\"\"")).into()
    } else {
        cell.into()
    }
}

proptest! {
    #[test]
    fn a_corrected_cell_is_read_like_the_file_with_that_cell_replaced(
        cells in prop::collection::vec(
            prop_oneof!["[ -~]{0,12}", "[0-9]{18}", "20/11/2026", "'[0-9]{1,18}", "[0-9]{1,4}[.][0-9]{2}"], 14,
        ),
        place in 0_usize..7,
        row in 0_usize..2,
        value in prop_oneof!["[ -~]{0,24}", "[0-9]{18}", "'[0-9]{1,18}", "[0-9]E[+]1[0-9]", "2[01]/11/2026", "[0-9.,$]{1,9}"],
    ) {
        let columns = [
            Column::Date, Column::TrackingKey, Column::Account, Column::Amount,
            Column::Issuer, Column::Receiver, Column::Id,
        ];
        // A first cell that isn't blank keeps its row a row, and no total.
        let write = |cells: &[String]| {
            let lines = cells.chunks(7).map(|row| {
                let cells: Vec<_> = row.iter().map(|cell| quoted(cell)).collect();
                format!("x,{}", cells.join(","))
            });
            format!("notas,{HEADER}\n{}\n", lines.collect::<Vec<_>>().join("\n"))
        };
        let mut replaced = cells.clone();
        replaced[7 * row + place].clone_from(&value);
        let correction = on_line(row as u64 + 2, columns[place], &value);
        let (rows, _, faults) = corrected(&write(&cells), &[correction]);
        prop_assert_eq!(rows, super::read(write(&replaced).as_bytes()));
        prop_assert_eq!(faults, []);
    }

    #[test]
    fn a_corrected_value_is_read_like_the_file_with_it_replaced_everywhere(
        ids in prop::collection::vec("[ab]{0,2}", 1..8), from in "[ab]{0,2}", to in "[abc']{0,3}",
    ) {
        let write = |ids: &[String]| {
            let rows = ids.iter().map(|id| {
                format!("x,2026-11-20,MBAN01002611200001234567,002010077777777771,1.00,,,{id}")
            });
            format!("notas,{HEADER}\n{}\n", rows.collect::<Vec<_>>().join("\n"))
        };
        let has = ids.contains(&from);
        let replaced = ids.iter().map(|id| if *id == from { &to } else { id });
        let replaced: Vec<_> = replaced.cloned().collect();
        let corrections = [with_value(&from, Column::Id, &to)];
        let (rows, _, faults) = corrected(&write(&ids), &corrections);
        // A mark of text that nothing follows is a cell of its own, and empty where a correction leaves it.
        let read = |rows: Vec<SheetRow>| -> Vec<_> {
            rows.into_iter().map(|row| (row.line, row.id, row.query)).collect()
        };
        prop_assert_eq!(read(rows), read(super::read(write(&replaced).as_bytes())));
        prop_assert_eq!(faults.is_empty(), has);
    }
}
