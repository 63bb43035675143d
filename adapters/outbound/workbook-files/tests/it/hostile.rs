//! Files that are cut off, encrypted, or larger than they look.

use std::time::{Duration, Instant};

use cfb::CompoundFile;
use rstest::rstest;

use super::*;
use WorkbookError::{Encrypted, TooLarge, Unreadable};

/// Longest time that a hostile file takes; a build for tests is slow.
const SOON: Duration = Duration::from_secs(20);

type Refused = (&'static str, Bytes, WorkbookError);

pub(crate) fn files() -> Vec<Refused> {
    [
        archives(),
        newer(),
        newer_parts(),
        opendocument(),
        pages(),
        older(),
    ]
    .concat()
}

fn archives() -> Vec<Refused> {
    let zeros = vec![0; 33 << 20];
    let parts: Vec<_> = (0..1_001)
        .map(|number| format!("xl/{number}.xml"))
        .collect();
    let parts: Vec<_> = parts.iter().map(|name| (&**name, &b""[..])).collect();
    let entries = [&b"PK\x03\x04"[..], &b"PK\x01\x02".repeat(100_000)].concat();
    let no_end = b"PK\x03\x04".as_slice();
    vec![
        ("a bomb", zip(&[("xl/workbook.xml", &zeros)]), TooLarge),
        ("many parts", zip(&parts), TooLarge),
        ("many entries", entries.into(), TooLarge),
        ("another ZIP", zip(&[("a.xml", b"<a/>")]), Unreadable),
        ("no end of a ZIP", no_end.into(), Unreadable),
    ]
}

fn newer() -> Vec<Refused> {
    let of_one_text = r#"<row><c t="s"><v>0</v></c></row>"#.repeat(2_000);
    let long = format!("<si><t>{}</t></si>", "a".repeat(30_000));
    let sheets = [
        ("rows without cells", "<row/>".repeat(4_500_000), TooLarge),
        (
            "many cells",
            "<row><c><v>1</v></c></row>".repeat(500_001),
            TooLarge,
        ),
        (
            "a long text",
            format!("<row><c><v>{}", "a".repeat(5 << 20)),
            TooLarge,
        ),
        ("elements in elements", "<a>".repeat(1_000_000), TooLarge),
        (
            "two cells at one place",
            r#"<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>"#.to_owned(),
            Unreadable,
        ),
        (
            "two tables in one sheet",
            format!("{ROW}</sheetData><sheetData>{ROW}"),
            Unreadable,
        ),
        (
            "a second table without rows",
            format!("{ROW}</sheetData><x/><sheetData>"),
            Unreadable,
        ),
    ];
    let sheets = sheets.map(|(name, sheet, error)| (name, xlsx(&sheet, ""), error));
    let repeated = (
        "one shared text, repeated",
        xlsx(&of_one_text, &long),
        TooLarge,
    );
    sheets.into_iter().chain([repeated]).collect()
}

/// Shared texts, styles and lists of sheets.
fn newer_parts() -> Vec<Refused> {
    let texts = "<si><t/></si>".repeat(600_000);
    let claim = [(
        "xl/sharedStrings.xml",
        &br#"<sst uniqueCount="1000000000000"/>"#[..],
    )];
    let long = "0".repeat(10_000);
    let long = format!(r#"<numFmts><numFmt numFmtId="200" formatCode="{long}"/></numFmts>"#);
    let of_long = styles(&long, r#"<xf numFmtId="200"/>"#, 10_000);
    let two_names =
        r#"<sheet name="1" sheetId="1" r:id="rId1"/><sheet name="2" sheetId="2" r:id="rId1"/>"#;
    let one_name = r#"<sheet name="1" sheetId="1" state="hidden" r:id="rId1"/><sheet name="1" sheetId="2" r:id="rId3"/>"#;
    let sheets = |list| xlsx_of(list, "<sheetData/>", "");
    vec![
        ("many shared texts", xlsx("", &texts), TooLarge),
        ("a claim of shared texts", zip(&claim), TooLarge),
        ("many styles", styles("", "<xf/>", 70_000), TooLarge),
        ("a long format in many styles", of_long, TooLarge),
        ("one part for two sheets", sheets(two_names), Unreadable),
        ("two sheets of one name", sheets(one_name), Unreadable),
    ]
}

fn opendocument() -> Vec<Refused> {
    let number = "office:value-type='float' office:value='1'";
    let repeated = |rows: &str, columns: &str| {
        ods(&format!(
            "<table:table-row table:number-rows-repeated='{rows}'><table:table-cell \
             table:number-columns-repeated='{columns}' {number}/></table:table-row>"
        ))
    };
    let manifest = b"<m><manifest:encryption-data/></m>";
    let encrypted = [
        ("content.xml", &b"?"[..]),
        ("META-INF/manifest.xml", manifest),
    ];
    let blanks = "<text:s text:c='100'/>".repeat(10_000);
    let blanks = format!(
        "<table:table-row><table:table-cell><text:p>{blanks}</text:p></table:table-cell></table:table-row>"
    );
    let tables = "</table:table><table:table>".repeat(1_000);
    vec![
        ("repetitions", repeated("1048576", "16384"), TooLarge),
        (
            "a number of repetitions that no program writes",
            repeated("99999999999999999999", "1"),
            TooLarge,
        ),
        ("blanks", ods(&blanks), TooLarge),
        ("many tables", ods(&tables), TooLarge),
        ("OpenDocument with a password", zip(&encrypted), Encrypted),
    ]
}

fn pages() -> Vec<Refused> {
    let pages = [
        (
            "a large page",
            format!("<table>{}", "<tr><td>".repeat(1 << 20) + "<tr>"),
        ),
        (
            "many attributes of a page",
            format!("<table><td {}>", "a b c d e f g h ".repeat(100_000)),
        ),
        (
            "a long cell of a page",
            format!("<table><tr><td>{}", "aaaa <b>".repeat(100_000)),
        ),
    ];
    pages
        .map(|(name, page)| (name, page.into(), TooLarge))
        .into()
}

fn older() -> Vec<Refused> {
    let begin = || record(0x809, &[0, 6, 0x10, 0]);
    let end = || record(0x0a, &[]);
    let mut all_rows = vec![0; 14];
    all_rows[4..8].fill(0xff);
    all_rows[10] = 1;
    let (first, last) = (|| cell(0, 0), || cell(65_535, 255));
    let sheet = |records: &[Vec<u8>]| biff(1, records);
    let corners = sheet(&[begin(), first(), last(), end()]);
    let chart = sheet(&[begin(), first(), begin(), end(), last(), end()]);
    let claim = sheet(&[begin(), record(0x200, &all_rows), end()]);
    let shared = biff(50, &[begin(), first(), cell(1_000, 99), end()]);
    let password = compound("Workbook", &record(0x2f, &[]));
    let package = compound("EncryptedPackage", b"x");
    vec![
        ("a far corner of an older workbook", corners, TooLarge),
        ("a chart between corners", chart, TooLarge),
        ("an older sheet that claims all rows", claim, TooLarge),
        ("older sheets of one place", shared, TooLarge),
        ("an older workbook with a password", password, Encrypted),
        ("a newer one", package, Encrypted),
        ("a compound file", compound("WordDocument", b""), Unreadable),
    ]
}

const ROW: &str = r#"<row r="1"><c r="A1"><v>1</v></c></row>"#;

fn styles(before: &str, style: &str, times: usize) -> Bytes {
    let styles = format!("<styleSheet>{before}<cellXfs>{}", style.repeat(times));
    zip(&[("xl/styles.xml", styles.as_bytes())])
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

/// An older workbook of some sheets with these records, of which each claims the same place.
fn biff(sheets: usize, records: &[Vec<u8>]) -> Bytes {
    let place = u32::try_from(8 + sheets * 13 + 4).unwrap();
    let mut stream = record(0x809, &[0, 6, 5, 0]);
    for number in 0..sheets {
        let name = u8::try_from(number % 256).unwrap();
        let place = place.to_le_bytes();
        stream.extend(record(0x85, &[&place[..], &[0, 0, 1, 0, name]].concat()));
    }
    stream.extend(record(0x0a, &[]));
    stream.extend(records.concat());
    compound("Workbook", &stream)
}

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    [&kind.to_le_bytes()[..], &length.to_le_bytes(), data].concat()
}

/// A cell with a small number.
fn cell(row: u16, column: u16) -> Vec<u8> {
    let place = [row.to_le_bytes(), column.to_le_bytes()].concat();
    record(0x27e, &[&place[..], &[0; 6]].concat())
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
