//! Webhooks in the browser: added with a secret that is shown once, tested, disabled by an answer, enabled
//! again, and removed.

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::live_changes::HIDE;
use super::{close_reveal, dialog_closes, open, shown_secret, sign_in};
use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, Plan, json_of, request, soon};
use crate::person::{Demo, Person};
use crate::webhooks::receiver::Receiver;

/// A member's browser, and a gateway that may send webhooks to this machine.
pub(super) async fn member(look: Look) -> Option<(Browser, Gateway)> {
    let browser = Browser::start(look).await?;
    let gateway = Plan::new().with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on").start();
    sign_in(&browser, &gateway, Demo::Member).await;
    Some((browser, gateway))
}

/// Waits until the newest delivery is in this state.
pub(super) async fn shows(browser: &Browser, state: &str) {
    let script =
        "return document.querySelector('[data-testid=delivery-state]')?.dataset.state ?? ''";
    soon(state, async || browser.run(script, vec![]).await == state).await;
}

/// Waits until the page says whether the webhook is enabled.
pub(super) async fn stands(browser: &Browser, state: &str) {
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
    assert!(row.contains("batch.finished"), "{row}");
    assert!(!row.contains("batch.paused"), "{row}");

    browser.click("webhook-link").await;
    browser.click("test-webhook").await;
    shows(&browser, "DELIVERED").await;
    let sent = browser.find("delivery-row").await.text().await.unwrap();
    for said in ["webhook.test", "HTTP 204", "1 intento"] {
        assert!(sent.contains(said), "{said}: {sent}");
    }
    browser.click("resend").await;
    soon("it is sent again", async || receiver.messages().len() == 2).await;
    let ids = receiver.messages();
    let ids: Vec<_> = ids.iter().map(|it| it.header("webhook-id")).collect();
    assert_eq!(ids[0], ids[1]);

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
    assert_eq!(browser.focused().await, "H1");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

/// Counts the answers about the webhook; those about its deliveries come after `release()`.
const HOLD_DELIVERIES: &str = "const real = fetch; window.answers = 0;\
    const released = new Promise((resolve) => { window.release = resolve; });\
    window.fetch = async (path, given) => {\
      if (given?.body?.includes?.('query Deliveries(')) await released;\
      const response = await real(path, given);\
      if (given?.body?.includes?.('query Webhook(')) window.answers += 1;\
      return response; }";

#[tokio::test(flavor = "multi_thread")]
async fn the_first_message_may_disable_the_webhook() {
    let Some((browser, gateway)) = member(Look::DESKTOP).await else {
        return;
    };
    let receiver = Receiver::start().await;
    receiver.answer_with(StatusCode::GONE);
    receiver.hang();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let path = subscribed(&person, &receiver).await;
    open(&browser, &gateway, &path).await;
    browser.sees("Todavía no se ha enviado nada").await;
    browser.run(HOLD_DELIVERIES, vec![]).await;
    browser.click("test-webhook").await;
    soon("it is read", async || {
        browser.run("return window.answers", vec![]).await == 1
    })
    .await;
    stands(&browser, "enabled").await;
    receiver.answer();
    soon("it is disabled", async || {
        let read = person.request(Method::GET, &path).send().await;
        json_of(read.unwrap(), 200).await["enabled"] == false
    })
    .await;
    browser.run("window.release()", vec![]).await;
    shows(&browser, "FAILED").await;
    stands(&browser, "disabled").await;
}

/// Adds a webhook for the ends of `test` lookups; returns its path.
pub(super) async fn subscribed(person: &Person, receiver: &Receiver) -> String {
    person
        .add_webhook(&receiver.url(), &["lookup.delivered"])
        .await
}

/// Lets a lookup end, which the account's webhooks are told.
pub(super) async fn a_lookup_ends(gateway: &Gateway, person: &Person) {
    let key = person.create_key("caja 4", "test").await;
    let asking = gateway.asking("lookups", &key).header("prefer", "wait=20");
    let asking = asking.body(request(1, "10.00").to_string());
    json_of(asking.send().await.unwrap(), 200).await;
}

pub(super) async fn switched(person: &Person, path: &str, is_enabled: bool) {
    let change = json!({ "enabled": is_enabled });
    person.send(Method::PATCH, path, &change, 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_says_why_a_message_is_not_sent_again() {
    let Some((browser, gateway)) = member(Look::DESKTOP).await else {
        return;
    };
    let receiver = Receiver::start().await;
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let path = subscribed(&person, &receiver).await;
    open(&browser, &gateway, &path).await;
    browser.click("test-webhook").await;
    shows(&browser, "DELIVERED").await;
    // The page doesn't know yet that somebody disabled it: opened again, it has nothing left to read.
    open(&browser, &gateway, &path).await;
    browser.find("resend").await;
    browser.run(HIDE, vec![]).await;
    switched(&person, &path, false).await;
    browser.click("resend").await;
    let refused = browser.find_css("section [role=alert]").await;
    let refused = refused.text().await.unwrap();
    assert!(refused.contains("desactivado"), "{refused}");

    open(&browser, &gateway, &path).await;
    stands(&browser, "disabled").await;
    let resend = browser.find("resend").await;
    assert_eq!(resend.attr("aria-disabled").await.unwrap().unwrap(), "true");
    let reason = resend.attr("aria-describedby").await.unwrap().unwrap();
    let reason = browser.find_css(&format!("#{reason}")).await;
    assert!(reason.text().await.unwrap().contains("Actívelo"));
    browser.click("resend").await;
    switched(&person, &path, true).await;
    open(&browser, &gateway, &path).await;
    stands(&browser, "enabled").await;
    assert_eq!(receiver.messages().len(), 1, "nothing was sent again");
    browser.click("resend").await;
    soon("it is sent again", async || receiver.messages().len() == 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_message_says_which_attempt_comes_next_and_when_the_last_one() {
    let Some((browser, gateway)) = member(Look::DESKTOP).await else {
        return;
    };
    let receiver = Receiver::start().await;
    receiver.answer_with(StatusCode::INTERNAL_SERVER_ERROR);
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let path = subscribed(&person, &receiver).await;
    a_lookup_ends(&gateway, &person).await;
    open(&browser, &gateway, &path).await;
    shows(&browser, "PENDING").await;
    // The second attempt is due after some five seconds.
    browser.sees("Intento 3 de 10").await;
    let last = browser.find("delivery-final").await;
    let at = last.attr("datetime").await.unwrap().unwrap();
    let at = chrono::DateTime::parse_from_rfc3339(&at).unwrap();
    let now = browser.run("return Date.now()", vec![]).await;
    let hours = (at.timestamp_millis() - now.as_i64().unwrap()) / 3_600_000;
    // 75 h and 35 min of waits; the next one may be a fifth shorter or longer.
    assert!((74..77).contains(&hours), "{hours}");
    let text = last.text().await.unwrap();
    assert!(text.starts_with("El último, hacia el"), "{text}");
    // A test is tried once.
    browser.click("test-webhook").await;
    shows(&browser, "FAILED").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
