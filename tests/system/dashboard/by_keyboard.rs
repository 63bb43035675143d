//! Batches and webhooks by keyboard alone: Tab, Enter, Space and the arrows.

use super::batches::{ACCOUNT, line, saved};
use super::webhooks::{member, shows, stands};
use super::{dialog_closes, member_with_a_key, open};
use crate::browser::{Browser, ENTER, Look};
use crate::gateway::soon;
use crate::webhooks::receiver::Receiver;

const SPACE: &str = " ";

/// Goes to an element by Tab, and presses Enter.
async fn enter(browser: &Browser, id: &str) {
    browser.find(id).await;
    browser.tab_to(id).await;
    browser.press(ENTER).await;
}

/// Waits until an element has the focus.
async fn is_focused(browser: &Browser, id: &str) {
    soon(id, async || browser.focused().await == id).await;
}

#[tokio::test]
async fn a_batch_is_checked_corrected_and_started_by_keyboard() {
    let Some((browser, gateway, _)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches").await;
    enter(&browser, "new-batch").await;
    is_focused(&browser, "H1").await;
    let payments = line(1, "10.00", ACCOUNT) + &line(2, "11.00", ACCOUNT);
    let file = format!("Fecha;Rastreo;Cuenta;Total;Folio\n{payments}");
    let file = saved(&gateway, "pagos.csv", file);
    browser.tab_to("batch-file").await;
    // The dialog of files is the system's own.
    browser.choose_files("batch-file", &[&file]).await;
    browser.find("columns-unclear").await;
    browser.tab_to("column-monto").await;
    browser.press("Total").await;
    browser.find("dry-run-ready").await;
    // The list of columns is the same one, and still has the focus.
    assert_eq!(browser.focused().await, "column-monto");
    browser.tab_to("batch-name").await;
    enter(&browser, "batch-start").await;
    browser.find("batch-progress").await;
    is_focused(&browser, "H1").await;
    browser.find("batch-payment").await;
    enter(&browser, "row-lookup").await;
    browser.find("lookup-proof").await;
    assert_eq!(browser.complaints().await.len(), 1, "the first check");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_added_tested_disabled_and_removed_by_keyboard() {
    let Some((browser, gateway)) = member(Look::DESKTOP).await else {
        return;
    };
    let receiver = Receiver::start().await;
    open(&browser, &gateway, "/webhooks").await;
    enter(&browser, "add-webhook").await;
    is_focused(&browser, "webhook-url").await;
    browser.press(&receiver.url()).await;
    browser.tab_to("event-BATCH_PAUSED").await;
    browser.press(SPACE).await;
    enter(&browser, "add-webhook-confirm").await;
    browser.find("secret").await;
    enter(&browser, "close-reveal").await;
    enter(&browser, "close-anyway").await;
    dialog_closes(&browser).await;
    // The focus is where the dialog was opened.
    is_focused(&browser, "add-webhook").await;

    enter(&browser, "webhook-link").await;
    is_focused(&browser, "H1").await;
    browser.find("test-webhook").await;
    browser.run(SLOWER, vec![]).await;
    enter(&browser, "test-webhook").await;
    // A button that works keeps the focus, and works once.
    let busy = "[data-testid=test-webhook][aria-disabled=true]";
    browser.find_css(busy).await;
    browser.press(ENTER).await;
    assert_eq!(browser.focused().await, "test-webhook");
    shows(&browser, "DELIVERED").await;
    assert_eq!(browser.focused().await, "test-webhook");
    enter(&browser, "resend").await;
    soon("it is sent again", async || receiver.messages().len() == 2).await;

    let heading = "document.querySelector('h1').focus()";
    browser.run(heading, vec![]).await;
    enter(&browser, "disable-webhook").await;
    enter(&browser, "disable-webhook-confirm").await;
    dialog_closes(&browser).await;
    stands(&browser, "disabled").await;
    is_focused(&browser, "H1").await;
    enter(&browser, "enable-webhook").await;
    stands(&browser, "enabled").await;
    is_focused(&browser, "H1").await;
    enter(&browser, "remove-webhook").await;
    enter(&browser, "remove-webhook-confirm").await;
    browser.sees("Todavía no hay webhooks").await;
    is_focused(&browser, "H1").await;
    assert_eq!(receiver.messages().len(), 2);
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

/// Delays mutations by a second.
const SLOWER: &str = "const real = fetch;\
    window.fetch = async (path, given) => {\
      if (given?.body?.includes?.('mutation')) await new Promise((done) => setTimeout(done, 1000));\
      return real(path, given); }";
