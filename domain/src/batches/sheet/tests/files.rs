//! Files as programs write them: one table in the form of each, with made-up payments.

use rstest::rstest;

use super::super::encoding::{Encoding, Text};
use super::super::separator::Separator;
use super::*;
use Encoding::{Utf8, Utf16Le, Windows1252};
use Separator::{Comma, Semicolon, Tab};

/// The lines of the rows, and their ids and questions, spelt as the API wants them.
fn plain(file: &[u8]) -> Vec<(u64, String)> {
    let spell = |row: SheetRow| {
        let query = row.query.unwrap();
        let text = format!(
            "{} {} {} {} {} {} {}",
            row.id.unwrap(),
            query.date,
            query.criterion,
            query.account.as_str(),
            query.amount,
            query.issuer.unwrap(),
            query.receiver.unwrap(),
        );
        (row.line, text)
    };
    read(file).into_iter().map(spell).collect()
}

/// A file of `data/tables`.
fn table(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tables");
    std::fs::read(format!("{folder}/{name}")).unwrap()
}

#[rstest]
#[case::excel_in_mexico("excel-mexico.csv", Windows1252, Comma)]
#[case::excel_in_utf8("excel-mexico-utf8.csv", Utf8, Comma)]
#[case::unicode_text_of_excel("excel-unicode-text.txt", Utf16Le, Tab)]
#[case::excel_with_a_decimal_comma("excel-decimal-comma.csv", Windows1252, Semicolon)]
#[case::excel_on_an_old_mac("excel-mac.csv", Windows1252, Comma)]
#[case::libreoffice("libreoffice.csv", Utf8, Comma)]
#[case::google_sheets("google-sheets.csv", Utf8, Comma)]
fn one_table_is_read_alike_from_every_program(
    #[case] name: &str,
    #[case] encoding: Encoding,
    #[case] separator: Separator,
) {
    let file = &table(name);
    let sheet = open(file).unwrap();
    let (_, detected) = Text::of(file);
    assert_eq!((detected, sheet.separator()), (encoding, Some(separator)));
    let ignored = sheet.columns().iter().filter(|it| it.column.is_none());
    let ignored: Vec<_> = ignored.map(|it| it.header.to_lowercase()).collect();
    assert_eq!(ignored, ["concepto"]);

    let expected = [
        "F-001 2026-11-20 MBAN01002611200001234567 002010012345678908 1234.56 40012 40002",
        "F-002 2026-11-19 8846CAP2202611190123456789 012180001122334451 0.45 40072 40012",
        "F-003 2026-11-05 BNET01002611050000000042 072580009988776659 12345678.90 40012 40072",
        "F-004 2026-02-03 00202602030000000000000007 646180110000000009 1000.00 40002 90646",
    ];
    // A line before the header says the separator.
    let first = if separator == Semicolon { 3 } else { 2 };
    let numbered = (first..).zip(expected.map(str::to_owned));
    assert_eq!(plain(file), numbered.collect::<Vec<_>>());
}

#[test]
fn numbers_that_excel_damaged_are_told_from_typing_errors() {
    let rows = read(&table("excel-damaged.csv"));
    let errors: Vec<_> = rows[..6].iter().map(error).collect();
    let expected = [
        ("cuenta", CellErrorKind::Shortened { significant: 6 }),
        ("clave_rastreo", CellErrorKind::Shortened { significant: 8 }),
        ("cuenta", CellErrorKind::LeadingZerosLost { zeros: 2 }),
        ("cuenta", CellErrorKind::LeadingZerosLost { zeros: 1 }),
        ("cuenta", CellErrorKind::Rounded),
        ("clave_rastreo", CellErrorKind::Rounded),
    ];
    assert_eq!(errors, expected);
    // Guarded as text.
    for row in &rows[6..] {
        let query = row.query.as_ref().unwrap();
        assert_eq!(query.criterion.to_string(), "202602030000123000");
        assert_eq!(query.account.as_str(), "002010012345678908");
    }
    assert_eq!(rows.len(), 8);
}
