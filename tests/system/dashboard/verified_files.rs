//! "Verify": files that people were sent, each with its checks.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::batches::saved;
use super::sound_views::assert_sound_in_all_looks;
use super::{member_with_a_key, open};
use crate::browser::{self, Browser, Look};
use crate::file_checks::{pdf, xml};
use crate::gateway::{Gateway, soon};

/// The content of the cards of files.
const CARDS: &str = "return [...document.querySelectorAll('[data-testid=file]')].map(card => ({\
    name: card.querySelector('h2').textContent,\
    state: card.dataset.state,\
    result: card.querySelector('[data-testid=file-result]')?.dataset.verdict ?? null,\
    open: card.querySelector('[data-testid=file-details]')?.open ?? null,\
    checks: Object.fromEntries([...card.querySelectorAll('[data-testid=check]')]\
      .map(check => [check.dataset.check, check.dataset.result])),\
    text: card.innerText }))";

/// Drops files.
pub(super) const DROP: &str = "const transfer = new DataTransfer();\
    for (const [name, type, content] of arguments[0])\
      transfer.items.add(new File([content], name, { type }));\
    document.querySelector('h1').dispatchEvent(\
      new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))";

/// Requests to check a file that the page has made.
const REQUESTS: &str = "return performance.getEntriesByType('resource')\
    .filter(({ name }) => name.includes('/v1/cep/verify')).length";

/// Waits until this many files have a result or were refused, and returns what their cards show.
async fn cards(browser: &Browser, number: usize) -> Vec<Value> {
    let mut cards: Vec<Value> = vec![];
    soon("all files are checked", async || {
        cards = serde_json::from_value(browser.run(CARDS, vec![]).await).unwrap();
        let is_pending = |card: &Value| card["state"] == "waiting" || card["state"] == "checking";
        cards.len() == number && !cards.iter().any(is_pending)
    })
    .await;
    cards
}

/// Drops files on the page: of each its name, type and content.
async fn drop_files(browser: &Browser, files: Value) {
    browser.find("verify-files").await;
    browser.run(DROP, vec![files]).await;
}

async fn open_with(browser: &Browser, gateway: &Gateway, key: &str) {
    open(browser, gateway, "/verify").await;
    browser.fill("verify-key", key).await;
}

/// An XML whose shown amount is another one than the sealed amount.
pub(super) fn with_another_amount(xml: &str) -> String {
    let (before, after) = xml.split_once("MontoPago=\"").unwrap();
    let (amount, rest) = after.split_once('"').unwrap();
    let other = amount.replacen("1234.56", "9234.56", 1);
    assert_ne!(amount, other);
    format!("{before}MontoPago=\"{other}\"{rest}")
}

#[tokio::test]
async fn chosen_files_are_checked_and_an_altered_amount_is_seen_at_once() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let xml = xml(&gateway, &key, 1, "1234.56").await;
    let altered = with_another_amount(&xml);
    let pdf = pdf(&gateway, &key, 1).await;
    let files = [
        saved(&gateway, "bueno.xml", &xml),
        saved(&gateway, "alterado.xml", altered),
        saved(&gateway, "bueno.pdf", &pdf),
    ];
    open_with(&browser, &gateway, &key.full).await;
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    browser.choose_files("verify-files", &paths).await;

    let shown = cards(&browser, 3).await;
    let [good, altered, printed] = &*shown else {
        panic!("{shown:?}")
    };
    for (card, check) in [(good, "atributos_y_cadena"), (printed, "texto_y_cadena")] {
        assert_eq!(card["result"], "valid", "{card}");
        assert_eq!(card["open"], false, "what is well is folded away: {card}");
        assert_eq!(card["checks"]["sello"], "ok", "{card}");
        assert_eq!(card["checks"][check], "ok", "{card}");
        let text = card["text"].as_str().unwrap();
        for said in ["$1,234.56 MXN", "no prueba nada"] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }
    let total = "auténtico, de prueba: 2 · no confiable: 1";
    browser.sees(total).await;
    assert_eq!(altered["name"], "alterado.xml");
    assert_eq!(altered["result"], "invalid", "{altered}");
    assert_eq!(altered["open"], true, "{altered}");
    assert_eq!(altered["checks"]["atributos_y_cadena"], "failed");
    assert_eq!(altered["checks"]["sello"], "ok");
    let text = altered["text"].as_str().unwrap();
    for said in ["$9,234.56 MXN", "no coincide", "No confíe en este archivo"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // The bank was not asked.
    assert_eq!(good["checks"]["portal"], Value::Null);
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn of_a_page_that_was_not_compared_the_sealed_amount_is_shown() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open_with(&browser, &gateway, &key.full).await;
    let forged = case("forged-stroke-slant.pdf");
    browser.choose_files("verify-files", &[&forged]).await;
    let shown = cards(&browser, 1).await;
    assert_eq!(shown[0]["result"], "not_checked", "{shown:?}");
    assert_eq!(shown[0]["open"], true, "{shown:?}");
    let text = shown[0]["text"].as_str().unwrap();
    for said in ["no se comparó: lea estos datos", "$5.55 MXN"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("9,999,555"), "{text}");
}

#[tokio::test]
async fn a_dropped_file_is_checked_and_the_bank_is_asked_if_wanted() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let xml = xml(&gateway, &key, 1, "1234.56").await;
    open_with(&browser, &gateway, &key.full).await;
    browser.click("verify-portal").await;
    let file = json!([["soltado.xml", "text/xml", xml]]);
    drop_files(&browser, file).await;
    let shown = cards(&browser, 1).await;
    assert_eq!(shown[0]["name"], "soltado.xml");
    assert_eq!(shown[0]["result"], "valid", "{shown:?}");
    assert_eq!(shown[0]["checks"]["portal"], "ok", "{shown:?}");
}

#[tokio::test]
async fn a_file_that_can_not_be_a_proof_is_refused_without_a_request() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let large = vec![b' '; 1024 * 1024 + 1];
    let files = [
        (saved(&gateway, "grande.pdf", &large), "pasa de 1 MiB"),
        (saved(&gateway, "vacio.xml", b""), "está vacío"),
    ];
    open_with(&browser, &gateway, &key.full).await;
    let paths: Vec<_> = files.iter().map(|(path, _)| path.as_path()).collect();
    browser.choose_files("verify-files", &paths).await;
    let shown = cards(&browser, 2).await;
    for (card, (_, said)) in shown.iter().zip(files) {
        assert_eq!(card["state"], "refused", "{card}");
        assert!(card["text"].as_str().unwrap().contains(said), "{card}");
    }
    // There is room for twenty.
    let more: Vec<_> = (0..20)
        .map(|number| json!([format!("{number}.xml"), "application/xml", ""]))
        .collect();
    drop_files(&browser, json!(more)).await;
    let shown = cards(&browser, 20).await;
    assert!(shown.iter().all(|card| card["state"] == "refused"));
    browser.sees("2 no se agregaron").await;
    assert_eq!(browser.run(REQUESTS, vec![]).await, json!(0));
    browser.click("verify-clear").await;
    cards(&browser, 0).await;
}

/// A file of `tests/cases`.
fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(name)
}

#[tokio::test]
async fn a_zip_shows_each_proof_and_other_files_what_they_are() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open_with(&browser, &gateway, &key.full).await;
    let files = [
        "cep-de-cliente.zip",
        "recibo-whatsapp.jpg",
        "factura-cfdi.xml",
    ]
    .map(case);
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    browser.choose_files("verify-files", &paths).await;
    let shown = cards(&browser, 3).await;
    assert_eq!(shown[0]["state"], "done", "{shown:?}");
    assert_eq!(shown[0]["result"], "valid", "{shown:?}");
    for (card, said) in shown
        .iter()
        .zip(["CEP.xml", "no prueba nada", "factura (CFDI)"])
    {
        assert!(card["text"].as_str().unwrap().contains(said), "{card}");
    }
    let complaints = browser.complaints().await;
    let is_refusal = |said: &String| said.contains("/v1/cep/verify") && said.contains("400");
    assert!(complaints.iter().all(is_refusal), "{complaints:?}");
}

#[tokio::test]
async fn an_uncompared_tracking_key_is_said_to_be_unsealed_and_is_compared_on_request() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open_with(&browser, &gateway, &key.full).await;
    let edited = case("clave-editada.xml");
    browser.choose_files("verify-files", &[&edited]).await;
    let shown = cards(&browser, 1).await;
    assert_eq!(shown[0]["result"], "valid", "{shown:?}");
    let text = shown[0]["text"].as_str().unwrap();
    for said in ["Ningún sello protege la clave de rastreo", "sin sellar"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    browser.click("file-compare").await;
    let none = "no se halló un comprobante con esta clave";
    browser.sees(none).await;
    let shown = cards(&browser, 1).await;
    assert_eq!(shown[0]["result"], "invalid", "{shown:?}");
    assert_eq!(shown[0]["checks"]["portal"], "failed", "{shown:?}");
}

#[tokio::test]
async fn a_file_that_failed_is_retried_or_removed() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let xml = xml(&gateway, &key, 1, "1234.56").await;
    open(&browser, &gateway, "/verify").await;
    let files = json!([
        ["uno.xml", "application/xml", xml],
        ["otro.xml", "application/xml", "<otro/>"],
    ]);
    drop_files(&browser, files).await;
    // Without a key the files wait, and with a wrong one only the first is sent.
    browser.sees("Pegue una clave de API").await;
    let unknown = format!("cep_test_{}.{}", "0".repeat(8), "0".repeat(24));
    browser.fill("verify-key", &unknown).await;
    browser.click("verify-start").await;
    browser.sees("401 INVALID_API_KEY").await;
    assert_eq!(browser.run(REQUESTS, vec![]).await, json!(1));

    browser.fill("verify-key", &key.full).await;
    browser.click("file-retry").await;
    let shown = cards(&browser, 2).await;
    assert_eq!(shown[0]["result"], "valid", "{shown:?}");
    // No proof at all: there are no checks, and the card says why.
    assert_eq!(shown[1]["state"], "failed", "{shown:?}");
    let text = shown[1]["text"].as_str().unwrap();
    for said in ["400 INVALID_REQUEST", "SPEI_Tercero"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let failed = "[data-state=failed] [data-testid=file-remove]";
    browser.click_css(failed).await;
    let shown = cards(&browser, 1).await;
    assert_eq!(shown[0]["name"], "uno.xml");
}

#[tokio::test]
async fn checked_files_have_no_serious_fault_of_accessibility() {
    let Some(axe) = browser::axe() else { return };
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let xml = xml(&gateway, &key, 1, "1234.56").await;
    let files = json!([
        ["bueno.xml", "application/xml", xml],
        ["alterado.xml", "application/xml", with_another_amount(&xml)],
        ["otro.xml", "application/xml", "<otro/>"],
        ["foto.png", "image/png", "PNG"],
    ]);
    open_with(&browser, &gateway, &key.full).await;
    drop_files(&browser, files.clone()).await;
    cards(&browser, 4).await;
    let folded = "[data-testid=file-details]:not([open]) summary";
    browser.click_css(folded).await;
    assert_sound_in_all_looks(&browser, &axe, "checked files").await;
}
