//! A delivery with an invalid seal is red wherever the page shows it, and one whose seal wasn't checked yellow.

use serde_json::Value;

use super::batches::{created, number_of, shows};
use super::{member_with_a_key, open};
use crate::browser::{Browser, Look};

/// Waits until an element is there, and asserts that no success is shown beside it.
async fn is_marked(browser: &Browser, within: &str, tone: &str) {
    browser.find_css(&format!("{within} .badge.{tone}")).await;
    let successes = number_of(browser, &format!("{within} .badge.ok")).await;
    assert_eq!(successes, 0, "in {within}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_with_an_invalid_seal_is_red_wherever_it_is_shown() {
    // The sandbox's proof with the seal of another text.
    const ANOTHER_SEAL: &str = "600.00";
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = created(&gateway, &key, &[ANOTHER_SEAL, "10.00"]).await;
    open(&browser, &gateway, &format!("/batches/{id}")).await;
    shows(&browser, "FINISHED").await;
    browser.find("batch-seal-invalid").await;
    browser
        .find_css("[data-count=deliveredSealInvalid].bad")
        .await;
    let row = "[data-testid=batch-payment][data-seal=INVALID]";
    is_marked(&browser, row, "bad").await;
    browser.sees("No lo tome por un pago").await;
    assert_eq!(number_of(&browser, row).await, 1);

    open(&browser, &gateway, "/batches").await;
    browser.find_css("[data-testid=batch-row] .badge.bad").await;

    open(&browser, &gateway, "/lookups").await;
    let state = "[data-testid=lookup-state][data-seal=INVALID]";
    is_marked(&browser, state, "bad").await;
    let link = "arguments[0].closest('tr').querySelector('[data-testid=lookup-link]').click()";
    let script = link.replace(
        "arguments[0]",
        &format!("document.querySelector('{state}')"),
    );
    browser.run(&script, vec![]).await;
    browser.find("seal-invalid").await;
    is_marked(&browser, state, "bad").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    assert_ne!(
        number_of(&browser, "[data-testid=seal]").await,
        Value::from(0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_whose_seal_was_not_checked_is_yellow_wherever_it_is_shown() {
    // The sandbox's proof of a certificate whose key nobody knows.
    const UNKNOWN_CERTIFICATE: &str = "600.01";
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = created(&gateway, &key, &[UNKNOWN_CERTIFICATE, "10.00"]).await;
    open(&browser, &gateway, &format!("/batches/{id}")).await;
    shows(&browser, "FINISHED").await;
    browser
        .find_css("[data-count=deliveredSealNotChecked].warn")
        .await;
    let row = "[data-testid=batch-payment][data-seal=NOT_CHECKED]";
    is_marked(&browser, row, "warn").await;

    open(&browser, &gateway, "/batches").await;
    browser
        .find_css("[data-testid=batch-row] .badge.warn")
        .await;

    open(&browser, &gateway, "/lookups").await;
    let state = "[data-testid=lookup-state][data-seal=NOT_CHECKED]";
    is_marked(&browser, state, "warn").await;
    browser.sees("entregada · sello sin comprobar").await;
    let script = format!(
        "document.querySelector('{state}').closest('tr').querySelector('[data-testid=lookup-link]').click()"
    );
    browser.run(&script, vec![]).await;
    browser.find("lookup-proof").await;
    is_marked(&browser, state, "warn").await;
    browser
        .find_css("[data-testid=attempts] .outcome.seal-not_checked")
        .await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
