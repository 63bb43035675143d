//! Changes of a batch that appear by themselves: told by a subscription, found by reading where there is none, and
//! told again after a restart.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use testkit::free_port;

use super::batches::{created, shows};
use super::{member_with_a_key, open, sign_in};
use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, Key, Plan, eventually, json_of};
use crate::person::{Demo, Person};
use crate::shared_sessions::start_provider;

/// Longest time until a page without a subscription shows a change: it reads every 4 s.
const READ_AGAIN: Duration = Duration::from_secs(8);

/// Hides the page: it reads nothing by itself from now on.
pub(super) const HIDE: &str =
    "Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })";

/// Lets every WebSocket of the page fail: it is opened at a path that takes none.
pub(super) const NO_SOCKETS: &str = "const Real = WebSocket;\
    window.WebSocket = class extends Real {\
      constructor(url, protocol) { super(url.replace('graphql/ws', 'nowhere'), protocol); } }";

/// Keeps the sockets that are opened, and counts those that failed.
const WATCH: &str = "const Real = WebSocket; window.sockets = []; window.failed = 0;\
    window.WebSocket = class extends Real {\
      constructor(...given) {\
        super(...given);\
        window.sockets.push(this);\
        this.addEventListener('error', () => { window.failed += 1; }); } }";

/// Opens the only batch from the list, where no socket is open yet, after a script.
pub(super) async fn open_prepared(browser: &Browser, gateway: &Gateway, script: &str) {
    open(browser, gateway, "/batches").await;
    browser.find("batch-link").await;
    browser.run(script, vec![]).await;
    browser.click("batch-link").await;
    shows(browser, "RUNNING").await;
}

pub(super) async fn cancel(gateway: &Gateway, key: &Key, id: &str) {
    let canceling = gateway.asking(&format!("batches/{id}/cancel"), key);
    json_of(canceling.send().await.unwrap(), 200).await;
}

/// Waits until the number that a script returns is at least this.
async fn reaches(browser: &Browser, script: &str, number: u64) {
    eventually(script, Duration::from_secs(40), async || {
        browser.run(script, vec![]).await.as_u64() >= Some(number)
    })
    .await;
}

#[tokio::test]
async fn a_hidden_page_is_told_and_the_focus_stays() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = created(&gateway, &key, &["404.02"]).await;
    open(&browser, &gateway, &format!("/batches/{id}")).await;
    shows(&browser, "RUNNING").await;
    browser.run(HIDE, vec![]).await;
    cancel(&gateway, &key, &id).await;
    shows(&browser, "CANCELED").await;
    browser.find("erase-batch").await;
    // Nobody pressed the button that is gone.
    assert_eq!(browser.focused().await, "BODY");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_page_without_sockets_reads_again() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = created(&gateway, &key, &["404.02"]).await;
    open_prepared(&browser, &gateway, NO_SOCKETS).await;
    cancel(&gateway, &key, &id).await;
    let shown = "return document.querySelector('[data-state=CANCELED]') !== null";
    eventually("it is read again", READ_AGAIN, async || {
        browser.run(shown, vec![]).await == json!(true)
    })
    .await;
}

#[tokio::test]
async fn a_hidden_page_is_told_again_once_the_gateway_is_back() {
    let Some(browser) = Browser::start(Look::DESKTOP).await else {
        return;
    };
    // A provider beside the gateway, so that the session outlives it.
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let provider = start_provider(address).await;
    let planned = |plan: Plan| {
        plan.with("CEP_LISTEN", address)
            .with("CEP_PUBLIC_URL", format!("http://{address}"))
            .with("CEP_OIDC_ISSUER", &provider.issuer)
            .with("CEP_OIDC_CLIENT_ID", "cep")
            .with("CEP_OIDC_AUDIENCE", "cep-api")
    };
    let gateway = planned(Plan::new()).start();
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    let id = created(&gateway, &key, &["404.02"]).await;
    sign_in(&browser, &gateway, Demo::Member).await;
    open_prepared(&browser, &gateway, WATCH).await;
    browser.run(HIDE, vec![]).await;

    let folder = gateway.kill();
    reaches(&browser, "return window.failed", 1).await;
    let gateway = planned(Plan::in_folder(folder)).start();
    cancel(&gateway, &key, &id).await;
    // The pauses between attempts are some seconds by now.
    let shown = "return document.querySelectorAll('[data-state=CANCELED]').length";
    reaches(&browser, shown, 1).await;
}

#[tokio::test]
async fn a_connection_that_answers_nothing_is_replaced() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = created(&gateway, &key, &["404.02"]).await;
    // Time goes ten times as fast for everything but the reads of a page that isn't hidden.
    let faster = "const real = setTimeout;\
        window.setTimeout = (call, wait, ...rest) => real(call, wait / 10, ...rest);";
    open_prepared(&browser, &gateway, &format!("{WATCH};{faster}")).await;
    browser.run(HIDE, vec![]).await;
    reaches(&browser, "return window.sockets.length", 1).await;
    let connected = "return Number(window.sockets[0].readyState === 1)";
    reaches(&browser, connected, 1).await;
    // As a network does that has lost the connection: nothing comes, and nobody is told.
    let deaf = "window.sockets[0].onmessage = null";
    browser.run(deaf, vec![]).await;
    cancel(&gateway, &key, &id).await;
    shows(&browser, "CANCELED").await;
    reaches(&browser, "return window.sockets.length", 2).await;
}
