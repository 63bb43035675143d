//! Files that are cut off, encrypted, or larger than they look.

use std::time::{Duration, Instant};

use cfb::CompoundFile;
use rstest::rstest;

use super::*;

/// Longest time that a hostile file takes; a build for tests is slow.
const SOON: Duration = Duration::from_secs(20);

pub(crate) fn files() -> Vec<(&'static str, Bytes, WorkbookError)> {
    use WorkbookError::{Encrypted, TooLarge, Unreadable};
    let zeros = vec![0; 33 << 20];
    let parts: Vec<_> = (0..1_001)
        .map(|number| format!("xl/{number}.xml"))
        .collect();
    let parts: Vec<_> = parts.iter().map(|name| (&**name, &b""[..])).collect();
    let long = "a".repeat(30_000);
    let of_one_text = r#"<row><c t="s"><v>0</v></c></row>"#.repeat(2_000);
    let many = "<row><c><v>1</v></c></row>".repeat(500_001);
    let million = "<table:table-row table:number-rows-repeated='1048576'><table:table-cell \
                   table:number-columns-repeated='16384' office:value-type='float' office:value='1'/>\
                   </table:table-row>";
    vec![
        ("a bomb", zip(&[("xl/workbook.xml", &zeros)]), TooLarge),
        ("many parts", zip(&parts), TooLarge),
        (
            "many shared texts",
            xlsx("", &"<si><t/></si>".repeat(1_400_000)),
            TooLarge,
        ),
        (
            "one shared text, repeated",
            xlsx(&of_one_text, &format!("<si><t>{long}</t></si>")),
            TooLarge,
        ),
        ("many cells", xlsx(&many, ""), TooLarge),
        ("repetitions", ods(million), TooLarge),
        ("a far corner of an older workbook", corners(), TooLarge),
        (
            "rows without cells",
            xlsx(&"<row/>".repeat(6_000_000), ""),
            TooLarge,
        ),
        (
            "a large page",
            format!("<table>{}", "<tr><td>".repeat(1 << 20) + "<tr>").into(),
            TooLarge,
        ),
        (
            "two cells at one place",
            xlsx(
                r#"<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>"#,
                "",
            ),
            Unreadable,
        ),
        ("two sheets of one name", two_sheets(), Unreadable),
        (
            "two tables in one sheet",
            xlsx(&format!("{ROW}</sheetData><sheetData>{ROW}"), ""),
            Unreadable,
        ),
        (
            "a second table without rows",
            xlsx(&format!("{ROW}</sheetData><x/><sheetData>"), ""),
            Unreadable,
        ),
        (
            "a number of repetitions that no program writes",
            ods(
                "<table:table-row table:number-rows-repeated='99999999999999999999'>\
                 <table:table-cell office:value-type='float' office:value='1'/></table:table-row>",
            ),
            TooLarge,
        ),
        ("another ZIP", zip(&[("a.xml", b"<a/>")]), Unreadable),
        (
            "no end of a ZIP",
            b"PK\x03\x04".as_slice().into(),
            Unreadable,
        ),
        ("a compound file", compound("WordDocument", b""), Unreadable),
        (
            "an older workbook with a password",
            compound("Workbook", &[0x2f, 0, 0, 0]),
            Encrypted,
        ),
        ("a newer one", compound("EncryptedPackage", b"x"), Encrypted),
        (
            "OpenDocument with a password",
            zip(&[
                ("content.xml", b"?"),
                (
                    "META-INF/manifest.xml",
                    b"<m><manifest:encryption-data/></m>",
                ),
            ]),
            Encrypted,
        ),
    ]
}

const ROW: &str = r#"<row r="1"><c r="A1"><v>1</v></c></row>"#;

fn two_sheets() -> Bytes {
    let sheets = r#"<sheet name="Pagos" sheetId="1" state="hidden" r:id="rId1"/><sheet name="Pagos" sheetId="2" r:id="rId1"/>"#;
    xlsx_of(sheets, "<sheetData/>", "")
}

fn compound(stream: &str, content: &[u8]) -> Bytes {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream(stream)
        .unwrap()
        .write_all(content)
        .unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner().into()
}

/// Two cells of one sheet, at its corners.
fn corners() -> Bytes {
    let mut records = vec![0x09, 0x08, 4, 0, 0, 6, 0x10, 0];
    for [row, column] in [[0_u16, 0], [65_535, 255]] {
        records.extend([0x7e, 0x02, 10, 0]);
        records.extend(row.to_le_bytes());
        records.extend(column.to_le_bytes());
        records.extend([0; 6]);
    }
    compound("Workbook", &records)
}

#[test]
fn a_hostile_workbook_is_refused_in_time() {
    for (name, file, expected) in files() {
        let begun = Instant::now();
        assert_eq!(choose(file).unwrap_err(), expected, "{name}");
        assert!(begun.elapsed() < SOON, "{name}: {:?}", begun.elapsed());
    }
}

/// Cells far from each other cost no more than others.
#[test]
fn a_far_corner_takes_the_room_of_one_cell() {
    let sheet = r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    let rows = WorkbookFiles
        .open(xlsx(sheet, ""))
        .unwrap()
        .rows(0)
        .unwrap();
    assert_eq!(rows[1].cells, [(16_383, WorkbookCell::Number(2.0))]);
    let far = "<table:table-row table:number-rows-repeated='1048575'><table:table-cell/></table:table-row>\
               <table:table-row><table:table-cell table:number-columns-repeated='16383'/>\
               <table:table-cell office:value-type='float' office:value='2'/></table:table-row>";
    let rows = WorkbookFiles.open(ods(far)).unwrap().rows(0).unwrap();
    assert_eq!((rows.len(), rows[0].number), (1, 1_048_576));
    assert_eq!(rows[0].cells, [(16_383, WorkbookCell::Number(2.0))]);
}

#[rstest]
#[case("libreoffice.xlsx")]
#[case("libreoffice.xls")]
#[case("libreoffice.ods")]
#[case("libreoffice-page.xls")]
fn a_file_that_is_cut_off_or_changed_is_an_error_or_read(#[case] program: &str) {
    let file = written_by(program);
    for end in (0..file.len()).step_by(file.len() / 50) {
        let _ = choose(file.slice(..end));
        let mut changed = file.to_vec();
        changed[end] ^= 0x55;
        let _ = choose(changed.into());
    }
}
