//! What programs write, and the same table as CSV.

use rstest::rstest;

use super::*;

/// `domain/data/tables/libreoffice.csv`, which `LibreOffice` 7.4 converted.
#[rstest]
#[case("libreoffice.xlsx")]
#[case("libreoffice.xls")]
#[case("libreoffice.ods")]
#[case("libreoffice-page.xls")]
fn one_table_is_the_same_in_every_format(#[case] program: &str) {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../domain/data/tables");
    let csv = std::fs::read(tables.join("libreoffice.csv")).unwrap();
    let csv = Sheet::open(&csv, &ColumnMapping::default()).unwrap();
    let (expected, _) = payments_of(&csv);
    assert_eq!(expected.len(), 4);
    let sheet = choose(written_by(program)).unwrap();
    let (read, passed_over) = payments(&sheet.rows);
    assert_eq!(read, expected);
    assert!(passed_over.is_empty());
}

/// openpyxl writes texts into their cells, and formulas without values.
#[test]
fn a_workbook_with_titles_damaged_accounts_and_a_total_is_read() {
    let sheet = choose(written_by("openpyxl.xlsx")).unwrap();
    assert_eq!((&*sheet.name, sheet.names.len()), ("Pagos noviembre", 1));
    let (read, passed_over) = payments(&sheet.rows);
    assert_eq!(
        (read.len(), passed_over),
        (60, vec![(66, PassedOver::Total)])
    );
    let damaged = read.iter().filter(|row| row.query.is_err());
    let damaged: Vec<_> = damaged.map(|row| format!("{:?}", row.query)).collect();
    assert!(
        damaged
            .iter()
            .all(|errors| errors.contains("significant: 15")),
        "{damaged:?}"
    );
    assert!((1..30).contains(&damaged.len()), "{damaged:?}");
}

#[test]
fn cells_of_every_kind_are_read() {
    let sheet = r#"<row r="3"><c r="A3" t="s"><v>0</v></c><c r="C3"><f>1+1</f><v>2</v></c>
        <c r="D3" t="b"><v>1</v></c><c r="E3" t="e"><v>#N/A</v></c><c r="F3" t="d"><v>2026-11-20T10:53:00</v></c>
        <c r="G3" t="str"><f>A3</f><v>x &amp; y</v></c><c r="H3"/></row>
        <row r="2"><c t="inlineStr"><is><t>first</t></is></c></row>"#;
    let file = xlsx(sheet, "<si><t>shared</t></si>");
    let mut workbook = WorkbookFiles.open(file).unwrap();
    assert_eq!(workbook.sheets(), ["Pagos"]);
    let cells = vec![
        (0, text("shared")),
        (2, WorkbookCell::Number(2.0)),
        (3, text("true")),
        (4, text("#N/A")),
        (5, WorkbookCell::Date("2026-11-20".parse().unwrap())),
        (6, text("x & y")),
    ];
    let rows = workbook.rows(0).unwrap();
    let [first, second] = &rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!(
        first,
        &WorkbookRow {
            number: 2,
            cells: vec![(0, text("first"))]
        }
    );
    assert_eq!(second, &WorkbookRow { number: 3, cells });
}

#[test]
fn repetitions_comments_and_blanks_of_opendocument_are_read() {
    let file = ods(
        "<table:table-row table:number-rows-repeated='3'><table:table-cell/></table:table-row>\
         <table:table-row table:number-rows-repeated='2'>\
         <table:table-cell table:number-columns-repeated='2'/>\
         <table:table-cell office:value-type='float' office:value='1.5' table:number-columns-repeated='2'>\
         <text:p>1,50</text:p></table:table-cell>\
         <table:covered-table-cell/>\
         <table:table-cell office:value-type='string'><office:annotation><text:p>no</text:p></office:annotation>\
         <text:p>a<text:s text:c='2'/>&amp;</text:p><text:p>b</text:p></table:table-cell>\
         <table:table-cell office:value-type='date' office:date-value='2026-11-20T09:30:00'/>\
         <table:table-cell table:number-columns-repeated='16000'/></table:table-row>",
    );
    let rows = WorkbookFiles.open(file).unwrap().rows(0).unwrap();
    let cells = vec![
        (2, WorkbookCell::Number(1.5)),
        (3, WorkbookCell::Number(1.5)),
        (5, text("a  &\nb")),
        (6, WorkbookCell::Date("2026-11-20".parse().unwrap())),
    ];
    let row = |number| WorkbookRow {
        number,
        cells: cells.clone(),
    };
    assert_eq!(rows, [row(4), row(5)]);
}

#[test]
fn tables_of_a_page_are_read() {
    let page = "<html><body><table><tr><th colspan=2>T&iacute;tulo</th><th>Monto</table>\
                <table><tr><td>1</td><td></td><td> a <b>b</b><br><script>0</script>c</td></tr></table>";
    let rows = WorkbookFiles.open(page.into()).unwrap().rows(0).unwrap();
    let cells = |cells: &[(usize, &str)]| {
        let cells = cells.iter().map(|(column, it)| (*column, text(it)));
        cells.collect::<Vec<_>>()
    };
    let rows: Vec<_> = rows.into_iter().map(|row| row.cells).collect();
    assert_eq!(
        rows,
        [
            cells(&[(0, "Título"), (2, "Monto")]),
            cells(&[(0, "1"), (2, "a b c")])
        ]
    );
}
