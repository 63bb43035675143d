//! Accessibility of the views: each state, both themes, both languages, on a desk and on a phone.

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::batches::{assign, banks_answer, created, saved, shows, widened};
use super::live_changes::cancel;
use super::stored_lookups::stored;
use super::webhooks::{a_lookup_ends, subscribed, switched};
use super::{open, settled, sign_in};
use crate::browser::{self, Browser, Look};
use crate::gateway::{Gateway, Key, Plan, request};
use crate::person::{Demo, Person};
use crate::webhooks::receiver::Receiver;

/// A browser that is signed in.
async fn visitor(gateway: &Gateway, who: Demo) -> Option<Browser> {
    let browser = Browser::start(Look::DESKTOP).await?;
    sign_in(&browser, gateway, who).await;
    Some(browser)
}

/// Looks and languages, the browser's own last.
const LOOKS: [(Look, &str); 4] = [
    (Look::PHONE_BY_NIGHT, "en"),
    (
        Look {
            scheme: "dark",
            ..Look::DESKTOP
        },
        "en",
    ),
    (
        Look {
            scheme: "light",
            ..Look::PHONE_BY_NIGHT
        },
        "es",
    ),
    (Look::DESKTOP, "es"),
];

/// Asserts that the page as it is has no fault in any look.
pub(super) async fn assert_sound_in_all_looks(browser: &Browser, axe: &str, what: &str) {
    for (look, language) in LOOKS {
        browser.show_as(look, language).await;
        settled(browser).await;
        let what = format!("{what}, {look:?}, {language}");
        browser.assert_sound(axe, &what).await;
    }
}

#[tokio::test]
async fn no_view_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let (gateway, admin) = Person::with_gateway(Demo::Admin).await;
    let key = admin.create_key("caja 4", "test").await;
    for number in 0..3 {
        gateway.post("xml", &key, &request(number, "10.00")).await;
    }
    for amount in ["404.00", "600.00", "600.01"] {
        gateway.post("xml", &key, &request(9, amount)).await;
    }
    let Some(browser) = Browser::start(Look::DESKTOP).await else {
        return;
    };
    browser.page.goto(&gateway.url("/dashboard")).await.unwrap();
    browser.find("sign-in").await;
    for (look, language) in LOOKS {
        browser.show_as(look, language).await;
        let signed_out = format!("signed out, {look:?}, {language}");
        browser.assert_sound(&axe, &signed_out).await;
    }
    sign_in(&browser, &gateway, Demo::Admin).await;
    let key_view = format!("/keys/{}", key.id);
    for view in [
        "/",
        "/keys",
        &key_view,
        "/requests",
        "/try",
        "/verify",
        "/admin/accounts",
        "/admin/keys",
        "/admin/usage",
        "/admin/audit",
    ] {
        open(&browser, &gateway, view).await;
        assert_sound_in_all_looks(&browser, &axe, view).await;
        let complaints = browser.complaints().await;
        assert_eq!(complaints, Vec::<String>::new(), "{view}");
    }
    open(&browser, &gateway, "/keys").await;
    browser.click("create-key").await;
    assert_sound_in_all_looks(&browser, &axe, "the dialog").await;
}

#[tokio::test]
async fn no_state_of_a_lookup_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    let Some(browser) = visitor(&gateway, Demo::Member).await else {
        return;
    };
    let sound = async |what: &str| assert_sound_in_all_looks(&browser, &axe, what).await;
    open(&browser, &gateway, "/lookups").await;
    browser.find("lookup-curl").await;
    sound("an empty list").await;
    let waiting = stored(&gateway, &key, "404.02").await;
    let delivered = stored(&gateway, &key, "10.00").await;
    stored(&gateway, &key, "404.00").await;
    open(&browser, &gateway, "/lookups").await;
    browser.find("lookup-row").await;
    sound("the list").await;
    open(&browser, &gateway, &format!("/lookups/{waiting}")).await;
    browser.click("cancel-lookup").await;
    browser.find("cancel-confirm").await;
    sound("the cancellation").await;
    open(&browser, &gateway, &format!("/lookups/{delivered}")).await;
    browser.click_css("[data-testid=seal] summary").await;
    sound("the proof").await;
    browser.click("erase-lookup").await;
    browser.find("erase-confirm").await;
    sound("the erasure").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

/// The bank's ZIP file for a batch, with the proof of each row, and one that no row asks for.
async fn bank_file(gateway: &Gateway, key: &Key, id: &str) -> Vec<u8> {
    let path = format!("/v1/cep/batches/{id}/banxico.zip");
    let files = gateway.read(&path, key).await;
    assert_eq!(files.status(), StatusCode::OK);
    let files = files.bytes().await.unwrap().to_vec();
    banks_answer(gateway, key, files, "700.00").await
}

const TABLE: &str = "fecha;rastreo;CLABE;total\n\
    2026-11-18;MBAN01002611180000000001;002010077777777771;10.00\n\
    2026-11-18;MBAN01002611180000000002;2.01008E+15;10.00\n\
    2026-11-18;MBAN01002611180000000001;002010077777777771;10.00\n";

#[tokio::test(flavor = "multi_thread")]
async fn no_state_of_a_batch_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let Some(browser) = visitor(&gateway, Demo::Member).await else {
        return;
    };
    for view in ["/batches", "/batches/new"] {
        open(&browser, &gateway, view).await;
        settled(&browser).await;
        browser
            .assert_sound(&axe, &format!("{view} of a newcomer"))
            .await;
    }
    let key = member.create_key("caja 4", "test").await;
    let waiting = created(&gateway, &key, &["404.02", "10.00", "10.00"]).await;
    let finished = created(&gateway, &key, &["10.00", "404.00", "10.x"]).await;
    let canceled = created(&gateway, &key, &["404.02"]).await;
    cancel(&gateway, &key, &canceled).await;
    let small = member.create_key("caja 5", "test").await;
    widened(&gateway, &small, 1).await;
    let paused = created(&gateway, &small, &["10.00", "11.00"]).await;
    let carried = created(&gateway, &key, &["700.00"; 2]).await;
    let archive = bank_file(&gateway, &key, &carried).await;
    let archive = saved(&gateway, "banco.zip", archive);
    let file = saved(&gateway, "pagos.csv", TABLE);
    let workbook = saved(&gateway, "pagos.xlsx", "PK");
    let (_, rows) = TABLE.split_once('\n').unwrap();
    let headless = saved(&gateway, "sin encabezado.csv", rows);
    let sound = async |what: &str| assert_sound_in_all_looks(&browser, &axe, what).await;
    open(&browser, &gateway, "/batches").await;
    browser.find("batch-row").await;
    sound("the list").await;
    open(&browser, &gateway, &format!("/batches/{waiting}")).await;
    browser.find("batch-payment").await;
    browser.click_css("[data-testid=bank-batch] summary").await;
    sound("a batch that runs").await;
    browser.click("cancel-batch").await;
    browser.find("cancel-confirm").await;
    sound("the cancellation").await;
    open(&browser, &gateway, &format!("/batches/{finished}")).await;
    shows(&browser, "FINISHED").await;
    browser.find("batch-payment").await;
    sound("a batch that has ended").await;
    browser.click("erase-batch").await;
    browser.find("erase-confirm").await;
    sound("the erasure").await;
    for (id, state) in [(&paused, "PAUSED"), (&canceled, "CANCELED")] {
        open(&browser, &gateway, &format!("/batches/{id}")).await;
        shows(&browser, state).await;
        browser.find("batch-payment").await;
        sound(state).await;
    }
    open(&browser, &gateway, &format!("/batches/{carried}")).await;
    browser.click_css("[data-testid=bank-batch] summary").await;
    browser.choose_files("import-file", &[&workbook]).await;
    browser.find("import-refused").await;
    browser.choose_files("import-file", &[&archive]).await;
    sound("a file that is to be imported").await;
    browser.click("import-start").await;
    browser.find("import-report").await;
    sound("the report on an import").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    open(&browser, &gateway, "/batches/new").await;
    browser.choose_files("batch-file", &[&workbook]).await;
    browser.find("batch-refused").await;
    let last = "[data-testid=batch-key] option:last-child";
    browser.click_css(last).await;
    sound("a file that is refused").await;
    browser.choose_files("batch-file", &[&headless]).await;
    browser.find("columns-unclear").await;
    sound("a file without a header").await;
    browser.choose_files("batch-file", &[&file]).await;
    browser.find("columns-unclear").await;
    sound("columns that aren't recognised").await;
    assign(&browser, "monto", "4").await;
    browser.find("rejected-row").await;
    sound("the check of a table").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_state_of_a_webhook_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let receiver = Receiver::start().await;
    let gateway = Plan::new().with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on").start();
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let Some(browser) = visitor(&gateway, Demo::Member).await else {
        return;
    };
    open(&browser, &gateway, "/webhooks").await;
    settled(&browser).await;
    browser.assert_sound(&axe, "no webhooks").await;
    let events = ["lookup.delivered", "batch.paused"];
    let enabled = member.add_webhook(&receiver.url(), &events).await;
    let disabled = member.add_webhook(&receiver.url(), &["batch.paused"]).await;
    switched(&member, &disabled, false).await;
    let test = format!("{enabled}/test");
    member.send(Method::POST, &test, &json!({}), 202).await;
    let broken = Receiver::start().await;
    broken.answer_with(StatusCode::INTERNAL_SERVER_ERROR);
    let failing = subscribed(&member, &broken).await;
    a_lookup_ends(&gateway, &member).await;
    let sound = async |what: &str| assert_sound_in_all_looks(&browser, &axe, what).await;
    open(&browser, &gateway, "/webhooks").await;
    browser.find("webhook-row").await;
    sound("the list").await;
    browser.click("add-webhook").await;
    browser.find("webhook-url").await;
    sound("a new webhook").await;
    open(&browser, &gateway, &disabled).await;
    browser.find("webhook-disabled").await;
    settled(&browser).await;
    sound("a disabled webhook").await;
    open(&browser, &gateway, &failing).await;
    browser.find("webhook-failing").await;
    let answer = "[data-testid=delivery-row] summary";
    browser.click_css(answer).await;
    browser.find("delivery-final").await;
    sound("a failing webhook with an opened answer").await;
    open(&browser, &gateway, &enabled).await;
    browser.find("delivery-row").await;
    sound("a webhook").await;
    for (button, dialog) in [
        ("edit-webhook", "edit-webhook-confirm"),
        ("disable-webhook", "disable-webhook-confirm"),
        ("rotate-secret", "rotate-secret-confirm"),
    ] {
        browser.click(button).await;
        browser.find(dialog).await;
        sound(dialog).await;
        browser.click_css("dialog[open] .dialog-head button").await;
    }
    browser.click("rotate-secret").await;
    browser.click("rotate-secret-confirm").await;
    browser.find("secret").await;
    sound("a secret").await;
    browser.click("close-reveal").await;
    browser.click("close-anyway").await;
    browser.click("remove-webhook").await;
    browser.find("remove-webhook-confirm").await;
    sound("the removal").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
