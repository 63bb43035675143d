//! Webhooks in the browser: added with a secret that is shown once, tested, disabled by an answer, enabled
//! again, and removed.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;

use super::{close_reveal, dialog_closes, open, shown_secret, sign_in};
use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, Plan, eventually};
use crate::person::Demo;
use crate::webhooks::receiver::Receiver;

/// A member's browser, and a gateway that may send webhooks to this machine.
async fn member(look: Look) -> Option<(Browser, Gateway)> {
    let browser = Browser::start(look).await?;
    let gateway = Plan::new().with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on").start();
    sign_in(&browser, &gateway, Demo::Member).await;
    Some((browser, gateway))
}

/// Waits until the newest delivery is in this state.
async fn shows(browser: &Browser, state: &str) {
    let script =
        "return document.querySelector('[data-testid=delivery-state]')?.dataset.state ?? ''";
    eventually(state, Duration::from_secs(20), async || {
        browser.run(script, vec![]).await == state
    })
    .await;
}

/// Waits until the page says whether the webhook is enabled.
async fn stands(browser: &Browser, state: &str) {
    let selector = format!("[data-testid=webhook-state][data-state={state}]");
    browser.find_css(&selector).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_added_tested_rotated_and_removed() {
    let Some((browser, gateway)) = member(Look::DESKTOP).await else {
        return;
    };
    let receiver = Receiver::start().await;
    open(&browser, &gateway, "/webhooks").await;
    browser.click("add-webhook").await;
    // An address that the gateway refuses is told beside the field.
    browser.fill("webhook-url", "https://10.0.0.1/hooks").await;
    browser.click("webhook-env-TEST").await;
    browser.click("add-webhook-confirm").await;
    browser.find_css("dialog[open] .field-error").await;
    browser.fill("webhook-url", &receiver.url()).await;
    browser.click("event-BATCH_PAUSED").await;
    browser.click("add-webhook-confirm").await;
    let secret = shown_secret(&browser).await;
    assert!(secret.starts_with("whsec_"), "{secret}");
    close_reveal(&browser).await;
    assert!(!browser.page.source().await.unwrap().contains(&secret));
    let row = browser.find("webhook-row").await.text().await.unwrap();
    assert!(
        row.contains("batch.finished") && !row.contains("batch.paused"),
        "{row}"
    );

    browser.click("webhook-link").await;
    browser.click("test-webhook").await;
    shows(&browser, "DELIVERED").await;
    let sent = browser.find("delivery-row").await.text().await.unwrap();
    for said in ["webhook.test", "HTTP 204", "1 intento"] {
        assert!(sent.contains(said), "{said}: {sent}");
    }
    browser.click("resend").await;
    eventually("it is sent again", Duration::from_secs(20), async || {
        receiver.messages().len() == 2
    })
    .await;
    let messages = receiver.messages();
    assert_eq!(
        messages[0].header("webhook-id"),
        messages[1].header("webhook-id")
    );

    browser.click("rotate-secret").await;
    browser.click("rotate-secret-confirm").await;
    assert_ne!(shown_secret(&browser).await, secret);
    close_reveal(&browser).await;
    browser.find("both-secrets").await;

    browser.click("remove-webhook").await;
    browser.click("remove-webhook-confirm").await;
    browser.sees("Todavía no hay webhooks").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_says_why_a_webhook_is_disabled() {
    let Some((browser, gateway)) = member(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    let receiver = Receiver::start().await;
    receiver.answer_with(StatusCode::GONE);
    open(&browser, &gateway, "/webhooks").await;
    browser.click("add-webhook").await;
    browser.fill("webhook-url", &receiver.url()).await;
    browser.click("add-webhook-confirm").await;
    shown_secret(&browser).await;
    close_reveal(&browser).await;
    browser.click("webhook-link").await;
    browser.click("test-webhook").await;
    shows(&browser, "FAILED").await;
    let sent = browser.find("delivery-row").await.text().await.unwrap();
    assert!(sent.contains("HTTP 410"), "{sent}");
    browser.sees("La dirección contestó 410").await;
    stands(&browser, "disabled").await;

    receiver.answer_with(StatusCode::NO_CONTENT);
    browser.click("enable-webhook").await;
    stands(&browser, "enabled").await;
    browser.click("test-webhook").await;
    shows(&browser, "DELIVERED").await;

    browser.click("disable-webhook").await;
    browser.click("disable-webhook-confirm").await;
    dialog_closes(&browser).await;
    stands(&browser, "disabled").await;
    browser.sees("Usted lo desactivó").await;
    let focused = "return document.activeElement.tagName";
    assert_eq!(browser.run(focused, vec![]).await, json!("H1"));
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
