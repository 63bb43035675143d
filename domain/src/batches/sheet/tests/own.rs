//! The caller's own columns and cells.

use super::*;

fn own(file: &str) -> Vec<(String, Option<Column>)> {
    let sheet = open(file.as_bytes()).unwrap();
    let columns = sheet.rows(rules()).own_columns().into_iter();
    columns.map(|own| (own.header, own.column)).collect()
}

fn named(column: &str) -> (String, Option<Column>) {
    (column.to_owned(), Column::from_name(column))
}

#[test]
fn each_column_is_kept_with_the_cells_as_they_came() {
    let file = "Nota,Fecha,Rastreo,CLABE,Importe,Vacía\n\
        \" a\u{7} \",20/11/2026,MBAN01,'002010077777777771,\"$1,000.00\",\n";
    let columns = own(file);
    let headers = ["Nota", "Fecha", "Rastreo", "CLABE", "Importe", "Vacía"];
    assert!(columns.iter().map(|(header, _)| &**header).eq(headers));
    assert_eq!(columns[3].1, Some(Column::Account));
    assert_eq!(columns[0].1, None);
    let cells = [
        "a",
        "20/11/2026",
        "MBAN01",
        "'002010077777777771",
        "$1,000.00",
    ];
    assert_eq!(read(file.as_bytes())[0].cells, cells);
}

#[test]
fn long_cells_are_cut_off_and_marked_and_no_more_than_a_hundred_columns_are_kept() {
    let notes = vec!["nota"; 200].join(",");
    let values = vec!["x"; 200].join(",");
    let file = format!(
        "texto,fecha,rastreo,clabe,monto,{notes}\n{},20/11/2026,MBAN01,002010077777777771,1.00,{values}\n",
        "é".repeat(1_991)
    );
    assert_eq!(own(&file).len(), 100);
    let cells = &read(file.as_bytes())[0].cells;
    // Those of the question stand whole, whatever stands before them.
    assert_eq!(
        cells[1..5],
        ["20/11/2026", "MBAN01", "002010077777777771", "1.00"]
    );
    assert_eq!(cells[0], "é".repeat(1_961) + "…");
    assert_eq!(cells[5..], vec!["…"; 95]);
}

/// Of results, the caller's columns alone are the caller's.
#[test]
fn columns_of_results_are_no_columns_of_the_caller() {
    let csv = "fila,id,estado,estado_codigo,fecha,clave_rastreo,cuenta,monto,consulta,concepto\n";
    let expected = ["id", "fecha", "clave_rastreo", "cuenta", "monto"].map(named);
    assert_eq!(own(csv), expected);
    for begin in RESULTS_BEGIN {
        let file = format!(
            "Fecha,Rastreo,CLABE,Importe,Nota,{begin},Fecha de abono,estado_codigo,consulta\n"
        );
        let headers: Vec<_> = own(&file).into_iter().map(|(header, _)| header).collect();
        assert_eq!(headers, ["Fecha", "Rastreo", "CLABE", "Importe", "Nota"]);
    }
    // Columns of such names that stand before them are the caller's, and tell nothing.
    let file = format!(
        "fecha,clave_rastreo,cuenta,monto,estado_codigo,consulta,{},estado_codigo,consulta\n",
        RESULTS_BEGIN[0]
    );
    let columns = own(&file);
    assert_eq!(
        columns[4..],
        [
            ("estado_codigo".to_owned(), None),
            ("consulta".to_owned(), None)
        ]
    );
    let sheet = open(file.as_bytes()).unwrap();
    let state = sheet
        .columns()
        .iter()
        .find(|place| place.column == Some(Column::State));
    assert_eq!(state.map(|place| place.number), Some(8));
    // A table of people may have such a column.
    let people = own("fecha,clave_rastreo,cuenta,monto,estado\n");
    assert_eq!(people[4], ("estado".to_owned(), None));
}

#[test]
fn the_lookup_of_a_row_of_results_is_read() {
    let id = "01980000-0000-7000-8000-000000000001";
    let of = |begin: &str, id: &str| {
        let file = format!(
            "fecha,clave_rastreo,cuenta,monto,{begin},consulta\n20/11/2026,MBAN01,002010077777777771,1.00,x,{id}\n"
        );
        read(file.as_bytes())[0].lookup.map(|id| id.to_string())
    };
    for begin in ["nota", RESULTS_BEGIN[0]] {
        assert_eq!(of(begin, id).as_deref(), Some(id));
        assert_eq!(of(begin, "x"), None);
    }
}

#[test]
fn columns_are_found_again_if_their_headers_tell_them() {
    let of = |file: &'static str, mapping: &str| {
        let sheet = mapped(file, mapping).unwrap();
        OwnColumn::are_found_again(&sheet.rows(rules()).own_columns())
    };
    assert!(of(
        "Fecha,Rastreo,CLABE,Importe,Fecha de abono del CEP\n",
        ""
    ));
    assert!(of("Fecha,Concepto,Cargo,Abono,fecha_x\n", ""));
    assert!(!of("Fecha,Clave,CLABE,Importe\n", "clave_rastreo:2"));
    assert!(!of(
        "20/11/2026,MBAN01,5512345678,1.00\n",
        "fecha:1,clave_rastreo:2,cuenta:3,monto:4"
    ));
    assert!(OwnColumn::are_found_again(&OwnColumn::of_api()));
    assert!(!OwnColumn::are_found_again(&[]));
}

#[test]
fn corrected_cells_are_the_callers_cells_and_a_missing_column_is_added() {
    let file = "Nota,Fecha,Rastreo,CLABE,Importe\na,20/11/2026,MBAN01,123,1.00\nb,20/11/2026,MBAN02,5512345678,2.00\n";
    let sheet = open(file.as_bytes()).unwrap();
    let correction = |rows, column, value: &str| Correction {
        rows,
        column,
        value: value.to_owned(),
    };
    let corrections = [
        correction(
            CorrectedRows::OnLine(2),
            Column::Account,
            "002010077777777771",
        ),
        correction(CorrectedRows::OnLine(3), Column::Receiver, "40012"),
    ];
    let mut rows = sheet.rows(rules()).corrected_by(&corrections);
    let cells: Vec<_> = rows.by_ref().map(|row| row.cells).collect();
    assert_eq!(
        cells[0],
        ["a", "20/11/2026", "MBAN01", "002010077777777771", "1.00"]
    );
    assert_eq!(
        cells[1],
        ["b", "20/11/2026", "MBAN02", "5512345678", "2.00", "40012"]
    );
    assert_eq!(
        rows.own_columns()[5],
        OwnColumn {
            header: "receptor".to_owned(),
            column: Some(Column::Receiver)
        }
    );
}

#[test]
fn kept_cells_have_the_values_that_spreadsheets_show() {
    let date = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
    for (cell, value) in [
        ("", OwnValue::Empty),
        (" ", OwnValue::Empty),
        ("'007", OwnValue::Text("007")),
        ("=\"12\"", OwnValue::Text("12")),
        ("007", OwnValue::Text("007")),
        ("0", OwnValue::Number(0.0)),
        ("-0.5", OwnValue::Number(-0.5)),
        ("1234.50", OwnValue::Number(1234.5)),
        ("12345678901234", OwnValue::Number(12_345_678_901_234.0)),
        ("1234567890123456", OwnValue::Text("1234567890123456")),
        ("1,000", OwnValue::Text("1,000")),
        ("1.", OwnValue::Text("1.")),
        ("2026-11-20", OwnValue::Date(date)),
        ("2026-11-31", OwnValue::Text("2026-11-31")),
        ("+2026-11-20", OwnValue::Text("+2026-11-20")),
    ] {
        assert_eq!(OwnValue::of(cell), value, "{cell}");
    }
}
