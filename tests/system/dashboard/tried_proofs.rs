//! "Try it": a proof as people read it.

use super::batches::number_of;
use super::sound_views::assert_sound_in_all_looks;
use super::{member_with_a_key, open};
use crate::browser::{self, Browser, Look};
use crate::gateway::{Gateway, Key};

/// Fills a field of the form.
async fn fill(browser: &Browser, name: &str, text: &str) {
    let field = browser.find_css(&format!("input[name={name}]")).await;
    field.clear().await.unwrap();
    field.send_keys(text).await.unwrap();
}

/// Asks for the proof of the form's transfer with this amount.
async fn ask(browser: &Browser, amount: &str) {
    fill(browser, "monto", amount).await;
    browser.click("try-submit").await;
}

/// Opens "Try it" with a key in its field.
async fn open_with(browser: &Browser, gateway: &Gateway, key: &Key) {
    open(browser, gateway, "/try").await;
    browser.fill("try-key", &key.full).await;
}

/// The attribute of the element with this `data-testid`.
async fn attribute(browser: &Browser, id: &str, name: &str) -> String {
    let element = browser.find(id).await;
    element.attr(name).await.unwrap().unwrap()
}

async fn text(browser: &Browser, id: &str) -> String {
    browser.find(id).await.text().await.unwrap()
}

#[tokio::test]
async fn a_proof_is_shown_parsed_and_its_files_are_saved() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open_with(&browser, &gateway, &key).await;
    ask(&browser, "1234.56").await;
    assert_eq!(text(&browser, "proof-amount").await, "$1,234.56 MXN");
    let tracking_key = text(&browser, "proof-tracking-key").await;
    assert!(tracking_key.starts_with("MBAN0100"), "{tracking_key}");
    let verdict = attribute(&browser, "seal-badge", "data-verdict").await;
    assert_eq!(verdict, "valid");
    let shown = text(&browser, "try-result").await;
    for said in ["Abonado el", "BANAMEX", "002010077777777771"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(!browser.has("seen").await, "it is the first delivery");
    assert!(!browser.has("match-nombre").await, "no name was expected");

    browser.click("copy-tracking-key").await;
    browser.sees("Copiado al portapapeles").await;
    browser.click("download-xml").await;
    let xml = String::from_utf8(browser.saved_file(".xml").await).unwrap();
    assert!(
        xml.contains("SPEI_Tercero") && xml.contains(&tracking_key),
        "{xml}"
    );
    browser.click("download-pdf").await;
    assert!(browser.saved_file(".pdf").await.starts_with(b"%PDF-"));
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn an_expected_beneficiary_is_compared_and_an_earlier_delivery_is_a_warning() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open_with(&browser, &gateway, &key).await;
    ask(&browser, "1234.56").await;
    let name = text(&browser, "proof-beneficiario-nombre").await;
    let expected = "[data-testid=try-expected] summary";
    browser.click_css(expected).await;
    fill(&browser, "nombre_beneficiario", &name.to_lowercase()).await;
    fill(&browser, "rfc_beneficiario", "XAXX010101000").await;
    browser.click("try-submit").await;
    for (id, found) in [("match-nombre", "exacta"), ("match-rfc", "ninguna")] {
        assert_eq!(attribute(&browser, id, "data-match").await, found);
    }
    let warning = text(&browser, "seen").await;
    assert!(warning.contains("1 vez"), "{warning}");
}

#[tokio::test]
async fn the_verdict_of_a_seal_is_shown_with_its_reason() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    for (amount, verdict, reason) in [
        ("600.00", "invalid", "No confíe en él"),
        ("600.01", "not_checked", "no se conoce la clave"),
    ] {
        open_with(&browser, &gateway, &key).await;
        ask(&browser, amount).await;
        let found = attribute(&browser, "seal-badge", "data-verdict").await;
        assert_eq!(found, verdict, "{amount}");
        let seal = text(&browser, "seal").await;
        assert!(seal.contains(reason), "{amount}: {seal}");
        let marks = number_of(&browser, ".sealed").await;
        assert_eq!(marks, 0, "nobody answers for a field");
    }
}

#[tokio::test]
async fn a_refused_request_is_shown_with_what_to_check() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open_with(&browser, &gateway, &key).await;
    ask(&browser, "404.00").await;
    browser.sees("404 NOT_FOUND").await;
    browser.sees("Qué revisar").await;
    assert!(!browser.has("proof-amount").await);
}

#[tokio::test]
async fn a_shown_proof_has_no_serious_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open_with(&browser, &gateway, &key).await;
    ask(&browser, "1234.56").await;
    browser.click_css("[data-testid=seal] summary").await;
    assert_sound_in_all_looks(&browser, &axe, "a proof").await;
}

#[tokio::test]
async fn a_bank_that_can_not_be_inferred_is_named_with_its_reason() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open_with(&browser, &gateway, &key).await;
    fill(&browser, "clave_rastreo", "7").await;
    browser.click("try-submit").await;
    let gaps = text(&browser, "gaps").await;
    assert!(gaps.contains("Banco emisor:"), "{gaps}");
    let shown = text(&browser, "try-result").await;
    assert!(!shown.contains("/v1/"), "{shown}");
}
