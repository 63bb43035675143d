//! Accessibility of the views of batches and webhooks: each state, both themes, both languages, on a desk and on
//! a phone.

use std::fs;

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::batches::{assign, banks_answer, created, shows};
use super::live_changes::cancel;
use super::webhooks::{a_lookup_ends, subscribed};
use super::{open, settled, sign_in};
use crate::browser::{self, Browser, Look};
use crate::gateway::{Gateway, Key, Plan, json_of};
use crate::person::{Demo, Person};
use crate::webhooks::receiver::Receiver;

/// A browser of this look and language, signed in.
async fn visitor(gateway: &Gateway, look: Look, language: &str) -> Option<Browser> {
    let browser = Browser::start(look).await?;
    sign_in(&browser, gateway, Demo::Member).await;
    let chosen = "localStorage.setItem('cep.language', arguments[0])";
    browser.run(chosen, vec![json!(language)]).await;
    Some(browser)
}

const LOOKS: [(Look, &str); 4] = [
    (Look::DESKTOP, "es"),
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
];

async fn assert_sound(browser: &Browser, axe: &str, what: &str) {
    let faults = browser.accessibility_faults(axe).await;
    assert_eq!(faults, Vec::<String>::new(), "{what}");
    let overflow = "return document.documentElement.scrollWidth > window.innerWidth";
    let overflow = browser.run(overflow, vec![]).await;
    assert_eq!(overflow, json!(false), "{what} is too wide");
}

/// Lets a key be used this many times a month.
async fn bounded(gateway: &Gateway, key: &Key, month: u32) {
    let admin = Person::signed_in(gateway, Demo::Admin).await;
    let mutation =
        "mutation($input: SetLimitsInput!) { adminSetLimits(input: $input) { key { id } } }";
    let input = json!({ "input": { "id": key.id, "perMinute": 600, "monthlyQuota": month } });
    admin.ask(mutation, input).await;
}

/// The bank's ZIP file for a batch, with the proof of each row, and one that no row asks for.
async fn bank_file(gateway: &Gateway, key: &Key, id: &str) -> Vec<u8> {
    let url = gateway.url(&format!("/v1/cep/batches/{id}/banxico.zip"));
    let asked = gateway.client.get(url).header("x-api-key", &key.full);
    let files = asked.send().await.unwrap();
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
    let gateway = Gateway::start();
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let Some(browser) = visitor(&gateway, Look::DESKTOP, "es").await else {
        return;
    };
    for view in ["/batches", "/batches/new"] {
        open(&browser, &gateway, view).await;
        settled(&browser).await;
        assert_sound(&browser, &axe, &format!("{view} of a newcomer")).await;
    }
    drop(browser);
    let key = member.create_key("caja 4", "test").await;
    let waiting = created(&gateway, &key, &["404.02", "10.00", "10.00"]).await;
    let finished = created(&gateway, &key, &["10.00", "404.00", "10.x"]).await;
    let canceled = created(&gateway, &key, &["404.02"]).await;
    cancel(&gateway, &key, &canceled).await;
    let small = member.create_key("caja 5", "test").await;
    bounded(&gateway, &small, 1).await;
    let paused = created(&gateway, &small, &["10.00", "11.00"]).await;
    let carried = created(&gateway, &key, &["700.00"; 2]).await;
    let archive = gateway.folder().join("banco.zip");
    fs::write(&archive, bank_file(&gateway, &key, &carried).await).unwrap();
    let file = gateway.folder().join("pagos.csv");
    fs::write(&file, TABLE).unwrap();
    let workbook = gateway.folder().join("pagos.xlsx");
    fs::write(&workbook, "PK").unwrap();
    let headless = gateway.folder().join("sin encabezado.csv");
    fs::write(&headless, TABLE.split_once('\n').unwrap().1).unwrap();
    for (look, language) in LOOKS {
        let Some(browser) = visitor(&gateway, look, language).await else {
            return;
        };
        let sound = async |what: &str| {
            assert_sound(&browser, &axe, &format!("{what}, {look:?}, {language}")).await;
        };
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
        browser
            .click_css("[data-testid=batch-key] option:last-child")
            .await;
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
}

#[tokio::test(flavor = "multi_thread")]
async fn no_state_of_a_webhook_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let receiver = Receiver::start().await;
    let gateway = Plan::new().with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on").start();
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let Some(browser) = visitor(&gateway, Look::DESKTOP, "es").await else {
        return;
    };
    open(&browser, &gateway, "/webhooks").await;
    settled(&browser).await;
    assert_sound(&browser, &axe, "no webhooks").await;
    drop(browser);
    let added = |env: &'static str| {
        let body = json!({ "url": receiver.url(), "events": ["lookup.delivered", "batch.paused"], "env": env });
        member.sending(Method::POST, "/webhooks", &body).send()
    };
    let first = json_of(added("test").await.unwrap(), 201).await;
    let id = first["webhook"]["id"].as_str().unwrap();
    let disabled = json_of(added("live").await.unwrap(), 201).await;
    let disabled = disabled["webhook"]["id"].as_str().unwrap();
    let path = format!("/webhooks/{disabled}");
    let change = member.sending(Method::PATCH, &path, &json!({ "enabled": false }));
    json_of(change.send().await.unwrap(), 200).await;
    let test = member.sending(Method::POST, &format!("/webhooks/{id}/test"), &json!({}));
    json_of(test.send().await.unwrap(), 202).await;
    let broken = Receiver::start().await;
    broken.answer_with(StatusCode::INTERNAL_SERVER_ERROR);
    let failing = subscribed(&member, &broken).await;
    a_lookup_ends(&gateway, &member).await;
    for (look, language) in LOOKS {
        let Some(browser) = visitor(&gateway, look, language).await else {
            return;
        };
        let sound = async |what: &str| {
            assert_sound(&browser, &axe, &format!("{what}, {look:?}, {language}")).await;
        };
        open(&browser, &gateway, "/webhooks").await;
        browser.find("webhook-row").await;
        sound("the list").await;
        browser.click("add-webhook").await;
        browser.find("webhook-url").await;
        sound("a new webhook").await;
        open(&browser, &gateway, &path).await;
        browser.find("webhook-disabled").await;
        settled(&browser).await;
        sound("a disabled webhook").await;
        open(&browser, &gateway, &failing).await;
        browser.find("webhook-failing").await;
        browser
            .click_css("[data-testid=delivery-row] summary")
            .await;
        browser.find("delivery-final").await;
        sound("a failing webhook with an opened answer").await;
        open(&browser, &gateway, &format!("/webhooks/{id}")).await;
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
}
