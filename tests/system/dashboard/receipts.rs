//! "Verify": receipts, whose fields are corrected beside the picture, and their proofs.

use std::path::Path;

use serde_json::{Value, json};

use super::verified_files::case;
use super::{Page, member_with};
use crate::browser::Look;

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

    /// Looks the payment of the receipt up, and waits for its proof.
    pub(super) async fn proves(&self, amount: &str) {
        self.click("receipt-look-up").await;
        self.find("receipt-proved").await;
        self.tells("receipt-result", &[amount]).await;
    }
}

#[tokio::test]
async fn a_screenshot_leads_to_the_proof_on_a_telephone() {
    let Some(page) = member_with(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    page.open_verify().await;
    let picture = case("recibo-whatsapp.jpg");
    let pictures: [&Path; 1] = [&picture];
    page.choose_files("verify-files", &pictures).await;
    page.cards(1).await;
    let fields = page.fields_of_receipt().await;
    assert_eq!(fields["clave_rastreo"]["value"], "MBAN01002611200000000001");
    assert_eq!(fields["cuenta"]["value"], "002010077777777771");
    page.find("receipt-picture").await;
    page.tells("receipt-notices", &["se parecen"]).await;
    page.proves("$12,500.00").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_masked_account_of_a_pasted_text_is_completed() {
    let Some(page) = member_with(Look::DESKTOP).await else {
        return;
    };
    page.open_verify().await;
    let text = "Monto: $1,234.56\nFecha: 20/11/2026\nCuenta destino: •••• 7771\n\
        Banco destino: BANAMEX\nClave de rastreo: MBAN01002611200001234567";
    page.pastes(text).await;
    let fields = page.fields_of_receipt().await;
    assert_eq!(fields["cuenta"], json!({ "value": "", "invalid": true }));
    let account = page.find_css("[data-testid=receipt] [name=cuenta]").await;
    account.send_keys("002010077777777771").await.unwrap();
    page.proves("$1,234.56").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
