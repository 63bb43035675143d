//! The columns of a table in the browser: chosen, changed, left out; and what is kept when a check is refused.

use serde_json::json;

use super::batches::{ACCOUNT, line};
use super::member;
use super::verified_files::DROP;
use crate::browser::Browser;
use crate::gateway::soon;

/// Checks of a table that the page has asked for.
const CHECKS: &str = "return performance.getEntriesByType('resource')\
    .filter(({ name }) => name.includes('dry_run=true')).length";

/// Answers to requests whose address contains `window.refused`, while that is a text.
const REFUSING: &str = "const real = fetch;\
    window.fetch = (path, given) => (window.refused && path.includes(window.refused)\
      ? Promise.resolve(new Response(JSON.stringify({ error: 'RATE_LIMITED', message: 'Demasiadas peticiones.' }), { status: 429 }))\
      : real(path, given))";

async fn chosen(browser: &Browser, field: &str) -> String {
    let value = "return document.querySelector(`[data-testid=column-${arguments[0]}]`).value";
    let value = browser.run(value, vec![json!(field)]).await;
    value.as_str().unwrap().to_owned()
}

async fn has_gone(browser: &Browser, id: &str) {
    soon("it is gone", async || !browser.has(id).await).await;
}

#[tokio::test]
async fn a_file_without_a_header_is_checked_once_its_four_columns_are_chosen() {
    let Some(page) = member().await else { return };
    page.open("/batches/new").await;
    let file = line(1, "10.00", ACCOUNT) + &line(2, "11.00", ACCOUNT);
    page.choose_table("sin encabezado.csv", file).await;
    page.find("columns-unclear").await;
    page.sees("El archivo no tiene encabezado").await;
    let third = format!("columna 3: {ACCOUNT}");
    page.tells("columns", &[&third]).await;
    let fields = ["fecha", "clave_rastreo", "cuenta", "monto"];
    for (field, column) in fields.into_iter().zip(["1", "2", "3", "4"]) {
        assert!(!page.has("dry-run-ready").await);
        assert_eq!(page.run(CHECKS, vec![]).await, json!(1));
        page.assign(field, column).await;
        assert_eq!(chosen(&page, field).await, column);
    }
    page.reads("dry-run-ready", "2").await;
    assert!(!page.has("columns-unclear").await);
    page.assert_refused_alone().await;
    page.click_until("batch-start", "batch-progress").await;
}

#[tokio::test]
async fn a_refused_check_keeps_the_choices_of_columns() {
    let Some(page) = member().await else { return };
    page.open_at("/batches/new", "batch-file").await;
    page.run(REFUSING, vec![]).await;
    let file = format!("Fecha;Rastreo;A;B;C\n{}", line(1, "10.00", ACCOUNT));
    page.choose_table("pagos.csv", file).await;
    page.find("columns-unclear").await;
    page.assign("cuenta", "3").await;
    page.run("window.refused = 'dry_run'", vec![]).await;
    page.assign("monto", "4").await;
    page.sees("Demasiadas peticiones.").await;
    for (field, column) in [("fecha", "1"), ("cuenta", "3"), ("monto", "4")] {
        assert_eq!(chosen(&page, field).await, column);
    }
    page.run("window.refused = ''", vec![]).await;
    page.click_until("check-again", "dry-run-ready").await;

    // A needed column that is taken away: what was found with it holds no more.
    page.assign("id", "3").await;
    has_gone(&page, "dry-run-ready").await;
    page.find("columns-unclear").await;
    assert_eq!(chosen(&page, "cuenta").await, "");
    page.assign("cuenta", "3").await;
    page.find("dry-run-ready").await;

    // A refused start is over with the file that it was about.
    page.run("window.refused = 'batches'", vec![]).await;
    page.click_until("batch-start", "start-refused").await;
    page.run("window.refused = ''", vec![]).await;
    page.choose_table("otros.csv", table("Folio")).await;
    page.find("dry-run-ready").await;
    has_gone(&page, "start-refused").await;
}

/// A table whose last column is named so.
fn table(last: &str) -> String {
    let payment = line(1, "10.00", ACCOUNT);
    format!("Fecha;Rastreo;Cuenta;Monto;{last}\n{payment}")
}

#[tokio::test]
async fn a_column_that_is_not_needed_can_be_left_out() {
    let Some(page) = member().await else { return };
    page.open("/batches/new").await;
    page.choose_table("pagos.csv", table("Banco emisor")).await;
    // The folio is no bank's code.
    page.find("columns").await;
    let is_recognised = async || chosen(&page, "emisor").await == "5";
    soon("it is recognised", is_recognised).await;
    page.assign("emisor", "0").await;
    page.reads("dry-run-ready", "1").await;
    // Of two columns for one field, a person chooses one, or none.
    page.choose_table("dos.csv", table("Folio;Id")).await;
    page.find("columns-unclear").await;
    assert_eq!(chosen(&page, "id").await, "");
    page.assign("id", "0").await;
    page.find("dry-run-ready").await;
    assert_eq!(chosen(&page, "id").await, "0");
}

#[tokio::test]
async fn mistakes_are_told_in_the_language_of_the_page() {
    let Some(page) = member().await else { return };
    page.open("/batches/new").await;
    let file = table("Folio") + &line(2, "10.00", "2.01008E+15");
    page.choose_table("pagos.csv", file).await;
    let says = async |text: &str| {
        soon(text, async || {
            let said = "return document.querySelector('[data-testid=faulty-row], [data-state=FAULTY]')?.innerText ?? ''";
            let said = page.run(said, vec![]).await;
            said.as_str().unwrap().contains(text)
        })
        .await;
    };
    says("hoja de cálculo").await;
    page.click("language").await;
    says("spreadsheet").await;
    page.click_until("batch-start", "batch-progress").await;
    says("spreadsheet").await;
    page.click("language").await;
    says("hoja de cálculo").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn of_several_files_none_is_taken_and_a_folded_place_takes_none() {
    let Some(page) = member().await else { return };
    page.open_at("/batches/new", "batch-file").await;
    let csv = |name: &str| json!([name, "text/csv", table("Folio")]);
    let both = json!([csv("a.csv"), csv("b.csv")]);
    page.run(DROP, vec![both]).await;
    page.tells("batch-refused", &["a.csv, b.csv", "varios archivos"])
        .await;
    assert!(!page.has("dry-run").await);

    let id = page.created(&["404.02"]).await;
    page.open(&format!("/batches/{id}")).await;
    page.find("batch-payment").await;
    let zip = json!([["banco.zip", "application/zip", "PK"]]);
    page.run(DROP, vec![zip.clone()]).await;
    assert!(!page.has("chosen-file").await);
    page.click_css("[data-testid=bank-batch] summary").await;
    page.find("import-file").await;
    page.run(DROP, vec![zip]).await;
    page.tells("chosen-file", &["banco.zip"]).await;
    // Nothing is sent before somebody says so.
    let imports = "return performance.getEntriesByType('resource')\
        .filter(({ name }) => name.includes('/import')).length";
    assert_eq!(page.run(imports, vec![]).await, json!(0));
    page.click("import-start").await;
    page.sees("400 INVALID_REQUEST").await;
}
