//! Batches and webhooks by keyboard alone: Tab, Enter, Space and the arrows.

use super::batches::{ACCOUNT, line};
use super::member;
use super::webhooks::{hooks, shows, stands};
use crate::browser::{Browser, ENTER};
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
    let Some(page) = member().await else { return };
    page.open("/batches").await;
    enter(&page, "new-batch").await;
    is_focused(&page, "H1").await;
    let payments = line(1, "10.00", ACCOUNT) + &line(2, "11.00", ACCOUNT);
    let file = format!("Fecha;Rastreo;Cuenta;Total;Folio\n{payments}");
    let file = page.saved("pagos.csv", file);
    page.tab_to("batch-file").await;
    // The dialog of files is the system's own.
    page.choose_files("batch-file", &[&file]).await;
    page.find("columns-unclear").await;
    page.tab_to("column-monto").await;
    page.press("Total").await;
    page.find("dry-run-ready").await;
    // The list of columns is the same one, and still has the focus.
    assert_eq!(page.focused().await, "column-monto");
    page.tab_to("batch-name").await;
    enter(&page, "batch-start").await;
    page.find("batch-progress").await;
    is_focused(&page, "H1").await;
    page.find("batch-payment").await;
    enter(&page, "row-lookup").await;
    page.find("lookup-proof").await;
    assert_eq!(page.complaints().await.len(), 1, "the first check");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_added_tested_disabled_and_removed_by_keyboard() {
    let receiver = Receiver::start().await;
    let Some(page) = hooks().await else { return };
    page.open("/webhooks").await;
    enter(&page, "add-webhook").await;
    is_focused(&page, "webhook-url").await;
    page.press(&receiver.url()).await;
    page.tab_to("event-BATCH_PAUSED").await;
    page.press(SPACE).await;
    enter(&page, "add-webhook-confirm").await;
    page.find("secret").await;
    enter(&page, "close-reveal").await;
    enter(&page, "close-anyway").await;
    page.dialog_closes().await;
    // The focus is where the dialog was opened.
    is_focused(&page, "add-webhook").await;

    enter(&page, "webhook-link").await;
    is_focused(&page, "H1").await;
    page.find("test-webhook").await;
    page.run(SLOWER, vec![]).await;
    enter(&page, "test-webhook").await;
    // A button that works keeps the focus, and works once.
    let busy = "[data-testid=test-webhook][aria-disabled=true]";
    page.find_css(busy).await;
    page.press(ENTER).await;
    assert_eq!(page.focused().await, "test-webhook");
    shows(&page, "DELIVERED").await;
    assert_eq!(page.focused().await, "test-webhook");
    enter(&page, "resend").await;
    soon("it is sent again", async || receiver.messages().len() == 2).await;

    let heading = "document.querySelector('h1').focus()";
    page.run(heading, vec![]).await;
    enter(&page, "disable-webhook").await;
    enter(&page, "disable-webhook-confirm").await;
    page.dialog_closes().await;
    stands(&page, "disabled").await;
    is_focused(&page, "H1").await;
    enter(&page, "enable-webhook").await;
    stands(&page, "enabled").await;
    is_focused(&page, "H1").await;
    enter(&page, "remove-webhook").await;
    enter(&page, "remove-webhook-confirm").await;
    page.sees("Todavía no hay webhooks").await;
    is_focused(&page, "H1").await;
    assert_eq!(receiver.messages().len(), 2);
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

/// Delays mutations by a second.
const SLOWER: &str = "const real = fetch;\
    window.fetch = async (path, given) => {\
      if (given?.body?.includes?.('mutation')) await new Promise((done) => setTimeout(done, 1000));\
      return real(path, given); }";
