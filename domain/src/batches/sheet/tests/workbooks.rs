//! Sheets of workbooks, and totals of any table.

use chrono::NaiveDate;
use rstest::rstest;

use super::*;

const HEADER: [&str; 5] = ["Fecha", "Clave de rastreo", "CLABE", "Importe", "Folio"];
const KEY: &str = "MBAN01002611200001234567";
const CLABE: &str = "002010077777777771";

fn text(text: &str) -> WorkbookCell {
    WorkbookCell::Text(text.to_owned())
}

fn texts(number: u32, texts: &[&str]) -> WorkbookRow {
    let cells = texts.iter().map(|it| text(it)).enumerate();
    WorkbookRow {
        number,
        cells: cells.filter(|(_, cell)| *cell != text("")).collect(),
    }
}

fn payment(number: u32, account: WorkbookCell, amount: f64) -> WorkbookRow {
    let date = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
    let amount = WorkbookCell::Number(amount);
    let cells = [
        WorkbookCell::Date(date),
        text(KEY),
        account,
        amount,
        text("F-1"),
    ];
    WorkbookRow {
        number,
        cells: cells.into_iter().enumerate().collect(),
    }
}

fn read(rows: &[WorkbookRow]) -> Vec<SheetRow> {
    let sheet = Sheet::of_workbook(rows, &ColumnMapping::default()).unwrap();
    sheet.rows(rules()).collect()
}

#[test]
fn typed_cells_below_a_title_are_read() {
    let rows = [
        texts(1, &["COMERCIALIZADORA"]),
        texts(5, &HEADER),
        payment(6, text(CLABE), 1_234.5),
        texts(7, &["", "  "]),
        payment(9, text(CLABE), 100.0),
        texts(12, &["", "", "", "", "", "", "a note beside the table"]),
    ];
    let read = read(&rows);
    assert_eq!(
        read.iter().map(|row| row.line).collect::<Vec<_>>(),
        [6, 9, 12]
    );
    for (row, amount) in read.iter().zip(["1234.50", "100.00"]) {
        let query = row.query.as_ref().unwrap();
        assert_eq!(query.date.to_string(), "2026-11-20");
        assert_eq!(query.amount.to_string(), amount);
        assert_eq!(row.id.as_deref(), Some("F-1"));
    }
    assert!(read[2].query.is_err());
}

/// A date whose cell has the format of numbers.
#[test]
fn a_number_in_the_column_of_dates_is_a_day() {
    let mut row = payment(2, text(CLABE), 1.0);
    for number in [46_346.0, 46_346.453_7] {
        row.cells[0].1 = WorkbookCell::Number(number);
        let read = read(&[texts(1, &HEADER), row.clone()]).remove(0);
        assert_eq!(read.query.unwrap().date.to_string(), "2026-11-20");
    }
}

/// A text keeps its digits, whatever they are; a number has lost those after the 15th.
#[rstest]
#[case(text("002010077777777000"), None)]
#[case(WorkbookCell::Number(4.418_022_250_919_908e16), Some(CellErrorKind::Shortened { significant: 15 }))]
#[case(WorkbookCell::Number(5_512_345_678.0), None)]
fn a_long_number_is_damaged_and_a_text_is_not(
    #[case] account: WorkbookCell,
    #[case] expected: Option<CellErrorKind>,
) {
    let rows = [texts(1, &HEADER), payment(2, account, 1.0)];
    let row = read(&rows).remove(0);
    let damage = match &row.query {
        Ok(_) => None,
        Err(_) => Some(error(&row).1),
    };
    assert_eq!(damage, expected);
}

#[test]
fn an_amount_with_more_digits_than_a_number_keeps_is_no_other_amount() {
    for amount in [1e15, 9_007_199_254_740_993.0, 12_345_678_901_234.56] {
        let rows = [texts(1, &HEADER), payment(2, text(CLABE), amount)];
        let expected = CellErrorKind::Shortened { significant: 15 };
        assert_eq!(error(&read(&rows)[0]), ("monto", expected));
    }
    let rows = [
        texts(1, &HEADER),
        payment(2, text(CLABE), 999_999_999_999_999.0),
    ];
    let query = read(&rows).remove(0).query.unwrap();
    assert_eq!(query.amount.to_string(), "999999999999999.00");
}

#[test]
fn totals_are_passed_over_and_listed() {
    let totals = [
        ",,,63.00,",
        "TOTAL,,,63.00,",
        "Gran total:,,,63.00,",
        "Subtotal de noviembre,,,1.00,",
        ",Suma,,63.00,",
    ];
    for (number, total) in totals.into_iter().enumerate() {
        let file = format!("fecha,rastreo,clabe,monto,nota\n{total}\n");
        let sheet = open(file.as_bytes()).unwrap();
        let mut rows = sheet.rows(rules());
        assert_eq!(rows.next().is_some(), number == 0, "{total}");
        let expected = [(2, PassedOver::Total)];
        let expected = if number == 0 { &[][..] } else { &expected };
        assert_eq!(rows.passed_over(), expected, "{total}");
    }
    for payment in [
        "2026-11-20,TOTAL,002010077777777771,1.00,",
        "TOTAL,,002010077777777771,1.00,",
        "Total Play pago de la quincena del mes,,,1.00,",
    ] {
        let file = format!("fecha,rastreo,clabe,monto,nota\n{payment}\n");
        let sheet = open(file.as_bytes()).unwrap();
        let mut rows = sheet.rows(rules());
        assert!(rows.next().is_some(), "{payment}");
        assert!(rows.passed_over().is_empty(), "{payment}");
    }
}

fn choose(wanted: Option<&str>) -> Result<ChosenSheet, WorkbookError> {
    let names = ["Portada", "Pagos", "Otros pagos"].map(str::to_owned);
    let sheets = [
        vec![texts(1, &["Reporte de pagos"])],
        vec![texts(1, &HEADER)],
        vec![texts(2, &HEADER)],
    ];
    let read = |index: usize| Ok(sheets[index].clone());
    ChosenSheet::of(&names, wanted, &ColumnMapping::default(), read)
}

#[test]
fn the_first_sheet_whose_header_fits_is_chosen_or_the_named_one() {
    assert_eq!(choose(None).unwrap().name, "Pagos");
    assert_eq!(choose(Some(" Otros pagos ")).unwrap().rows[0].number, 2);
    assert_eq!(choose(Some("Portada")).unwrap().name, "Portada");
    assert!(choose(None).unwrap().others.is_empty(), "no rows");
    let unknown = choose(Some("Hoja1")).unwrap_err();
    assert!(matches!(unknown, WorkbookError::NoSuchSheet { sheets, .. } if sheets.len() == 3));
}

#[test]
fn without_a_sheet_that_fits_the_nearest_says_why() {
    let names = ["a", "b"].map(str::to_owned);
    let of = |sheets: [Vec<WorkbookRow>; 2]| {
        let read = |index: usize| Ok(sheets[index].clone());
        ChosenSheet::of(&names, None, &ColumnMapping::default(), read).unwrap_err()
    };
    let empty = of([vec![], vec![]]);
    assert!(matches!(
        empty,
        WorkbookError::Sheet {
            error: SheetError::Empty,
            ..
        }
    ));
    let error = of([
        vec![texts(1, &["Reporte"])],
        vec![texts(3, &["fecha", "total"])],
    ]);
    let WorkbookError::Sheet { error, sheets } = error else {
        panic!("{error:?}");
    };
    let SheetError::MissingColumns { columns, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!((columns.len(), sheets), (2, names.to_vec()));
    let empty_first = of([vec![], vec![texts(3, &["fecha", "total"])]]);
    assert!(matches!(
        empty_first,
        WorkbookError::Sheet {
            error: SheetError::MissingColumns { .. },
            ..
        }
    ));
}

#[test]
fn workbooks_are_told_by_their_first_bytes() {
    for file in [
        &b"PK\x03\x04rest"[..],
        b"\xd0\xcf\x11\xe0rest",
        b"\xef\xbb\xbf \n<HTML><body><table>",
        b"<?xml version='1.0'?><table>",
    ] {
        assert!(is_workbook(file), "{file:?}");
    }
    for file in [&b""[..], b"fecha,<table>", b"%PDF-1.7", b"<a>"] {
        assert!(!is_workbook(file), "{file:?}");
    }
}

#[test]
fn other_sheets_with_payments_are_told() {
    let names = ["Semana 1", "Notas", "Semana 2", "Semana 3"].map(str::to_owned);
    let payments = |line| vec![texts(line, &HEADER), payment(line + 1, text(CLABE), 1.0)];
    let sheets = [payments(1), vec![], payments(3), vec![texts(1, &HEADER)]];
    let read = |index: usize| Ok(sheets[index].clone());
    let mapping = ColumnMapping::default();
    let sheet = ChosenSheet::of(&names, None, &mapping, read).unwrap();
    assert_eq!(
        (&*sheet.name, sheet.others),
        ("Semana 1", vec!["Semana 2".to_owned()])
    );
    let second = ChosenSheet::of(&names, Some("Semana 2"), &mapping, read).unwrap();
    assert_eq!((second.rows[0].number, second.others.len()), (3, 0));
    // One that can't be read doesn't spoil the first.
    let broken = |index: usize| match index {
        0 => Ok(sheets[0].clone()),
        _ => Err(WorkbookError::TooLarge),
    };
    let sheet = ChosenSheet::of(&names, None, &mapping, broken).unwrap();
    assert_eq!(sheet.name, "Semana 1");
}
