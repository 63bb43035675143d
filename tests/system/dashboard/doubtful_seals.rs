//! A delivery with an invalid seal is red wherever the page shows it, and one whose seal wasn't checked yellow.

use rstest::rstest;

use super::batches::{created, number_of, shows};
use super::{member_with_a_key, open};
use crate::browser::{Browser, Look};

/// Waits until an element is there, and asserts that no success is shown beside it.
async fn is_marked(browser: &Browser, within: &str, tone: &str) {
    browser.find_css(&format!("{within} .badge.{tone}")).await;
    let successes = number_of(browser, &format!("{within} .badge.ok")).await;
    assert_eq!(successes, 0, "in {within}");
}

/// The sandbox's proof with the seal of another text, and the one of a certificate whose key nobody knows.
#[rstest]
#[case::invalid("600.00", "INVALID", "bad", "deliveredSealInvalid")]
#[case::not_checked("600.01", "NOT_CHECKED", "warn", "deliveredSealNotChecked")]
#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_with_a_doubtful_seal_is_marked_wherever_it_is_shown(
    #[case] amount: &str,
    #[case] seal: &str,
    #[case] tone: &str,
    #[case] count: &str,
) {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = created(&gateway, &key, &[amount, "10.00"]).await;
    open(&browser, &gateway, &format!("/batches/{id}")).await;
    shows(&browser, "FINISHED").await;
    let count = format!("[data-count={count}].{tone}");
    browser.find_css(&count).await;
    let row = format!("[data-testid=batch-payment][data-seal={seal}]");
    is_marked(&browser, &row, tone).await;
    assert_eq!(number_of(&browser, &row).await, 1);
    let is_invalid = seal == "INVALID";
    if is_invalid {
        browser.find("batch-seal-invalid").await;
        browser.sees("No lo tome por un pago").await;
    }

    open(&browser, &gateway, "/batches").await;
    let listed = format!("[data-testid=batch-row] .badge.{tone}");
    browser.find_css(&listed).await;

    open(&browser, &gateway, "/lookups").await;
    let state = format!("[data-testid=lookup-state][data-seal={seal}]");
    is_marked(&browser, &state, tone).await;
    if !is_invalid {
        browser.sees("entregada · sello sin comprobar").await;
    }
    let link = format!(
        "document.querySelector('{state}').closest('tr').querySelector('[data-testid=lookup-link]').click()"
    );
    browser.run(&link, vec![]).await;
    if is_invalid {
        browser.find("seal-invalid").await;
        browser.find("seal").await;
    } else {
        browser.find("lookup-proof").await;
        let attempt = "[data-testid=attempts] .outcome.seal-not_checked";
        browser.find_css(attempt).await;
    }
    is_marked(&browser, &state, tone).await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
