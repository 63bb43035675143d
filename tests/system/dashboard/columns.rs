//! The columns of a table in the browser: chosen, changed, left out; and what is kept when a check is refused.

use serde_json::json;

use super::batches::{ACCOUNT, assert_refused_alone, assign, created, line, reads, saved};
use super::verified_files::DROP;
use super::{member_with_a_key, open};
use crate::browser::{Browser, Look};
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
    let Some((browser, gateway, _)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches/new").await;
    let file = line(1, "10.00", ACCOUNT) + &line(2, "11.00", ACCOUNT);
    let file = saved(&gateway, "sin encabezado.csv", file);
    browser.choose_files("batch-file", &[&file]).await;
    browser.find("columns-unclear").await;
    browser.sees("El archivo no tiene encabezado").await;
    let columns = browser.find("columns").await.text().await.unwrap();
    let third = format!("columna 3: {ACCOUNT}");
    assert!(columns.contains(&third), "{columns}");
    let fields = ["fecha", "clave_rastreo", "cuenta", "monto"];
    for (field, column) in fields.into_iter().zip(["1", "2", "3", "4"]) {
        assert!(!browser.has("dry-run-ready").await);
        assert_eq!(browser.run(CHECKS, vec![]).await, json!(1));
        assign(&browser, field, column).await;
        assert_eq!(chosen(&browser, field).await, column);
    }
    reads(&browser, "dry-run-ready", "2").await;
    assert!(!browser.has("columns-unclear").await);
    assert_refused_alone(&browser).await;
    browser.click("batch-start").await;
    browser.find("batch-progress").await;
}

#[tokio::test]
async fn a_refused_check_keeps_the_choices_of_columns() {
    let Some((browser, gateway, _)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches/new").await;
    browser.find("batch-file").await;
    browser.run(REFUSING, vec![]).await;
    let file = format!("Fecha;Rastreo;A;B;C\n{}", line(1, "10.00", ACCOUNT));
    let file = saved(&gateway, "pagos.csv", file);
    browser.choose_files("batch-file", &[&file]).await;
    browser.find("columns-unclear").await;
    assign(&browser, "cuenta", "3").await;
    browser.run("window.refused = 'dry_run'", vec![]).await;
    assign(&browser, "monto", "4").await;
    browser.sees("Demasiadas peticiones.").await;
    for (field, column) in [("fecha", "1"), ("cuenta", "3"), ("monto", "4")] {
        assert_eq!(chosen(&browser, field).await, column);
    }
    browser.run("window.refused = ''", vec![]).await;
    browser.click("check-again").await;
    browser.find("dry-run-ready").await;

    // A needed column that is taken away: what was found with it holds no more.
    assign(&browser, "id", "3").await;
    has_gone(&browser, "dry-run-ready").await;
    browser.find("columns-unclear").await;
    assert_eq!(chosen(&browser, "cuenta").await, "");
    assign(&browser, "cuenta", "3").await;
    browser.find("dry-run-ready").await;

    // A refused start is over with the file that it was about.
    browser.run("window.refused = 'batches'", vec![]).await;
    browser.click("batch-start").await;
    browser.find("start-refused").await;
    browser.run("window.refused = ''", vec![]).await;
    let other = saved(&gateway, "otros.csv", table("Folio"));
    browser.choose_files("batch-file", &[&other]).await;
    browser.find("dry-run-ready").await;
    has_gone(&browser, "start-refused").await;
}

/// A table whose last column is named so.
fn table(last: &str) -> String {
    let payment = line(1, "10.00", ACCOUNT);
    format!("Fecha;Rastreo;Cuenta;Monto;{last}\n{payment}")
}

#[tokio::test]
async fn a_column_that_is_not_needed_can_be_left_out() {
    let Some((browser, gateway, _)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches/new").await;
    let file = saved(&gateway, "pagos.csv", table("Banco emisor"));
    browser.choose_files("batch-file", &[&file]).await;
    // The folio is no bank's code.
    browser.find("columns").await;
    soon("it is recognised", async || {
        chosen(&browser, "emisor").await == "5"
    })
    .await;
    assign(&browser, "emisor", "0").await;
    reads(&browser, "dry-run-ready", "1").await;
    // Of two columns for one field, a person chooses one, or none.
    let file = saved(&gateway, "dos.csv", table("Folio;Id"));
    browser.choose_files("batch-file", &[&file]).await;
    browser.find("columns-unclear").await;
    assert_eq!(chosen(&browser, "id").await, "");
    assign(&browser, "id", "0").await;
    browser.find("dry-run-ready").await;
    assert_eq!(chosen(&browser, "id").await, "0");
}

#[tokio::test]
async fn mistakes_are_told_in_the_language_of_the_page() {
    let Some((browser, gateway, _)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches/new").await;
    let file = table("Folio") + &line(2, "10.00", "2.01008E+15");
    let file = saved(&gateway, "pagos.csv", file);
    browser.choose_files("batch-file", &[&file]).await;
    let says = async |text: &str| {
        soon(text, async || {
            let said = "return document.querySelector('[data-testid=rejected-row], [data-state=FAULTY]')?.innerText ?? ''";
            let said = browser.run(said, vec![]).await;
            said.as_str().unwrap().contains(text)
        })
        .await;
    };
    says("hoja de cálculo").await;
    browser.click("language").await;
    says("spreadsheet").await;
    browser.click("batch-start").await;
    browser.find("batch-progress").await;
    says("spreadsheet").await;
    browser.click("language").await;
    says("hoja de cálculo").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn of_several_files_none_is_taken_and_a_folded_place_takes_none() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches/new").await;
    browser.find("batch-file").await;
    let csv = |name: &str| json!([name, "text/csv", table("Folio")]);
    let both = json!([csv("a.csv"), csv("b.csv")]);
    browser.run(DROP, vec![both]).await;
    let refused = browser.find("batch-refused").await.text().await.unwrap();
    for said in ["a.csv, b.csv", "varios archivos"] {
        assert!(refused.contains(said), "{said}: {refused}");
    }
    assert!(!browser.has("dry-run").await);

    let id = created(&gateway, &key, &["404.02"]).await;
    open(&browser, &gateway, &format!("/batches/{id}")).await;
    browser.find("batch-payment").await;
    let zip = json!([["banco.zip", "application/zip", "PK"]]);
    browser.run(DROP, vec![zip.clone()]).await;
    assert!(!browser.has("chosen-file").await);
    browser.click_css("[data-testid=bank-batch] summary").await;
    browser.find("import-file").await;
    browser.run(DROP, vec![zip]).await;
    let taken = browser.find("chosen-file").await.text().await.unwrap();
    assert!(taken.contains("banco.zip"), "{taken}");
    // Nothing is sent before somebody says so.
    let imports = "return performance.getEntriesByType('resource')\
        .filter(({ name }) => name.includes('/import')).length";
    assert_eq!(browser.run(imports, vec![]).await, json!(0));
    browser.click("import-start").await;
    browser.sees("400 INVALID_REQUEST").await;
}
