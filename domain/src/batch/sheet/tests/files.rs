//! Files as programs write them: one table in the form of each, with made-up payments.

use rstest::rstest;

use super::*;

/// The lines of the rows, their ids and their questions, spelt as the API wants them.
fn plain(file: &[u8]) -> Vec<(u64, String, String)> {
    let spell = |row: SheetRow| {
        let query = row.query.unwrap();
        let text = format!(
            "{} {} {} {} {} {}",
            query.date,
            query.tracking_key,
            query.account.as_str(),
            query.amount,
            query.issuer.unwrap(),
            query.receiver.unwrap(),
        );
        (row.line, row.id.unwrap(), text)
    };
    read(file).into_iter().map(spell).collect()
}

#[rstest]
#[case::excel_in_mexico(
    include_bytes!("../../../../data/tables/excel-mexico.csv"),
    Encoding::Windows1252, Separator::Comma
)]
#[case::excel_in_utf8(
    include_bytes!("../../../../data/tables/excel-mexico-utf8.csv"),
    Encoding::Utf8, Separator::Comma
)]
#[case::unicode_text_of_excel(
    include_bytes!("../../../../data/tables/excel-unicode-text.txt"),
    Encoding::Utf16Le, Separator::Tab
)]
#[case::excel_with_a_decimal_comma(
    include_bytes!("../../../../data/tables/excel-decimal-comma.csv"),
    Encoding::Windows1252, Separator::Semicolon
)]
#[case::excel_on_an_old_mac(
    include_bytes!("../../../../data/tables/excel-mac.csv"),
    Encoding::Windows1252, Separator::Comma
)]
#[case::libreoffice(
    include_bytes!("../../../../data/tables/libreoffice.csv"),
    Encoding::Utf8, Separator::Comma
)]
#[case::google_sheets(
    include_bytes!("../../../../data/tables/google-sheets.csv"),
    Encoding::Utf8, Separator::Comma
)]
fn one_table_is_read_alike_from_every_program(
    #[case] file: &[u8],
    #[case] encoding: Encoding,
    #[case] separator: Separator,
) {
    let sheet = open(file).unwrap();
    assert_eq!((sheet.encoding(), sheet.separator()), (encoding, separator));
    let ignored: Vec<_> = sheet
        .columns()
        .iter()
        .filter(|it| it.column.is_none())
        .collect();
    assert_eq!(ignored.len(), 1);
    assert_eq!(ignored[0].header.to_lowercase(), "concepto");

    let expected = [
        "F-001 2026-11-20 MBAN01002611200001234567 002010012345678908 1234.56 40012 40002",
        "F-002 2026-11-19 8846CAP2202611190123456789 012180001122334451 0.45 40072 40012",
        "F-003 2026-11-05 BNET01002611050000000042 072580009988776659 12345678.90 40012 40072",
        "F-004 2026-02-03 00202602030000000000000007 646180110000000009 1000.00 40002 90646",
    ];
    // A line before the header says the separator.
    let first = match separator {
        Separator::Semicolon => 3,
        _ => 2,
    };
    let rows = plain(file);
    assert_eq!(rows.len(), expected.len());
    for (index, ((line, id, text), expected)) in rows.iter().zip(expected).enumerate() {
        assert_eq!(*line, first + index as u64);
        assert_eq!(format!("{id} {text}"), expected);
    }
}

#[test]
fn numbers_that_excel_damaged_are_told_from_typing_errors() {
    let rows = read(include_bytes!("../../../../data/tables/excel-damaged.csv"));
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
        assert_eq!(query.tracking_key.as_str(), "202602030000123000");
        assert_eq!(query.account.as_str(), "002010012345678908");
    }
    assert_eq!(rows.len(), 8);
}
