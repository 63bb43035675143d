//! "Try it": a proof as people read it.

use super::{Page, member};
use crate::browser::Browser;

/// Fills a field of the form.
async fn fill(browser: &Browser, name: &str, text: &str) {
    let field = browser.find_css(&format!("input[name={name}]")).await;
    field.clear().await.unwrap();
    field.send_keys(text).await.unwrap();
}

impl Page {
    /// Opens "Try it" with a key in its field.
    async fn open_try(&self) {
        self.open("/try").await;
        self.fill("try-key", &self.key.full).await;
    }

    /// Asks for the proof of the form's transfer with this amount.
    pub(super) async fn try_proof(&self, amount: &str) {
        self.open_try().await;
        fill(self, "monto", amount).await;
        self.click("try-submit").await;
    }
}

/// The attribute of the element with this `data-testid`.
async fn attribute(browser: &Browser, id: &str, name: &str) -> String {
    let element = browser.find(id).await;
    element.attr(name).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_proof_is_shown_parsed_saved_and_compared_and_an_earlier_delivery_is_a_warning() {
    let Some(page) = member().await else { return };
    page.try_proof("1234.56").await;
    assert_eq!(page.text_of("proof-amount").await, "$1,234.56 MXN");
    let tracking_key = page.text_of("proof-tracking-key").await;
    assert!(tracking_key.starts_with("MBAN0100"), "{tracking_key}");
    let verdict = attribute(&page, "seal-badge", "data-verdict").await;
    assert_eq!(verdict, "valid");
    let shown = ["Abonado el", "BANAMEX", "002010077777777771"];
    page.tells("try-result", &shown).await;
    assert!(!page.has("seen").await, "it is the first delivery");
    assert!(!page.has("match-nombre").await, "no name was expected");

    page.click("copy-tracking-key").await;
    page.sees("Copiado al portapapeles").await;
    page.click("download-xml").await;
    let xml = String::from_utf8(page.saved_file(".xml").await).unwrap();
    assert!(
        xml.contains("SPEI_Tercero") && xml.contains(&tracking_key),
        "{xml}"
    );
    page.click("download-pdf").await;
    assert!(page.saved_file(".pdf").await.starts_with(b"%PDF-"));

    // Each saved file is a delivery, too.
    let name = page.text_of("proof-beneficiario-nombre").await;
    let expected = "[data-testid=try-expected] summary";
    page.click_css(expected).await;
    fill(&page, "nombre_beneficiario", &name.to_lowercase()).await;
    fill(&page, "rfc_beneficiario", "XAXX010101000").await;
    page.click("try-submit").await;
    for (id, found) in [("match-nombre", "exacta"), ("match-rfc", "ninguna")] {
        assert_eq!(attribute(&page, id, "data-match").await, found);
    }
    page.tells("seen", &["3 veces"]).await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_doubtful_seal_a_refusal_and_an_unknown_bank_are_shown_with_their_reasons() {
    let Some(page) = member().await else { return };
    for (amount, verdict, reason) in [
        ("600.00", "invalid", "No confíe en él"),
        ("600.01", "not_checked", "no se conoce la clave"),
    ] {
        page.try_proof(amount).await;
        let found = attribute(&page, "seal-badge", "data-verdict").await;
        assert_eq!(found, verdict, "{amount}");
        page.tells("seal", &[reason]).await;
        let marks = page.number_of(".sealed").await;
        assert_eq!(marks, 0, "nobody answers for a field");
    }
    page.try_proof("404.00").await;
    page.sees("404 NOT_FOUND").await;
    page.sees("Qué revisar").await;
    assert!(!page.has("proof-amount").await);

    page.open_try().await;
    fill(&page, "clave_rastreo", "7").await;
    page.click("try-submit").await;
    page.tells("gaps", &["Banco emisor:"]).await;
    let shown = page.text_of("try-result").await;
    assert!(!shown.contains("/v1/"), "{shown}");
}
