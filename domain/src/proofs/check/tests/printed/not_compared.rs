//! Pages that are not drawn as the portal draws them.

use super::*;

#[rstest]
#[case::of_the_credit("20 de noviembre de 2026")]
#[case::of_a_clock_that_is_ahead("14 de diciembre de 2026")]
fn a_page_is_of_a_query_since_the_credit(#[case] day: &str) {
    let report = page_report(&respelt("13 de diciembre de 2026", day));
    assert_eq!(report.outcome(), CheckOutcome::Valid);
}

#[rstest]
#[case::before_the_credit("19 de noviembre de 2026")]
#[case::in_the_future("15 de diciembre de 2026")]
#[case::no_day("31 de noviembre de 2026")]
#[case::another_text("PAGADO")]
#[case::none("")]
fn a_page_of_a_query_that_nobody_made_is_not_compared(#[case] day: &str) {
    let report = page_report(&respelt("13 de diciembre de 2026", day));
    assert_eq!(report.page(), Some(PageComparison::NotCompared));
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
}

/// The page with one text more.
fn with(more: (f32, f32, f32, &str)) -> PrintedPage {
    let mut page = printed(&[]);
    page.runs.push(run(more));
    page
}

#[rstest]
#[case::in_the_free_space((70.0, 250.0, 20.0, "Monto pagado: $ 9,999,555.00"))]
#[case::between_two_rows((336.0, 757.0, 8.0, "9,999,555.00"))]
#[case::in_the_notice((26.0, 120.0, 7.0, "Monto: 9"))]
#[case::a_mark_of_the_sandbox((70.0, 250.0, 72.0, "SANDBOX"))]
fn a_page_with_another_text_was_not_compared(#[case] more: (f32, f32, f32, &str)) {
    let report = page_report(&with(more));
    assert_eq!(report.page(), Some(PageComparison::NotCompared));
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    assert!(matches!(report.verdict, Verdict::Valid(_)));
}

#[rstest]
#[case::moved("Monto", 336.0, 700.0, 8.0)]
#[case::smaller("Monto", 336.0, 765.7, 4.0)]
#[case::value_moved("$ 0.00", 546.98, 756.0, 9.0)]
fn a_page_with_a_text_in_another_place_was_not_compared(
    #[case] text: &str,
    #[case] x: f32,
    #[case] y: f32,
    #[case] size: f32,
) {
    let mut page = printed(&[]);
    let moved = page.text(text);
    (moved.x, moved.y, moved.size) = (x, y, size);
    assert_ne!(page_report(&page).page(), Some(PageComparison::Agrees));
}

#[test]
fn a_page_without_its_notice_or_with_an_amount_that_people_may_misread_was_not_compared() {
    let mut without = printed(&[]);
    without.runs.pop();
    for page in [without, respelt("$ 1,234.56", "$ 12,34.56")] {
        assert_eq!(page_report(&page).page(), Some(PageComparison::NotCompared));
    }
}

#[test]
fn one_mark_of_the_sandbox_makes_no_page_of_it() {
    let page = [with((70.0, 250.0, 72.0, "SANDBOX"))];
    let report = CheckReport::of_pages(Ok(&page), Environment::Test, today(), known);
    assert_eq!(report.page(), Some(PageComparison::NotCompared));
}

#[test]
fn of_a_page_that_was_not_compared_the_sealed_data_are_told() {
    let mut page = printed(&[]);
    page.drawing = Drawing::Other;
    let report = page_report(&page);
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    // What a viewer shows isn't known: the text that was read contradicts nothing.
    page.drawing = Drawing::Unknown;
    page.text("$ 1,234.56").text = "$ 9,999,555.00".to_owned();
    let report = page_report(&page);
    assert_eq!(report.page(), Some(PageComparison::NotCompared));
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    assert_eq!(report.proof.unwrap().centavos(), 123_456);
    // A text that a viewer shows where it says contradicts.
    page.drawing = Drawing::Other;
    let report = page_report(&page);
    assert_eq!(report.page(), Some(PageComparison::Contradicts));
    assert_eq!(report.outcome(), CheckOutcome::Invalid);
}

#[test]
fn a_field_that_the_payment_lacks_may_be_blank() {
    assert_eq!(page_report(&without("ND")).outcome(), CheckOutcome::Valid);
}
