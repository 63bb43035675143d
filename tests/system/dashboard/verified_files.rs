//! "Verify": files that people were sent, each with its checks.

use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::{Value, json};

use super::{Page, member};
use crate::file_checks::{pdf, recent, xml};
use crate::gateway::soon;

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

impl Page {
    /// Opens "Verify", whose only key needs no choice.
    pub(super) async fn open_verify(&self) {
        self.open_at("/verify", "verify-files").await;
    }

    /// Chooses what is asked besides.
    async fn ask_also(&self, choice: &str) {
        if !self.has_open("verify-options").await {
            self.click_css("[data-testid=verify-options] summary").await;
        }
        self.click(choice).await;
    }

    async fn has_open(&self, details: &str) -> bool {
        self.number_of(&format!("[data-testid={details}][open]"))
            .await
            != 0
    }

    /// Waits until this many files have a result or were refused, and returns what their cards show.
    pub(super) async fn cards(&self, number: usize) -> Vec<Value> {
        let mut cards: Vec<Value> = vec![];
        soon("all files are checked", async || {
            cards = serde_json::from_value(self.run(CARDS, vec![]).await).unwrap();
            let is_pending =
                |card: &Value| card["state"] == "waiting" || card["state"] == "checking";
            cards.len() == number && !cards.iter().any(is_pending)
        })
        .await;
        cards
    }

    /// Chooses files to be checked.
    async fn choose_proofs(&self, paths: &[PathBuf]) {
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        self.choose_files("verify-files", &paths).await;
    }

    /// Drops files on the page: of each its name, type and content.
    pub(super) async fn drop_files(&self, files: Value) {
        self.find("verify-files").await;
        self.run(DROP, vec![files]).await;
    }
}

/// Asserts the result on a file, and that its card says all of this.
fn assert_card(card: &Value, result: &str, expected: &[&str]) {
    assert_eq!(card["result"], result, "{card}");
    for said in expected {
        assert!(
            card["text"].as_str().unwrap().contains(said),
            "{said}: {card}"
        );
    }
}

/// A file of `tests/cases`.
pub(super) fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(name)
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
    let Some(page) = member().await else { return };
    let xml = xml(&page.gateway, &page.key, 1, "1234.56").await;
    let pdf = pdf(&page.gateway, &page.key, 1).await;
    page.open_verify().await;
    page.choose_proofs(&[
        page.saved("bueno.xml", &xml),
        page.saved("alterado.xml", with_another_amount(&xml)),
        page.saved("bueno.pdf", &pdf),
    ])
    .await;

    let shown = page.cards(3).await;
    let [good, altered, printed] = &*shown else {
        panic!("{shown:?}")
    };
    for (card, check) in [(good, "atributos_y_cadena"), (printed, "texto_y_cadena")] {
        assert_card(card, "valid", &["$1,234.56 MXN", "no prueba nada"]);
        assert_eq!(card["open"], false, "what is well is folded away: {card}");
        assert_eq!(card["checks"]["sello"], "ok", "{card}");
        assert_eq!(card["checks"][check], "ok", "{card}");
    }
    let total = "auténtico, de prueba: 2 · no confiable: 1";
    page.sees(total).await;
    let distrusted = ["$9,234.56 MXN", "no coincide", "No confíe en este archivo"];
    assert_card(altered, "invalid", &distrusted);
    assert_eq!(altered["name"], "alterado.xml");
    assert_eq!(altered["open"], true, "{altered}");
    assert_eq!(altered["checks"]["atributos_y_cadena"], "failed");
    assert_eq!(altered["checks"]["sello"], "ok");
    // The bank was not asked.
    assert_eq!(good["checks"]["portal"], Value::Null);
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn zips_other_files_and_uncompared_pages_show_what_they_are() {
    let Some(page) = member().await else { return };
    page.open_verify().await;
    page.choose_proofs(
        &[
            "cep-de-cliente.zip",
            "recibo-whatsapp.jpg",
            "factura-cfdi.xml",
            "forged-stroke-slant.pdf",
        ]
        .map(case),
    )
    .await;
    let shown = page.cards(4).await;
    let [zip, picture, invoice, forged] = &*shown else {
        panic!("{shown:?}")
    };
    assert_card(zip, "valid", &["CEP.xml"]);
    assert_eq!(zip["state"], "done", "{zip}");
    for (card, said) in [(picture, "no prueba nada"), (invoice, "factura (CFDI)")] {
        assert!(card["text"].as_str().unwrap().contains(said), "{card}");
    }
    let sealed = ["no se comparó: lea estos datos", "$5.55 MXN"];
    assert_card(forged, "not_checked", &sealed);
    assert_eq!(forged["open"], true, "{forged}");
    let text = forged["text"].as_str().unwrap();
    assert!(!text.contains("9,999,555"), "{text}");
    let complaints = page.complaints().await;
    let is_refusal = |said: &String| said.contains("/v1/cep/verify") && said.contains("400");
    assert!(complaints.iter().all(is_refusal), "{complaints:?}");
}

#[tokio::test]
async fn a_dropped_file_is_checked_and_the_bank_is_asked_if_wanted() {
    let Some(page) = member().await else { return };
    let xml = xml(&page.gateway, &page.key, 1, "1234.56").await;
    page.open_verify().await;
    page.ask_also("verify-portal").await;
    page.drop_files(json!([["soltado.xml", "text/xml", xml]]))
        .await;
    let shown = page.cards(1).await;
    assert_card(&shown[0], "valid", &[]);
    assert_eq!(shown[0]["name"], "soltado.xml");
    assert_eq!(shown[0]["checks"]["portal"], "ok", "{shown:?}");
}

#[tokio::test]
async fn the_banks_validator_is_asked_if_wanted_and_its_verdict_is_told() {
    let Some(page) = member().await else { return };
    let xml = recent(&page.gateway, &page.key, 1, "600.01").await;
    page.open_verify().await;
    page.drop_files(json!([["sin-llave.xml", "text/xml", &xml]]))
        .await;
    assert_card(&page.cards(1).await[0], "not_checked", &[]);
    page.ask_also("verify-banxico").await;
    page.drop_files(json!([["validado.xml", "text/xml", &xml]]))
        .await;
    let shown = page.cards(2).await;
    let told = "Confirmado por el validador del Banco de México";
    assert_card(&shown[1], "valid", &[told]);
    assert_eq!(shown[1]["checks"]["sello"], "ok", "{shown:?}");
}

#[tokio::test]
async fn a_file_that_can_not_be_a_proof_is_refused_without_a_request() {
    let Some(page) = member().await else { return };
    let large = vec![b' '; 1024 * 1024 + 1];
    page.open_verify().await;
    page.choose_proofs(&[
        page.saved("grande.xml", &large),
        page.saved("vacio.xml", b""),
    ])
    .await;
    let shown = page.cards(2).await;
    for (card, said) in shown.iter().zip(["pasa de 1 MiB", "está vacío"]) {
        assert_eq!(card["state"], "refused", "{card}");
        assert!(card["text"].as_str().unwrap().contains(said), "{card}");
    }
    // There is room for twenty.
    let more: Vec<_> = (0..20)
        .map(|number| json!([format!("{number}.xml"), "application/xml", ""]))
        .collect();
    page.drop_files(json!(more)).await;
    let shown = page.cards(20).await;
    assert!(shown.iter().all(|card| card["state"] == "refused"));
    page.sees("2 no se agregaron").await;
    assert_eq!(page.run(REQUESTS, vec![]).await, 0);
    page.click("verify-clear").await;
    page.cards(0).await;
}

#[tokio::test]
async fn an_uncompared_tracking_key_is_said_to_be_unsealed_and_is_compared_on_request() {
    let Some(page) = member().await else { return };
    page.open_verify().await;
    page.choose_proofs(&[case("clave-editada.xml")]).await;
    let unsealed = ["Ningún sello protege la clave de rastreo", "sin sellar"];
    assert_card(&page.cards(1).await[0], "valid", &unsealed);
    page.click("file-compare").await;
    let none = "no se halló un comprobante con esta clave";
    page.sees(none).await;
    let shown = page.cards(1).await;
    assert_card(&shown[0], "invalid", &[]);
    assert_eq!(shown[0]["checks"]["portal"], "failed", "{shown:?}");
}

#[tokio::test]
async fn a_file_that_failed_is_retried_or_removed() {
    let Some(page) = member().await else { return };
    let xml = xml(&page.gateway, &page.key, 1, "1234.56").await;
    page.open_verify().await;
    let person = page.person().await;
    let key = format!("/keys/{}", page.key.id);
    person.send(Method::DELETE, &key, &json!({}), 200).await;
    person.create_key("caja 5", "test").await;
    let files = json!([
        ["uno.xml", "application/xml", xml],
        ["otro.xml", "application/xml", "<otro/>"],
    ]);
    page.drop_files(files).await;
    // Once the key is revoked only the first file is sent; the page finds the other key then.
    page.sees("400 INVALID_REQUEST").await;
    assert_eq!(page.run(REQUESTS, vec![]).await, 1);
    page.sees("la cuota de «caja 5»").await;

    page.click("file-retry").await;
    let shown = page.cards(2).await;
    assert_card(&shown[0], "valid", &[]);
    // No proof at all: there are no checks, and the card says why.
    assert_eq!(shown[1]["state"], "failed", "{shown:?}");
    let text = shown[1]["text"].as_str().unwrap();
    for said in ["400 INVALID_REQUEST", "SPEI_Tercero"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // Another request would be told the same.
    page.counts("[data-testid=file-retry]", 0).await;
    let failed = "[data-state=failed] [data-testid=file-remove]";
    page.click_css(failed).await;
    assert_eq!(page.cards(1).await[0]["name"], "uno.xml");
}

#[tokio::test]
async fn of_several_keys_the_one_that_was_chosen_last_is_charged() {
    let Some(page) = member().await else { return };
    page.open_verify().await;
    assert!(!page.has("verify-key").await, "of one there is no choice");
    page.tells("verify-charged", &["caja 4", "pruebas"]).await;
    let other = page.person().await.create_key("caja 5", "test").await;
    page.open_verify().await;
    page.find("verify-key").await;
    let chosen = format!("[data-testid=verify-key] option[value=\"{}\"]", other.id);
    page.click_css(&chosen).await;
    page.tells("verify-charged", &["caja 5"]).await;
    page.open_verify().await;
    page.tells("verify-charged", &["caja 5"]).await;
    page.choose_proofs(&[case("clave-original.xml")]).await;
    page.cards(1).await;
    let person = page.person().await;
    soon("the request is kept", async || {
        let kept = "{ requests { nodes { keyId endpoint } } }";
        let kept = person.ask(kept, json!({})).await;
        kept["requests"]["nodes"] == json!([{ "keyId": other.id, "endpoint": "VERIFY" }])
    })
    .await;
}
