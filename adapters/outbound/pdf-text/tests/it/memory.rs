//! Memory of hostile files.

use pdf_text::PortalPdf;
use ports::outbound::ProofPdfReader as _;
use testkit::resident;

use crate::hostile;

const MOST_KIB: u64 = 32 * 1024;

#[test]
fn a_hostile_file_takes_less_than_32_mib() {
    resident::alone("memory::a_hostile_file_takes_less_than_32_mib", || {
        for (name, file, _) in hostile::files() {
            let taken = resident::taken(|| drop(PortalPdf.read(&file)));
            assert!(taken < MOST_KIB, "{name}: {taken} KiB");
        }
    });
}
