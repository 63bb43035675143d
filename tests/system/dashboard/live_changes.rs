//! Changes of a batch that appear by themselves: told by a subscription, found by reading where there is none, and
//! told again after a restart.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use testkit::free_port;

use super::{Page, member};
use crate::browser::{Browser, Look};
use crate::gateway::{Plan, eventually};
use crate::person::{Demo, Person};
use crate::shared_sessions::{beside, start_provider};

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
pub(super) async fn open_prepared(page: &Page, script: &str) {
    page.open_at("/batches", "batch-link").await;
    page.run(script, vec![]).await;
    page.click("batch-link").await;
    page.shows("RUNNING").await;
}

/// Waits until the number that a script returns is at least this.
async fn reaches(browser: &Browser, script: &str, number: u64) {
    let has_reached = async || browser.run(script, vec![]).await.as_u64() >= Some(number);
    eventually(script, Duration::from_secs(40), has_reached).await;
}

#[tokio::test]
async fn a_hidden_page_is_told_and_the_focus_stays() {
    let Some(page) = member().await else { return };
    let id = page.created(&["404.02"]).await;
    page.open_batch(&id, "RUNNING").await;
    page.run(HIDE, vec![]).await;
    page.cancel(&id).await;
    page.shows("CANCELED").await;
    page.find("erase-batch").await;
    // Nobody pressed the button that is gone.
    assert_eq!(page.focused().await, "BODY");
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_page_without_sockets_reads_again() {
    let Some(page) = member().await else { return };
    let id = page.created(&["404.02"]).await;
    open_prepared(&page, NO_SOCKETS).await;
    page.cancel(&id).await;
    let shown = "return document.querySelector('[data-state=CANCELED]') !== null";
    let is_shown = async || page.run(shown, vec![]).await == json!(true);
    eventually("it is read again", READ_AGAIN, is_shown).await;
}

#[tokio::test]
async fn a_hidden_page_is_told_again_once_the_gateway_is_back() {
    // A provider beside the gateway, so that the session outlives it.
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let provider = start_provider(address).await;
    let planned = |plan: Plan| {
        let plan = plan.with("CEP_LISTEN", address);
        beside(plan, &provider, address)
    };
    let gateway = planned(Plan::new()).start();
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    let page = Page::of(gateway, Demo::Member, Look::DESKTOP).await;
    let Some(mut page) = page else { return };
    page.key = key;
    let id = page.created(&["404.02"]).await;
    open_prepared(&page, WATCH).await;
    page.run(HIDE, vec![]).await;

    let folder = page.gateway.kill();
    reaches(&page.browser, "return window.failed", 1).await;
    page.gateway = planned(Plan::in_folder(folder)).start();
    page.cancel(&id).await;
    // The pauses between attempts are some seconds by now.
    let shown = "return document.querySelectorAll('[data-state=CANCELED]').length";
    reaches(&page, shown, 1).await;
}

#[tokio::test]
async fn a_connection_that_answers_nothing_is_replaced() {
    let Some(page) = member().await else { return };
    let id = page.created(&["404.02"]).await;
    // Time goes ten times as fast for everything but the reads of a page that isn't hidden.
    let faster = "const real = setTimeout;\
        window.setTimeout = (call, wait, ...rest) => real(call, wait / 10, ...rest);";
    open_prepared(&page, &format!("{WATCH};{faster}")).await;
    page.run(HIDE, vec![]).await;
    reaches(&page, "return window.sockets.length", 1).await;
    let connected = "return Number(window.sockets[0].readyState === 1)";
    reaches(&page, connected, 1).await;
    // As a network does that has lost the connection: nothing comes, and nobody is told.
    let deaf = "window.sockets[0].onmessage = null";
    page.run(deaf, vec![]).await;
    page.cancel(&id).await;
    page.shows("CANCELED").await;
    reaches(&page, "return window.sockets.length", 2).await;
}
