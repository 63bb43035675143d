//! Accessibility of the views of batches and webhooks: each state, both themes, both languages, on a desk and on
//! a phone.

use std::fs;

use reqwest::Method;
use serde_json::json;

use super::batches::{assign, created, shows};
use super::{open, settled, sign_in};
use crate::browser::{self, Browser, Look};
use crate::gateway::{Gateway, Plan, json_of};
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

const TABLE: &str = "fecha;rastreo;CLABE;total\n\
    2026-11-18;MBAN01002611180000000001;002010077777777771;10.00\n\
    2026-11-18;MBAN01002611180000000002;2.01008E+15;10.00\n\
    2026-11-18;MBAN01002611180000000001;002010077777777771;10.00\n";

#[tokio::test(flavor = "multi_thread")]
async fn no_state_of_a_batch_has_a_serious_fault_of_accessibility() {
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
    let file = gateway.folder().join("pagos.csv");
    fs::write(&file, TABLE).unwrap();
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
        assert_eq!(browser.complaints().await, Vec::<String>::new());
        open(&browser, &gateway, "/batches/new").await;
        browser.choose_files("batch-file", &[&file]).await;
        browser.find("columns-unclear").await;
        sound("columns that aren't recognised").await;
        assign(&browser, "monto", "4").await;
        browser.find("rejected-row").await;
        sound("the check of a table").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_state_of_a_webhook_has_a_serious_fault_of_accessibility() {
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
        open(&browser, &gateway, &format!("/webhooks/{id}")).await;
        browser.find("delivery-row").await;
        sound("a webhook").await;
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
