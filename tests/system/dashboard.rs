//! The dashboard in a real browser.

use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;

use reqwest::StatusCode;
use serde_json::json;

use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, Key, soon};
use crate::person::{Demo, Person};

mod batches;
mod by_keyboard;
mod columns;
mod corrections;
mod live_changes;
mod outdated;
mod own_accounts;
mod receipts;
mod seal_verdicts;
mod sound_views;
mod stored_lookups;
mod tried_proofs;
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

/// The dashboard in the browser of somebody who has signed in.
struct Page {
    browser: Browser,
    gateway: Gateway,
    /// A `test` key of theirs, once they have one.
    key: Key,
}

impl Deref for Page {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}

/// The page of a member who has a key, on a desktop.
async fn member() -> Option<Page> {
    member_with(Look::DESKTOP).await
}

async fn member_with(look: Look) -> Option<Page> {
    let (gateway, person) = Person::with_gateway(Demo::Member).await;
    let key = person.create_key("caja 4", "test").await;
    let page = Page::of(gateway, Demo::Member, look).await?;
    Some(Page { key, ..page })
}

/// The page of a member who has just closed the dialog of a new key.
async fn new_key() -> Option<Page> {
    let mut page = Page::of(Gateway::start(), Demo::Member, Look::DESKTOP).await?;
    page.create_key().await;
    page.close_reveal().await;
    Some(page)
}

impl Page {
    /// The page of a person without a key.
    async fn of(gateway: Gateway, who: Demo, look: Look) -> Option<Self> {
        let browser = Browser::start(look).await?;
        sign_in(&browser, &gateway, who).await;
        Some(Self {
            browser,
            gateway,
            key: Key::unknown(),
        })
    }

    /// The gateway's client of a member's session.
    async fn person(&self) -> Person {
        Person::signed_in(&self.gateway, Demo::Member).await
    }

    /// Opens one of the dashboard's views.
    async fn open(&self, view: &str) {
        let url = self.gateway.url(&format!("/dashboard{view}"));
        self.browser.page.goto(&url).await.unwrap();
    }

    /// Opens a view, and waits for the element with this `data-testid`.
    async fn open_at(&self, view: &str, id: &str) {
        self.open(view).await;
        self.find(id).await;
    }

    /// Saves a file that can be chosen.
    fn saved(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.gateway.folder().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The secret that the page shows, in a field or as text.
    async fn shown_secret(&self) -> String {
        let shown = self.find("secret").await;
        let secret = match shown.prop("value").await.unwrap() {
            Some(value) if !value.is_empty() => value,
            _ => shown.text().await.unwrap(),
        };
        secret.trim().to_owned()
    }

    /// Creates a `test` key in the page, and returns the command line that the page shows with it.
    async fn create_key(&mut self) -> String {
        self.open("/keys").await;
        self.click("create-key").await;
        self.fill("key-name", "caja 4").await;
        self.click("key-env-test").await;
        self.click("create-submit").await;
        self.key.full = self.shown_secret().await;
        let curl = self.find("curl").await.prop("textContent").await;
        curl.unwrap().unwrap()
    }

    /// Closes the dialog of a secret; the page asks for confirmation when it wasn't copied.
    async fn close_reveal(&self) {
        self.click("close-reveal").await;
        let gone = async || {
            if self.has("close-anyway").await {
                self.click("close-anyway").await;
            }
            !self.has("secret").await
        };
        soon("the secret is gone", gone).await;
    }

    /// Waits until nothing is being loaded.
    async fn settled(&self) {
        self.find("sign-out").await;
        self.find_css("main h1").await;
        self.counts("[aria-busy=true]", 0).await;
    }

    /// Waits until no dialog is open: its operation is done.
    async fn dialog_closes(&self) {
        self.counts("dialog[open]", 0).await;
    }
}

#[tokio::test]
async fn a_newcomer_signs_in_makes_a_key_pastes_the_line_and_sees_the_request() {
    let newcomer = Page::of(Gateway::start(), Demo::Member, Look::DESKTOP);
    let Some(mut page) = newcomer.await else {
        return;
    };
    let curl = page.create_key().await;
    let full = &page.key.full;
    assert!(full.starts_with("cep_test_"), "{full}");
    assert!(
        curl.contains(full) && curl.contains(&page.gateway.url("/v1/cep/")),
        "{curl}"
    );

    // Runs the shown command line in a shell.
    let folder = page.gateway.folder();
    let ran = Command::new("sh")
        .args(["-c", &curl])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{curl}\n{ran:?}");
    let proof = std::fs::read_to_string(folder.join("cep.xml")).unwrap();
    assert!(proof.contains("SPEI_Tercero"), "{proof}");

    page.close_reveal().await;
    let source = page.browser.page.source().await.unwrap();
    assert!(!source.contains(full), "shown once, and never again");

    let person = page.person().await;
    soon("the request is kept", async || {
        let kept = "{ requests { nodes { outcome } } }";
        let kept = person.ask(kept, json!({})).await;
        kept["requests"]["nodes"] == json!([{ "outcome": "DELIVERED" }])
    })
    .await;
    page.open_at("/", "chart").await;
    let table = "return document.querySelector('[data-testid=chart-table]').textContent";
    soon("the chart shows it", async || {
        page.find("chart-table").await;
        let shown = page.run(table, vec![]).await;
        shown
            .as_str()
            .is_some_and(|shown| shown.contains("Entregado") && shown.contains('1'))
    })
    .await;
    page.find("requests-table").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_key_that_is_revoked_in_the_page_is_refused_by_the_next_request() {
    let Some(page) = new_key().await else { return };
    assert_eq!(page.gateway.status_of(&page.key).await, StatusCode::OK);
    page.click_css("[data-testid=key-row] a").await;
    page.click("revoke").await;
    let dialog = page.find_css("dialog[open]").await;
    // It names the key.
    assert!(dialog.text().await.unwrap().contains("caja 4"));
    page.click("revoke-confirm").await;
    let is_refused = async || page.gateway.status_of(&page.key).await == StatusCode::UNAUTHORIZED;
    soon("the key is refused", is_refused).await;
    page.sees("revocada").await;
}

#[tokio::test]
async fn a_key_is_rotated_with_grace() {
    let Some(page) = new_key().await else { return };
    page.click_css("[data-testid=key-row] a").await;
    page.click_until("rotate", "grace").await;
    page.click("rotate-confirm").await;
    let full = page.shown_secret().await;
    assert_ne!(full, page.key.full);
    let new = Key {
        full,
        ..page.key.clone()
    };
    for key in [&page.key, &new] {
        assert_eq!(page.gateway.status_of(key).await, StatusCode::OK);
    }
}

#[tokio::test]
async fn admins_alone_set_limits_and_plans_and_a_member_renames_a_key() {
    let Some(page) = member_with(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    let member = page.person().await;
    assert!(!page.has("admin-nav").await);
    page.open(&format!("/keys/{}", page.key.id)).await;
    page.click("rename").await;
    let field = page.find_css("dialog[open] input").await;
    field.clear().await.unwrap();
    field.send_keys("caja 5").await.unwrap();
    page.click("rename-confirm").await;
    page.sees("caja 5").await;
    assert_eq!(member.keys().await[0]["name"], "caja 5");
    // The API refuses a person who types the address, and the page shows it.
    page.open_at("/admin/accounts", "forbidden").await;

    let (gateway, key) = (page.gateway, page.key);
    let page = Page::of(gateway, Demo::Admin, Look::DESKTOP).await;
    let page = page.expect("there was a browser before");
    page.find("admin-nav").await;
    let enterprise = "dialog[open] input[value=ENTERPRISE]";
    page.open(&format!("/admin/keys/{}", key.id)).await;
    page.click("set-limits").await;
    page.click_css(enterprise).await;
    page.click("limits-confirm").await;
    page.dialog_closes().await;
    assert_eq!(member.keys().await[0]["per_minute"], 600);
    page.open("/admin/accounts").await;
    page.sees("demo-member").await;
    page.click("set-plan").await;
    page.click_css(enterprise).await;
    page.click("plan-confirm").await;
    page.dialog_closes().await;
    let plans = "{ admin { accounts { nodes { plan } } } }";
    let admin = Person::signed_in(&page.gateway, Demo::Admin).await;
    let plans = admin.ask(plans, json!({})).await;
    assert!(plans.to_string().contains("ENTERPRISE"), "{plans}");
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
