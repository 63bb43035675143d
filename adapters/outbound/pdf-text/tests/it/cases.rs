//! Files that failed, and what is right.

use std::fs;
use std::path::Path;

use domain::proofs::check::{CheckOutcome, CheckReason, PageComparison};
use domain::seals::Verdict;
use rstest::rstest;

use crate::checks::check;
use crate::draft::Draft;
use crate::support::proof;

/// A file of `tests/cases`.
fn case(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(3)
        .unwrap();
    fs::read(root.join("tests/cases").join(name)).unwrap()
}

#[rstest]
#[case::forged("forged-stroke-slant.pdf", 555)]
#[case::forged("forged-off-mediabox.pdf", 555)]
#[case::re_saved("qdf.pdf", 123_456)]
#[case::re_saved("linearized.pdf", 123_456)]
#[case::re_saved("object-streams.pdf", 123_456)]
#[case::re_saved("cairo.pdf", 123_456)]
fn of_a_page_that_is_not_the_portals_the_seal_and_the_sealed_data_are_told(
    #[case] name: &str,
    #[case] centavos: u64,
) {
    let report = check(&case(name));
    assert!(
        matches!(report.verdict, Verdict::Valid(_)),
        "{:?}",
        report.checks
    );
    assert_eq!(report.page(), Some(PageComparison::NotCompared));
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    assert_eq!(report.proof.unwrap().centavos(), centavos);
}

/// A true page on which a viewer shows another amount.
#[rstest]
#[case::clipped("q 0 0 300 850 re W n", "Q")]
#[case::transparent("/T gs", "")]
#[case::moved("q 1 0 0 1 5000 0 cm", "Q")]
#[case::stroked("", "30 w 0.8 0.8 0.8 RG 480 768 m 572 768 l S")]
#[case::sheared(
    "",
    "BT 1 0 0.2 1 500 765.66 Tm /F1 9 Tf 0 0.4 0.8 rg ($ 9,999,555.00) Tj ET"
)]
fn a_true_page_that_is_hidden_or_drawn_over_is_never_valid(
    #[case] before: &str,
    #[case] after: &str,
) {
    let mut draft = Draft::of(&proof(1).pdf);
    assert_eq!(check(&draft.pdf()).outcome(), CheckOutcome::Valid);
    draft.resources.push_str("/ExtGState<</T<</ca 0>>>>");
    draft.steps.insert(0, format!("{before}\n"));
    draft.steps.push(format!("{after}\n"));
    let report = check(&draft.pdf());
    assert!(matches!(report.verdict, Verdict::Valid(_)));
    assert_ne!(report.outcome(), CheckOutcome::Valid);
    assert_eq!(report.page(), Some(PageComparison::NotCompared));
    assert_eq!(report.proof.unwrap().centavos(), 555);
}

#[test]
fn a_banks_receipt_is_told_from_a_proof() {
    let report = check(&case("comprobante-del-banco.pdf"));
    assert_eq!(report.proof, None);
    assert_eq!(report.checks[0].reason, Some(CheckReason::BankReceipt));
}
