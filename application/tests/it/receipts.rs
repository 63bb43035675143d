//! Receipts of ten layouts, as texts.

use domain::participants::Catalogue;
use domain::receipts::Receipt;
use testkit::receipts::{Layout, ShownPayment};

/// Receipts of each layout.
const OF_EACH: u64 = 20;

#[test]
fn nearly_all_texts_are_read_whole_and_no_field_is_wrong_with_high_confidence() {
    let today = "2026-11-25".parse().unwrap();
    let mut faults = Vec::new();
    for layout in Layout::ALL {
        for number in 1..=OF_EACH {
            let drawn = ShownPayment::new(number).drawn(layout);
            let read = Receipt::read_plain(&drawn.text, today, Catalogue::embedded());
            let judged = drawn.judge(&read);
            assert!(
                judged.wrong_with_high_confidence.is_empty(),
                "{layout:?}: {judged:?}\n{}",
                drawn.text
            );
            if !judged.wrong.is_empty() {
                faults.push((layout, number, judged.wrong));
            }
        }
    }
    let most = 200 * 5 / 100;
    assert!(faults.len() <= most, "{} {faults:#?}", faults.len());
}
