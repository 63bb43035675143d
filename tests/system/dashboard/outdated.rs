//! Pages whose reads fail, and lists that somebody comes back to.

use serde_json::json;

use super::batches::{created, number_of, shows};
use super::live_changes::{NO_SOCKETS, cancel, open_prepared};
use super::{member_with_a_key, open};
use crate::browser::{Browser, Look};
use crate::gateway::soon;
use crate::person::{Demo, Person};

/// Lets requests of the page fail while `window.broken` is true.
const BREAKABLE: &str = "const real = fetch;\
    window.fetch = (...given) => (window.broken ? Promise.reject(new TypeError()) : real(...given))";

async fn has(browser: &Browser, id: &str, expected: bool) {
    soon(id, async || browser.has(id).await == expected).await;
}

async fn rows(browser: &Browser, number: usize) {
    soon("all rows are there", async || {
        number_of(browser, "[data-testid=batch-row]").await == number
    })
    .await;
}

#[tokio::test]
async fn a_failed_read_leaves_a_batch_on_the_page_and_it_goes_on() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = created(&gateway, &key, &["404.02"]).await;
    let script = format!("{NO_SOCKETS};{BREAKABLE}");
    open_prepared(&browser, &gateway, &script).await;
    browser.find("batch-payment").await;
    browser.run("window.broken = true", vec![]).await;
    has(&browser, "stale", true).await;
    browser.sees("Esto puede no estar al día.").await;
    assert!(browser.has("batch-progress").await);
    assert!(browser.has("batch-payment").await);

    cancel(&gateway, &key, &id).await;
    browser.run("window.broken = false", vec![]).await;
    shows(&browser, "CANCELED").await;
    has(&browser, "stale", false).await;
}

#[tokio::test]
async fn a_list_is_read_again_when_somebody_comes_back_or_asks_for_it() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches").await;
    browser.sees("Todavía no hay lotes").await;
    created(&gateway, &key, &["10.00"]).await;
    let comes_back = "window.dispatchEvent(new Event('focus'))";
    browser.run(comes_back, vec![]).await;
    rows(&browser, 1).await;
    shows(&browser, "FINISHED").await;
    created(&gateway, &key, &["11.00"]).await;
    browser.click("refresh").await;
    rows(&browser, 2).await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_batch_may_be_charged_to_a_key_of_any_page() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let others = [
        member.create_key("caja 5", "test").await,
        member.create_key("caja 6", "live").await,
    ];
    open(&browser, &gateway, "/batches").await;
    browser.find("new-batch").await;
    // One key a page, as if there were a hundred times as many.
    let paged = "const real = fetch; window.pages = 0;\
        window.fetch = (path, given) => {\
          if (!given?.body?.includes?.('BatchKeys')) return real(path, given);\
          window.pages += 1;\
          return real(path, { ...given, body: given.body.replace('\"first\":100', '\"first\":1') }); }";
    browser.run(paged, vec![]).await;
    browser.click("new-batch").await;
    browser.find("batch-key").await;
    let listed = "return [...document.querySelectorAll('[data-testid=batch-key] option')]\
        .map(({ value }) => value).filter(Boolean)";
    let listed = browser.run(listed, vec![]).await;
    let [second, third] = &others;
    assert_eq!(listed, json!([key.id, second.id, third.id]));
    assert_eq!(browser.run("return window.pages", vec![]).await, json!(3));
}
