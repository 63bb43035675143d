//! Webhooks in the browser: added with a secret that is shown once, tested, disabled by an answer, enabled
//! again, and removed.

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::Page;
use super::live_changes::HIDE;
use crate::browser::{Browser, Look};
use crate::gateway::{Plan, json_of, request, soon};
use crate::person::{Demo, Person};
use crate::webhooks::receiver::Receiver;

/// The page of a member at a gateway that may send webhooks to this machine.
pub(super) async fn hooks() -> Option<Page> {
    hooks_with(Look::DESKTOP).await
}

async fn hooks_with(look: Look) -> Option<Page> {
    let gateway = Plan::new().with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on").start();
    Page::of(gateway, Demo::Member, look).await
}

/// Adds a webhook for the ends of `test` lookups; returns its path.
pub(super) async fn subscribed(person: &Person, receiver: &Receiver) -> String {
    let events = ["lookup.delivered"];
    person.add_webhook(&receiver.url(), &events).await
}

/// The page of such a webhook, whose receiver answers with this status; the member, and the webhook's path.
async fn subscribed_page(answer: StatusCode) -> Option<(Page, Receiver, Person, String)> {
    let page = hooks().await?;
    let receiver = Receiver::start().await;
    receiver.answer_with(answer);
    let person = page.person().await;
    let path = subscribed(&person, &receiver).await;
    page.open(&path).await;
    Some((page, receiver, person, path))
}

/// Lets a lookup end, which the account's webhooks are told.
pub(super) async fn a_lookup_ends(page: &Page, person: &Person) {
    let key = person.create_key("caja 4", "test").await;
    let asking = page.gateway.asking("lookups", &key);
    let asking = asking.header("prefer", "wait=20");
    let asking = asking.body(request(1, "10.00").to_string());
    json_of(asking.send().await.unwrap(), 200).await;
}

pub(super) async fn switched(person: &Person, path: &str, is_enabled: bool) {
    let change = json!({ "enabled": is_enabled });
    person.send(Method::PATCH, path, &change, 200).await;
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
    let Some(page) = hooks().await else { return };
    let receiver = Receiver::start().await;
    page.open("/webhooks").await;
    page.click("add-webhook").await;
    // An address that the gateway refuses is told beside the field.
    page.fill("webhook-url", "https://10.0.0.1/hooks").await;
    page.click("webhook-env-TEST").await;
    page.click("add-webhook-confirm").await;
    page.find_css("dialog[open] .field-error").await;
    page.fill("webhook-url", &receiver.url()).await;
    page.click("event-BATCH_PAUSED").await;
    page.click("add-webhook-confirm").await;
    let secret = page.shown_secret().await;
    assert!(secret.starts_with("whsec_"), "{secret}");
    page.close_reveal().await;
    assert!(!page.browser.page.source().await.unwrap().contains(&secret));
    let row = page.text_of("webhook-row").await;
    assert!(row.contains("batch.finished"), "{row}");
    assert!(!row.contains("batch.paused"), "{row}");

    page.clicks(&["webhook-link", "test-webhook"]).await;
    shows(&page, "DELIVERED").await;
    let sent = ["webhook.test", "HTTP 204", "1 intento"];
    page.tells("delivery-row", &sent).await;
    page.click("resend").await;
    soon("it is sent again", async || receiver.messages().len() == 2).await;
    let ids = receiver.messages();
    let ids: Vec<_> = ids.iter().map(|it| it.header("webhook-id")).collect();
    assert_eq!(ids[0], ids[1]);

    page.click("rotate-secret").await;
    page.click("rotate-secret-confirm").await;
    assert_ne!(page.shown_secret().await, secret);
    page.close_reveal().await;
    page.find("both-secrets").await;

    page.click("remove-webhook").await;
    page.click("remove-webhook-confirm").await;
    page.sees("Todavía no hay webhooks").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_says_why_a_webhook_is_disabled() {
    let Some(page) = hooks_with(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    let receiver = Receiver::start().await;
    receiver.answer_with(StatusCode::GONE);
    page.open("/webhooks").await;
    page.click("add-webhook").await;
    page.fill("webhook-url", &receiver.url()).await;
    page.click("add-webhook-confirm").await;
    page.shown_secret().await;
    page.close_reveal().await;
    page.clicks(&["webhook-link", "test-webhook"]).await;
    shows(&page, "FAILED").await;
    page.tells("delivery-row", &["HTTP 410"]).await;
    page.sees("La dirección contestó 410").await;
    stands(&page, "disabled").await;

    receiver.answer_with(StatusCode::NO_CONTENT);
    page.click("enable-webhook").await;
    stands(&page, "enabled").await;
    page.click("test-webhook").await;
    shows(&page, "DELIVERED").await;

    page.click("disable-webhook").await;
    page.click("disable-webhook-confirm").await;
    page.dialog_closes().await;
    stands(&page, "disabled").await;
    page.sees("Usted lo desactivó").await;
    assert_eq!(page.focused().await, "H1");
    assert_eq!(page.complaints().await, Vec::<String>::new());
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
    let opened = subscribed_page(StatusCode::GONE).await;
    let Some((page, receiver, person, path)) = opened else {
        return;
    };
    receiver.hang();
    page.sees("Todavía no se ha enviado nada").await;
    page.run(HOLD_DELIVERIES, vec![]).await;
    page.click("test-webhook").await;
    let is_read = async || page.run("return window.answers", vec![]).await == 1;
    soon("it is read", is_read).await;
    stands(&page, "enabled").await;
    receiver.answer();
    soon("it is disabled", async || {
        let read = person.request(Method::GET, &path).send().await;
        json_of(read.unwrap(), 200).await["enabled"] == false
    })
    .await;
    page.run("window.release()", vec![]).await;
    shows(&page, "FAILED").await;
    stands(&page, "disabled").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_says_why_a_message_is_not_sent_again() {
    let opened = subscribed_page(StatusCode::NO_CONTENT).await;
    let Some((page, receiver, person, path)) = opened else {
        return;
    };
    page.click("test-webhook").await;
    shows(&page, "DELIVERED").await;
    // The page doesn't know yet that somebody disabled it: opened again, it has nothing left to read.
    page.open_at(&path, "resend").await;
    page.run(HIDE, vec![]).await;
    switched(&person, &path, false).await;
    page.click("resend").await;
    let refused = page.find_css("section [role=alert]").await;
    let refused = refused.text().await.unwrap();
    assert!(refused.contains("desactivado"), "{refused}");

    page.open(&path).await;
    stands(&page, "disabled").await;
    let resend = page.find("resend").await;
    assert_eq!(resend.attr("aria-disabled").await.unwrap().unwrap(), "true");
    let reason = resend.attr("aria-describedby").await.unwrap().unwrap();
    let reason = page.find_css(&format!("#{reason}")).await;
    assert!(reason.text().await.unwrap().contains("Actívelo"));
    page.click("resend").await;
    switched(&person, &path, true).await;
    page.open(&path).await;
    stands(&page, "enabled").await;
    assert_eq!(receiver.messages().len(), 1, "nothing was sent again");
    page.click("resend").await;
    soon("it is sent again", async || receiver.messages().len() == 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_message_says_which_attempt_comes_next_and_when_the_last_one() {
    let opened = subscribed_page(StatusCode::INTERNAL_SERVER_ERROR).await;
    let Some((page, _receiver, person, path)) = opened else {
        return;
    };
    a_lookup_ends(&page, &person).await;
    page.open(&path).await;
    shows(&page, "PENDING").await;
    // The second attempt is due after some five seconds.
    page.sees("Intento 3 de 10").await;
    let last = page.find("delivery-final").await;
    let at = last.attr("datetime").await.unwrap().unwrap();
    let at = chrono::DateTime::parse_from_rfc3339(&at).unwrap();
    let now = page.run("return Date.now()", vec![]).await;
    let hours = (at.timestamp_millis() - now.as_i64().unwrap()) / 3_600_000;
    // 75 h and 35 min of waits; the next one may be a fifth shorter or longer.
    assert!((74..77).contains(&hours), "{hours}");
    let text = last.text().await.unwrap();
    assert!(text.starts_with("El último, hacia el"), "{text}");
    // A test is tried once.
    page.click("test-webhook").await;
    shows(&page, "FAILED").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
