//! Accessibility of the views: each state in both themes, both languages, on a desk and on a phone.

use std::cell::Cell;
use std::ops::Deref;

use reqwest::{Method, StatusCode};
use serde_json::json;

use super::batches::{ACCOUNT, WORKBOOK, widened};
use super::receipts::receipt_of;
use super::verified_files::with_another_amount;
use super::webhooks::{a_lookup_ends, hooks, subscribed, switched};
use super::{Page, member};
use crate::browser::{self, Look};
use crate::file_checks::xml;
use crate::gateway::request;
use crate::person::{Demo, Person};
use crate::webhooks::receiver::Receiver;

/// A state in which there is nothing to be loaded.
const SIGNED_OUT: &str = "signed out";

/// Looks and languages of a state: each theme, language and width once.
const LOOKS: [(Look, &str); 2] = [(Look::PHONE_BY_NIGHT, "en"), (Look::DESKTOP, "es")];

/// Those of every other state: the other themes on the other widths.
const OTHER_LOOKS: [(Look, &str); 2] = [
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

/// A page whose states are looked at.
struct Sound {
    page: Page,
    axe: String,
    states: Cell<usize>,
}

impl Sound {
    fn new(page: Page, axe: String) -> Self {
        let states = Cell::default();
        Self { page, axe, states }
    }
}

impl Deref for Sound {
    type Target = Page;

    fn deref(&self) -> &Page {
        &self.page
    }
}

impl Sound {
    /// Asserts that the page as it is has no fault in the looks of this state.
    async fn is_sound(&self, what: &str) {
        let state = self.states.replace(self.states.get() + 1);
        let looks = [LOOKS, OTHER_LOOKS][state % 2];
        for (look, language) in looks {
            self.show_as(look, language).await;
            if what != SIGNED_OUT {
                self.settled().await;
            }
            let what = format!("{what}, {look:?}, {language}");
            self.assert_sound(&self.axe, &what).await;
        }
        self.show_as(Look::DESKTOP, "es").await;
    }

    /// Opens a view, and looks at it once an element is there.
    async fn opened(&self, view: &str, id: &str) {
        self.open_at(view, id).await;
        self.is_sound(&format!("{view} with {id}")).await;
    }

    /// Clicks an element, and looks at what comes of it once another one is there.
    async fn clicked(&self, id: &str, shown: &str) {
        self.click_until(id, shown).await;
        self.is_sound(shown).await;
    }

    /// Opens the view of somebody who has nothing yet, in the browser's own look.
    async fn opened_by_newcomer(&self, view: &str) {
        self.open(view).await;
        self.settled().await;
        let what = format!("{view} of a newcomer");
        self.assert_sound(&self.axe, &what).await;
    }
}

#[tokio::test]
async fn no_view_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let (gateway, admin) = Person::with_gateway(Demo::Admin).await;
    let key = admin.create_key("caja 4", "test").await;
    for (number, amount) in [
        (0, "10.00"),
        (1, "10.00"),
        (2, "10.00"),
        (9, "404.00"),
        (9, "600.00"),
        (9, "600.01"),
    ] {
        gateway.post("xml", &key, &request(number, amount)).await;
    }
    let page = Page::of(gateway, Demo::Admin, Look::DESKTOP).await;
    let Some(page) = page else { return };
    let page = Sound::new(page, axe);
    let key_view = format!("/keys/{}", key.id);
    for view in [
        "/",
        "/keys",
        &key_view,
        "/requests",
        "/try",
        "/verify",
        "/accounts",
        "/admin/accounts",
        "/admin/keys",
        "/admin/usage",
        "/admin/audit",
    ] {
        page.open(view).await;
        page.is_sound(view).await;
        let complaints = page.complaints().await;
        assert_eq!(complaints, Vec::<String>::new(), "{view}");
    }
    page.open("/keys").await;
    page.clicked("create-key", "key-name").await;
    admin.add_own_account("002010077777777771").await;
    page.opened("/accounts", "own-account-row").await;
    page.clicked("add-own-account", "own-account-name").await;
    let client = &page.browser.page;
    client.delete_all_cookies().await.unwrap();
    page.open_at("", "sign-in").await;
    page.is_sound(SIGNED_OUT).await;
}

#[tokio::test]
async fn no_tried_proof_and_no_checked_file_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let Some(page) = member().await else { return };
    let page = Sound::new(page, axe);
    page.try_proof("1234.56").await;
    page.click_css("[data-testid=seal] summary").await;
    page.is_sound("a proof").await;
    let xml = xml(&page.gateway, &page.key, 1, "1234.56").await;
    let files = json!([
        ["bueno.xml", "application/xml", xml],
        ["alterado.xml", "application/xml", with_another_amount(&xml)],
        ["otro.xml", "application/xml", "<otro/>"],
        ["foto.png", "image/png", "PNG"],
        [
            "recibo.txt",
            "text/plain",
            "Monto: $1.00\nFecha: 20/11/2026\nCuenta destino: •••• 7771"
        ],
    ]);
    page.open_verify().await;
    page.drop_files(files).await;
    page.cards(5).await;
    let folded = "[data-testid=file-details]:not([open]) summary";
    page.click_css(folded).await;
    page.is_sound("checked files").await;
    page.open_verify().await;
    page.pastes(&receipt_of("1,234.56")).await;
    page.proves("$1,234.56").await;
    page.is_sound("a verdict").await;
}

#[tokio::test]
async fn no_state_of_a_lookup_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let Some(page) = member().await else { return };
    let page = Sound::new(page, axe);
    page.opened("/lookups", "lookup-curl").await;
    let waiting = page.stored("404.02").await;
    let delivered = page.stored("10.00").await;
    page.stored("404.00").await;
    page.opened("/lookups", "lookup-row").await;
    page.open(&format!("/lookups/{waiting}")).await;
    page.clicked("cancel-lookup", "cancel-confirm").await;
    page.open(&format!("/lookups/{delivered}")).await;
    page.click_css("[data-testid=seal] summary").await;
    page.is_sound("the proof").await;
    page.clicked("erase-lookup", "erase-confirm").await;
    let several = page.stored_of_several().await;
    page.opened(&format!("/lookups/{several}"), "candidates")
        .await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

const TABLE: &str = "fecha;rastreo;CLABE;total\n\
    2026-11-18;MBAN01002611180000000001;002010077777777771;10.00\n\
    2026-11-18;MBAN01002611180000000002;2.01008E+15;10.00\n\
    2026-11-18;MBAN01002611180000000001;002010077777777771;10.00\n";

#[tokio::test(flavor = "multi_thread")]
async fn no_state_of_a_batch_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let page = Page::of(gateway, Demo::Member, Look::DESKTOP).await;
    let Some(page) = page else { return };
    let mut page = Sound::new(page, axe);
    page.opened_by_newcomer("/batches").await;
    page.opened_by_newcomer("/batches/new").await;
    page.page.key = member.create_key("caja 4", "test").await;
    let waiting = page.created(&["404.02", "10.00", "10.00"]).await;
    let finished = page.created(&["10.00", "404.00", "10.x"]).await;
    let canceled = page.created(&["404.02"]).await;
    page.cancel(&canceled).await;
    let small = member.create_key("caja 5", "test").await;
    widened(&page.gateway, &small, 1).await;
    let paused = page.created_with(&small, &["10.00", "11.00"]).await;
    let carried = page.created(&["700.00"; 2]).await;
    let path = format!("/v1/cep/batches/{carried}/banxico.zip");
    let files = page.gateway.read(&path, &page.key).await;
    assert_eq!(files.status(), StatusCode::OK);
    let files = files.bytes().await.unwrap().to_vec();
    let archive = page.banks_answer(files, "700.00").await;
    let archive = page.saved("banco.zip", archive);
    let workbook = page.saved("pagos.docx", "PK");
    let (_, rows) = TABLE.split_once('\n').unwrap();
    page.opened("/batches", "batch-row").await;
    page.open(&format!("/batches/{waiting}")).await;
    page.find("batch-payment").await;
    page.click_css("[data-testid=bank-batch] summary").await;
    page.is_sound("a batch that runs").await;
    page.clicked("cancel-batch", "cancel-confirm").await;
    page.open_batch(&finished, "FINISHED").await;
    page.find("batch-payment").await;
    page.is_sound("a batch that has ended").await;
    page.fill("rows-search", "none").await;
    page.counts("[data-testid=batch-payment]", 0).await;
    page.is_sound("a batch without such rows").await;
    page.clicked("erase-batch", "erase-confirm").await;
    for (id, state) in [(&paused, "PAUSED"), (&canceled, "CANCELED")] {
        page.open_batch(id, state).await;
        page.find("batch-payment").await;
        page.is_sound(state).await;
    }
    page.open(&format!("/batches/{carried}")).await;
    page.click_css("[data-testid=bank-batch] summary").await;
    page.choose_files("import-file", &[&workbook]).await;
    page.find("import-refused").await;
    page.choose_files("import-file", &[&archive]).await;
    page.is_sound("a file that is to be imported").await;
    page.clicked("import-start", "import-report").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
    page.open("/batches/new").await;
    page.choose_table("pagos.docx", "PK").await;
    page.find("batch-refused").await;
    let last = "[data-testid=batch-key] option:last-child";
    page.click_css(last).await;
    page.is_sound("a file that is refused").await;
    page.choose_table("sin encabezado.csv", rows).await;
    page.find("columns-unclear").await;
    page.is_sound("a file without a header").await;
    page.choose_table("pagos.csv", TABLE).await;
    page.find("columns-unclear").await;
    page.is_sound("columns that aren't recognised").await;
    page.assign("monto", "4").await;
    page.find("faulty-row").await;
    page.is_sound("the check of a table").await;
    page.fill("correct-cuenta", ACCOUNT).await;
    page.is_sound("a correction").await;
    page.click_until("check-corrected", "correction").await;
    page.choose_table("pagos.xlsx", WORKBOOK).await;
    page.find("faults").await;
    page.is_sound("the check of a workbook").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_state_of_a_webhook_has_a_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let receiver = Receiver::start().await;
    let Some(page) = hooks().await else { return };
    let page = Sound::new(page, axe);
    let member = page.person().await;
    page.opened_by_newcomer("/webhooks").await;
    let events = ["lookup.delivered", "batch.paused"];
    let enabled = member.add_webhook(&receiver.url(), &events).await;
    let disabled = member.add_webhook(&receiver.url(), &["batch.paused"]).await;
    switched(&member, &disabled, false).await;
    let test = format!("{enabled}/test");
    member.send(Method::POST, &test, &json!({}), 202).await;
    let broken = Receiver::start().await;
    broken.answer_with(StatusCode::INTERNAL_SERVER_ERROR);
    let failing = subscribed(&member, &broken).await;
    a_lookup_ends(&page, &member).await;
    page.opened("/webhooks", "webhook-row").await;
    page.clicked("add-webhook", "webhook-url").await;
    page.opened(&disabled, "webhook-disabled").await;
    page.open_at(&failing, "webhook-failing").await;
    let answer = "[data-testid=delivery-row] summary";
    page.click_css(answer).await;
    page.find("delivery-final").await;
    page.is_sound("a failing webhook with an opened answer")
        .await;
    page.opened(&enabled, "delivery-row").await;
    for button in ["edit-webhook", "disable-webhook", "rotate-secret"] {
        page.clicked(button, &format!("{button}-confirm")).await;
        page.click_css("dialog[open] .dialog-head button").await;
    }
    page.click("rotate-secret").await;
    page.clicked("rotate-secret-confirm", "secret").await;
    page.clicks(&["close-reveal", "close-anyway"]).await;
    page.clicked("remove-webhook", "remove-webhook-confirm")
        .await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
