//! Memory of hostile workbooks.

use testkit::resident;

use super::*;

/// Two are read at a time, and take less than 200 MB.
const MOST_KIB: u64 = 90 * 1024;

/// Half a million cells, whose texts together are as long as is read.
fn as_much_as_is_read() -> Bytes {
    let row = format!("<row>{}</row>", r#"<c t="s"><v>0</v></c>"#.repeat(5));
    let cells = row.repeat(99_999);
    let file = xlsx(&cells, &format!("<si><t>{}</t></si>", "a".repeat(66)));
    let rows = WorkbookFiles.open(file.clone()).unwrap().rows(0).unwrap();
    assert_eq!(rows.len(), 99_999);
    file
}

#[test]
fn a_hostile_workbook_takes_less_than_90_mib() {
    resident::alone("memory::a_hostile_workbook_takes_less_than_90_mib", || {
        let mut files = hostile::files();
        files.push(("much", as_much_as_is_read(), WorkbookError::TooLarge));
        for (name, file, _) in files {
            let taken = resident::taken(|| drop(choose(file)));
            assert!(taken < MOST_KIB, "{name}: {taken} KiB");
        }
    });
}
