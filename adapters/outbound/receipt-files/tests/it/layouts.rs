//! Receipts of ten layouts as PDFs and pictures: what is read of them is right, or not called certain.

use std::collections::BTreeMap;

use domain::participants::Catalogue;
use domain::receipts::Receipt;
use image::ImageFormat;
use testkit::receipts::{DrawnReceipt, Layout, ShownPayment};

use super::*;
use crate::browser;

/// Variable with the number of receipts of each layout; one takes half a minute for all.
const OF_EACH: &str = "CEP_TEST_RECEIPTS";
/// Scales at which pictures are drawn.
const SCALES: [&str; 3] = ["1", "1.5", "3"];

#[expect(clippy::disallowed_methods, reason = "a choice of who runs the tests")]
fn of_each() -> u64 {
    let count = std::env::var(OF_EACH)
        .ok()
        .and_then(|count| count.parse().ok());
    count.unwrap_or(1)
}

/// Receipts of a layout that were read right, of how many.
type Counts = BTreeMap<Layout, (usize, usize)>;

/// Reads the receipts, each by `read`, and counts those without a fault. None may be wrong with high confidence.
fn count(read: impl Fn(&DrawnReceipt, u64) -> Option<ReceiptText>) -> Option<Counts> {
    let today = "2026-11-25".parse().unwrap();
    let mut counts = Counts::new();
    for layout in Layout::ALL {
        for number in 1..=of_each() {
            let drawn = ShownPayment::new(number).drawn(layout);
            let text = read(&drawn, number)?;
            let receipt = Receipt::read(&text, today, Catalogue::embedded());
            let judged = drawn.judge(&receipt);
            let (right, all) = counts.entry(layout).or_default();
            *right += usize::from(judged.wrong.is_empty());
            *all += 1;
            if !judged.wrong.is_empty() {
                let words: Vec<_> = crate::words(&text);
                browser::say(&format!(
                    "{layout:?} {number}: {:?} {words:?}",
                    judged.wrong
                ));
            }
            let wrong = judged.wrong_with_high_confidence;
            assert!(
                wrong.is_empty(),
                "{layout:?} {number}: {wrong:?} {receipt:#?}"
            );
        }
    }
    browser::say(&format!("{counts:?}"));
    Some(counts)
}

/// Receipts without a fault, of a hundred.
fn percent(counts: &Counts) -> usize {
    let (right, all) = counts
        .values()
        .fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    right * 100 / all
}

#[test]
fn printed_receipts_are_read_whole() {
    let read = |drawn: &DrawnReceipt, _| Some(pdf(browser::print(&drawn.html)?).unwrap());
    let Some(counts) = count(read) else {
        return;
    };
    assert!(percent(&counts) >= 95, "{counts:?}");
}

#[test]
fn pictures_of_receipts_are_read_and_none_is_wrong_with_high_confidence() {
    if !browser::can_recognise() {
        return;
    }
    let read = |drawn: &DrawnReceipt, number: u64| {
        let scale = SCALES[usize::try_from(number).unwrap() % SCALES.len()];
        let drawing = browser::draw(&drawn.html, scale)?;
        let file = match drawn.layout {
            // A messenger's picture.
            Layout::Photo | Layout::Chat => {
                let drawing = image::load_from_memory(&drawing).unwrap().into_luma8();
                crate::made::file(&drawing, ImageFormat::Jpeg)
            }
            _ => drawing,
        };
        Some(picture(file).unwrap())
    };
    let Some(counts) = count(read) else {
        return;
    };
    assert!(percent(&counts) >= 80, "{counts:?}");
}
