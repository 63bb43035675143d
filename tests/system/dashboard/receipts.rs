//! "Verify": receipts, whose fields are corrected beside the picture, and their proofs.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rstest::rstest;
use serde_json::{Value, json};

use super::verified_files::case;
use super::{Page, member_with};
use crate::browser::Look;
use crate::gateway::soon;

/// The fields of the receipt: what they hold, and the advice below each.
const FIELDS: &str = "return Object.fromEntries(\
    [...document.querySelectorAll('[data-testid=receipt] input')].map(({ name, value, ariaInvalid }) =>\
      [name, { value, invalid: ariaInvalid === 'true' }]))";

impl Page {
    pub(super) async fn fields_of_receipt(&self) -> Value {
        self.find("receipt").await;
        self.run(FIELDS, vec![]).await
    }

    /// Pastes a text into *Verify*, and waits until it is read.
    pub(super) async fn pastes(&self, text: &str) {
        self.click_css("[data-testid=pasted] summary").await;
        self.fill("pasted-text", text).await;
        self.click("pasted-read").await;
        self.cards(1).await;
    }

    /// Presses *Look the payment up*, which asks for nothing while the account is masked: it is the field that gets the
    /// focus.
    pub(super) async fn must_complete_the_account(&self, mask: &str) {
        let masked = json!({ "value": mask, "invalid": true });
        assert_eq!(self.fields_of_receipt().await["cuenta"], masked);
        self.tells("receipt", &["sus cuentas propias"]).await;
        let asked = self.run(LOOKUPS, vec![]).await;
        self.click("receipt-look-up").await;
        let focused = "return document.activeElement.name";
        soon("the field has the focus", async || {
            self.run(focused, vec![]).await == "cuenta"
        })
        .await;
        assert_eq!(self.run(LOOKUPS, vec![]).await, asked);
    }

    /// Looks the payment of the receipt up, and waits for its proof, which says the same.
    pub(super) async fn proves(&self, amount: &str) {
        self.click("receipt-look-up").await;
        self.concludes("same").await;
        self.tells("receipt-result", &[amount]).await;
    }

    /// Waits for the verdict on the payment.
    async fn concludes(&self, verdict: &str) {
        self.find_css(&format!(
            "[data-testid=receipt-verdict][data-verdict={verdict}]"
        ))
        .await;
    }

    /// The compared fields, and whether receipt and proof say the same.
    async fn comparison(&self) -> Value {
        self.run(COMPARISON, vec![]).await
    }

    /// Begins to count the clicks of the person.
    async fn counts_clicks(&self) {
        self.run(COUNT_CLICKS, vec![]).await;
    }

    /// The clicks since then.
    async fn clicks_so_far(&self) -> u64 {
        let clicks = self.run("return window.clicks", vec![]).await;
        clicks.as_u64().unwrap()
    }
}

/// Lookups that the page has asked for.
const LOOKUPS: &str = "return performance.getEntriesByType('resource')\
    .filter(({ name }) => name.includes('/v1/cep/lookups')).length";

/// Presses of a pointer. A choice of a file is one more, which the driver makes without a pointer.
const COUNT_CLICKS: &str = "window.clicks = 0;\
    addEventListener('pointerdown', () => window.clicks++, true);\
    addEventListener('change', ({ target }) => { if (target.type === 'file') window.clicks++; }, true)";

const COMPARISON: &str = "return Object.fromEntries(\
    [...document.querySelectorAll('[data-testid=receipt-comparison] [data-field]')]\
      .map(({ dataset }) => [dataset.field, dataset.same === 'true']))";

/// Pastes a picture into the page, as a screenshot that was copied.
const PASTE_PICTURE: &str = "const bytes = Uint8Array.from(atob(arguments[0]), (char) => char.charCodeAt(0));\
    const transfer = new DataTransfer();\
    transfer.items.add(new File([bytes], 'image.jpg', { type: 'image/jpeg' }));\
    document.body.dispatchEvent(\
      new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }))";

/// Pastes a text beside all fields.
const PASTE_TEXT: &str = "const transfer = new DataTransfer();\
    transfer.setData('text/plain', arguments[0]);\
    document.body.dispatchEvent(\
      new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }))";

/// Control and A, and the end of both.
const SELECT_ALL: &str = "\u{e009}a\u{e000}";

/// A receipt of the sandbox bank's payment of this amount.
pub(super) fn receipt_of(amount: &str) -> String {
    format!(
        "Transferencia SPEI exitosa\nMonto: ${amount}\nFecha y hora: 20/nov/2026 10:53:36\n\
        Cuenta destino: 002010077777777771\nBanco destino: BANAMEX\n\
        Clave de rastreo: MBAN01002611200001234567"
    )
}

#[rstest]
#[case::phone(Look::PHONE_BY_NIGHT)]
#[case::desktop(Look::DESKTOP)]
#[tokio::test]
async fn a_screenshot_leads_to_the_proof_in_four_clicks(#[case] look: Look) {
    let Some(page) = member_with(look).await else {
        return;
    };
    page.open_at("/", "chart").await;
    page.counts_clicks().await;
    if look.width < 800 {
        page.click_css(".menu-toggle").await;
    }
    page.click_css("a[href$='/verify']").await;
    let picture = case("recibo-whatsapp.jpg");
    let pictures: [&Path; 1] = [&picture];
    page.choose_files("verify-files", &pictures).await;
    page.cards(1).await;
    page.tells("receipt-kind", &["Es un recibo"]).await;
    let fields = page.fields_of_receipt().await;
    assert_eq!(fields["clave_rastreo"]["value"], "MBAN01002611200000000001");
    assert_eq!(fields["cuenta"]["value"], "002010077777777771");
    page.find("receipt-picture").await;
    page.tells("receipt-notices", &["se parecen"]).await;
    page.proves("$12,500.00").await;
    let clicks = page.clicks_so_far().await;
    assert!((3..=4).contains(&clicks), "{clicks}");
    let comparison = page.comparison().await;
    assert_eq!(comparison["monto"], true, "{comparison}");
    assert_eq!(comparison["clave_rastreo"], true, "{comparison}");
    // The sandbox bank's beneficiary is another one than the picture's.
    assert_eq!(comparison["nombre_beneficiario"], false, "{comparison}");
    page.find("receipt-other-name").await;
    page.find("file-xml").await;
    let width = "return document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(page.run(width, vec![]).await, true, "nothing is cut off");
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_pasted_screenshot_and_a_photo_of_the_camera_are_read() {
    let Some(page) = member_with(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    page.open_verify().await;
    let picture = case("recibo-whatsapp.jpg");
    let encoded = STANDARD.encode(std::fs::read(&picture).unwrap());
    page.run(PASTE_PICTURE, vec![json!(encoded)]).await;
    let pasted = page.cards(1).await;
    assert_eq!(pasted[0]["state"], "done", "{pasted:?}");
    page.run(PASTE_TEXT, vec![json!(receipt_of("1,234.56"))])
        .await;
    let pasted = page.cards(2).await;
    assert_eq!(pasted[1]["name"], "texto pegado", "{pasted:?}");
    page.find("receipt-text").await;

    let camera = page.find("verify-files-camera").await;
    let capture = camera.attr("capture").await.unwrap();
    assert_eq!(capture.as_deref(), Some("environment"));
    let pictures: [&Path; 1] = [&picture];
    page.choose_files("verify-files-camera", &pictures).await;
    let taken = page.cards(3).await;
    assert_eq!(taken[2]["state"], "done", "{taken:?}");
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_receipt_that_says_something_else_than_the_proof_is_told_by_its_field() {
    let Some(page) = member_with(Look::DESKTOP).await else {
        return;
    };
    page.open_verify().await;
    page.pastes(&receipt_of("9,234.56")).await;
    let amount = page.find_css("[data-testid=receipt] [name=monto]").await;
    let replaced = format!("{SELECT_ALL}1234.56");
    amount.send_keys(&replaced).await.unwrap();
    page.click("receipt-look-up").await;
    page.concludes("different").await;
    page.tells("receipt-verdict", &["Distinto", "Monto"]).await;
    let comparison = page.comparison().await;
    assert_eq!(comparison["monto"], false, "{comparison}");
    assert_eq!(comparison["cuenta"], true, "{comparison}");
}

#[rstest]
#[case::not_found("404.00", "not_found", "No se halló")]
#[case::returned("404.03", "returned", "Devuelto")]
#[case::pending("404.02", "pending", "Aún sin comprobante")]
#[case::rejected("404.06", "rejected", "No se pagó")]
#[tokio::test]
async fn a_payment_without_a_proof_is_told_with_its_reason(
    #[case] amount: &str,
    #[case] verdict: &str,
    #[case] told: &str,
) {
    let Some(page) = member_with(Look::DESKTOP).await else {
        return;
    };
    page.open_verify().await;
    page.pastes(&receipt_of(amount)).await;
    page.click("receipt-look-up").await;
    page.concludes(verdict).await;
    page.tells("receipt-verdict", &[told]).await;
    page.click("receipt-lookup").await;
    page.find("attempts").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_masked_account_of_a_pasted_text_has_to_be_completed() {
    let Some(page) = member_with(Look::DESKTOP).await else {
        return;
    };
    page.open_verify().await;
    let text = "Monto: $1,234.56\nFecha: 20/11/2026\nCuenta destino: •••• 7771\n\
        Banco destino: BANAMEX\nClave de rastreo: MBAN01002611200001234567";
    page.pastes(text).await;
    page.must_complete_the_account("****7771").await;
    let account = page.find_css("[data-testid=receipt] [name=cuenta]").await;
    let whole = format!("{SELECT_ALL}002010077777777771");
    account.send_keys(&whole).await.unwrap();
    page.proves("$1,234.56").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
