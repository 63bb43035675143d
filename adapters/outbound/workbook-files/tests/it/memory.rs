//! Memory of hostile workbooks.

use testkit::resident;

use super::{choose, hostile};

const MOST_KIB: u64 = 150 * 1024;

#[test]
fn a_hostile_workbook_takes_less_than_150_mib() {
    resident::alone("memory::a_hostile_workbook_takes_less_than_150_mib", || {
        for (name, file, _) in hostile::files() {
            let taken = resident::taken(|| drop(choose(file)));
            assert!(taken < MOST_KIB, "{name}: {taken} KiB");
        }
    });
}
