//! The dashboard in a real browser.

use std::process::Command;

use fantoccini::Locator;
use reqwest::StatusCode;
use serde_json::json;

use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, Key, soon};
use crate::person::{Demo, Person};

mod batches;
mod by_keyboard;
mod columns;
mod doubtful_seals;
mod live_changes;
mod outdated;
mod repeated;
mod sound_views;
mod stored_lookups;
mod tried_proofs;
mod verdicts;
mod verified_files;
mod webhooks;

/// Opens the dashboard and signs in with one click.
pub(crate) async fn sign_in(browser: &Browser, gateway: &Gateway, who: Demo) {
    browser.page.goto(&gateway.url("/dashboard")).await.unwrap();
    browser.find("sign-in").await;
    // The only error so far is that there is no session.
    let complaints = browser.complaints().await;
    assert!(
        complaints.iter().all(|said| said.contains("401")),
        "{complaints:?}"
    );
    browser.click("sign-in").await;
    let button = format!("button[name=person][value={}]", who.subject());
    browser.click_css(&button).await;
    browser.find("sign-out").await;
}

/// A member's browser, a gateway, and a `test` key of the member.
async fn member_with_a_key(look: Look) -> Option<(Browser, Gateway, Key)> {
    let browser = Browser::start(look).await?;
    let (gateway, person) = Person::with_gateway(Demo::Member).await;
    let key = person.create_key("caja 4", "test").await;
    sign_in(&browser, &gateway, Demo::Member).await;
    Some((browser, gateway, key))
}

/// Opens one of the dashboard's views.
async fn open(browser: &Browser, gateway: &Gateway, view: &str) {
    let url = gateway.url(&format!("/dashboard{view}"));
    browser.page.goto(&url).await.unwrap();
}

/// The secret that the page shows, in a field or as text.
async fn shown_secret(browser: &Browser) -> String {
    let shown = browser.find("secret").await;
    let secret = match shown.prop("value").await.unwrap() {
        Some(value) if !value.is_empty() => value,
        _ => shown.text().await.unwrap(),
    };
    secret.trim().to_owned()
}

/// Creates a `test` key in the page, and returns the key that the page shows once.
async fn create_key(browser: &Browser, name: &str) -> (Key, String) {
    browser.click("create-key").await;
    browser.fill("key-name", name).await;
    browser.click("key-env-test").await;
    browser.click("create-submit").await;
    let full = shown_secret(browser).await;
    let curl = browser.find("curl").await.prop("textContent").await;
    let curl = curl.unwrap().unwrap();
    let prefix = full.split('.').next().unwrap().to_owned();
    let key = Key {
        id: String::new(),
        prefix,
        full,
    };
    (key, curl)
}

/// A member's browser on the page of keys, with the dialog of a new key open.
async fn member_with_a_new_key() -> Option<(Browser, Gateway, (Key, String))> {
    let browser = Browser::start(Look::DESKTOP).await?;
    let gateway = Gateway::start();
    sign_in(&browser, &gateway, Demo::Member).await;
    open(&browser, &gateway, "/keys").await;
    let key = create_key(&browser, "caja 4").await;
    Some((browser, gateway, key))
}

/// Closes the dialog of a new key; the page asks for confirmation when the key wasn't copied.
async fn close_reveal(browser: &Browser) {
    browser.click("close-reveal").await;
    let gone = async || {
        if browser.has("close-anyway").await {
            browser.click("close-anyway").await;
        }
        !browser.has("secret").await
    };
    soon("the secret is gone", gone).await;
}

#[tokio::test]
async fn a_newcomer_signs_in_makes_a_key_pastes_the_line_and_sees_the_request() {
    let Some((browser, gateway, (key, curl))) = member_with_a_new_key().await else {
        return;
    };
    assert!(key.full.starts_with("cep_test_"), "{}", key.full);
    assert!(
        curl.contains(&key.full) && curl.contains(&gateway.url("/v1/cep/")),
        "{curl}"
    );

    // Runs the shown command line in a shell.
    let ran = Command::new("sh")
        .arg("-c")
        .arg(&curl)
        .current_dir(gateway.folder())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{curl}\n{ran:?}");
    let proof = std::fs::read_to_string(gateway.folder().join("cep.xml")).unwrap();
    assert!(proof.contains("SPEI_Tercero"), "{proof}");

    close_reveal(&browser).await;
    assert!(
        !browser.page.source().await.unwrap().contains(&key.full),
        "shown once, and never again"
    );

    let person = Person::signed_in(&gateway, Demo::Member).await;
    soon("the request is kept", async || {
        let kept = "{ requests { nodes { outcome } } }";
        let kept = person.ask(kept, json!({})).await;
        kept["requests"]["nodes"] == json!([{ "outcome": "DELIVERED" }])
    })
    .await;
    open(&browser, &gateway, "/").await;
    browser.find("chart").await;
    let table = "return document.querySelector('[data-testid=chart-table]').textContent";
    soon("the chart shows it", async || {
        browser.find("chart-table").await;
        let shown = browser.run(table, vec![]).await;
        shown
            .as_str()
            .is_some_and(|shown| shown.contains("Entregado") && shown.contains('1'))
    })
    .await;
    browser.find("requests-table").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_key_that_is_revoked_in_the_page_is_refused_by_the_next_request() {
    let Some((browser, gateway, (key, _))) = member_with_a_new_key().await else {
        return;
    };
    close_reveal(&browser).await;
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);

    browser.click_css("[data-testid=key-row] a").await;
    browser.click("revoke").await;
    let dialog = browser.find_css("dialog[open]").await;
    // It names the key.
    assert!(dialog.text().await.unwrap().contains("caja 4"));
    browser.click("revoke-confirm").await;
    soon("the key is refused", async || {
        gateway.status_of(&key).await == StatusCode::UNAUTHORIZED
    })
    .await;
    browser.sees("revocada").await;
}

#[tokio::test]
async fn a_key_is_rotated_with_grace() {
    let Some((browser, gateway, (old, _))) = member_with_a_new_key().await else {
        return;
    };
    close_reveal(&browser).await;
    browser.click_css("[data-testid=key-row] a").await;
    browser.click("rotate").await;
    browser.find("grace").await;
    browser.click("rotate-confirm").await;
    soon("the successor is shown", async || {
        browser.has("secret").await
    })
    .await;
    let full = shown_secret(&browser).await;
    assert_ne!(full, old.full);
    let new = Key {
        full,
        ..old.clone()
    };
    for key in [&old, &new] {
        assert_eq!(gateway.status_of(key).await, StatusCode::OK);
    }
}

#[tokio::test]
async fn the_admin_part_is_for_admins() {
    let Some(browser) = Browser::start(Look::DESKTOP).await else {
        return;
    };
    let gateway = Gateway::start();
    sign_in(&browser, &gateway, Demo::Member).await;
    assert!(!browser.has("admin-nav").await);
    // The API refuses a person who types the address, and the page shows it.
    open(&browser, &gateway, "/admin/accounts").await;
    browser.find("forbidden").await;
    drop(browser);
    let Some(browser) = Browser::start(Look::DESKTOP).await else {
        return;
    };
    sign_in(&browser, &gateway, Demo::Admin).await;
    browser.find("admin-nav").await;
    open(&browser, &gateway, "/admin/accounts").await;
    browser.sees("demo-member").await;
}

/// Waits until nothing is being loaded.
async fn settled(browser: &Browser) {
    browser.find("sign-out").await;
    let is_busy = Locator::Css("[aria-busy=true]");
    let heading = Locator::Css("main h1");
    soon("everything is loaded", async || {
        browser.page.find(is_busy).await.is_err() && browser.page.find(heading).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn an_admin_sets_limits_and_a_plan_and_a_person_renames() {
    let Some(browser) = Browser::start(Look::DESKTOP).await else {
        return;
    };
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    sign_in(&browser, &gateway, Demo::Admin).await;
    let enterprise = "dialog[open] input[value=ENTERPRISE]";
    open(&browser, &gateway, &format!("/admin/keys/{}", key.id)).await;
    browser.click("set-limits").await;
    browser.click_css(enterprise).await;
    browser.click("limits-confirm").await;
    dialog_closes(&browser).await;
    assert_eq!(member.keys().await[0]["per_minute"], 600);
    open(&browser, &gateway, "/admin/accounts").await;
    browser.click("set-plan").await;
    browser.click_css(enterprise).await;
    browser.click("plan-confirm").await;
    dialog_closes(&browser).await;
    let plans = "{ admin { accounts { nodes { plan } } } }";
    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    let plans = admin.ask(plans, json!({})).await;
    assert!(plans.to_string().contains("ENTERPRISE"), "{plans}");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    drop(browser);

    let Some(browser) = Browser::start(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    sign_in(&browser, &gateway, Demo::Member).await;
    open(&browser, &gateway, &format!("/keys/{}", key.id)).await;
    browser.click("rename").await;
    let field = browser.find_css("dialog[open] input").await;
    field.clear().await.unwrap();
    field.send_keys("caja 5").await.unwrap();
    browser.click("rename-confirm").await;
    browser.sees("caja 5").await;
    assert_eq!(member.keys().await[0]["name"], "caja 5");
}

/// Waits until no dialog is open: its operation is done.
async fn dialog_closes(browser: &Browser) {
    soon("the dialog closes", async || {
        let open = Locator::Css("dialog[open]");
        browser.page.find(open).await.is_err()
    })
    .await;
}
