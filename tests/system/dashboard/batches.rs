//! Batches in the browser: a table with mistakes is checked, corrected, run and downloaded, and the bank's own
//! batch is brought back.

use std::fs;
use std::io::{Cursor, Write as _, read_to_string};
use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{dialog_closes, member_with_a_key, open};
use crate::batches::post;
use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, Key, json_of, request, soon};
use crate::person::{Demo, Person};

const HEADER: &str = "Fecha de operación;Clave de rastreo;CLABE;Total pagado;Folio\n";

/// A line of a table as a person's spreadsheet saves it.
pub(super) fn line(number: u32, amount: &str, account: &str) -> String {
    let key = &request(number, "10.00")["clave_rastreo"];
    let key = key.as_str().unwrap();
    format!("18/11/2026;{key};{account};\"{amount}\";F-{number}\n")
}

pub(super) const ACCOUNT: &str = "002010077777777771";

/// 200 rows: 188 good ones, 5 accounts that a spreadsheet shortened, 3 days that don't exist, 4 that ask
/// the same as earlier ones. No header that names the amounts.
fn payments() -> String {
    let mut table = HEADER.to_owned();
    for number in 0..188 {
        table += &line(number, "$1,010.00", ACCOUNT);
    }
    for number in 188..193 {
        table += &line(number, "10.00", "2.01008E+15");
    }
    for number in 193..196 {
        table += &line(number, "10.00", ACCOUNT).replace("18/11", "31/11");
    }
    for number in 0..4 {
        table += &line(number, "$1,010.00", ACCOUNT);
    }
    table
}

/// A file of a table.
pub(super) fn saved(gateway: &Gateway, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = gateway.folder().join(name);
    fs::write(&path, content).unwrap();
    path
}

/// Lets a key be used 600 times a minute, and so often a month.
pub(super) async fn widened(gateway: &Gateway, key: &Key, month: u32) {
    let admin = Person::signed_in(gateway, Demo::Admin).await;
    let limits = json!({ "per_minute": 600, "monthly_quota": month });
    let path = format!("/admin/keys/{}", key.id);
    admin.send(Method::PATCH, &path, &limits, 200).await;
}

/// Creates a batch with a key; returns its id.
pub(super) async fn created(gateway: &Gateway, key: &Key, amounts: &[&str]) -> String {
    let header = "fecha,clave_rastreo,cuenta,monto,id\n".to_owned();
    let rows = (500..).zip(amounts).map(|(number, amount)| {
        let asked = request(number, "10.00");
        let text = |name: &str| asked[name].as_str().unwrap().to_owned();
        let [date, tracking_key, account] = ["fecha", "clave_rastreo", "cuenta"].map(text);
        format!("{date},{tracking_key},{account},{amount},A-{number}\n")
    });
    let table: String = std::iter::once(header).chain(rows).collect();
    let path = "?name=proveedores&formats=xml,pdf";
    let batch = json_of(post(gateway, key, path, table).await, 202).await;
    batch["id"].as_str().unwrap().to_owned()
}

/// Waits until the page shows a batch in this state.
pub(super) async fn shows(browser: &Browser, state: &str) {
    let selector = format!("[data-testid=batch-state][data-state={state}]");
    browser.find_css(&selector).await;
}

/// The selector of the batch's rows in this state.
fn row_in(state: &str) -> String {
    format!("[data-testid=batch-payment][data-state={state}]")
}

/// Waits until an element shows this text.
pub(super) async fn reads(browser: &Browser, id: &str, text: &str) {
    let script =
        "return document.querySelector(`[data-testid=${arguments[0]}]`)?.textContent ?? ''";
    soon(text, async || {
        browser.run(script, vec![json!(id)]).await == text
    })
    .await;
}

pub(super) async fn number_of(browser: &Browser, selector: &str) -> Value {
    let script = "return document.querySelectorAll(arguments[0]).length";
    browser.run(script, vec![json!(selector)]).await
}

/// Chooses the column of a field.
pub(super) async fn assign(browser: &Browser, field: &str, column: &str) {
    let select = browser.find(&format!("column-{field}")).await;
    select.select_by_value(column).await.unwrap();
}

/// Asserts that the page complained of nothing but requests that were refused on purpose.
pub(super) async fn assert_refused_alone(browser: &Browser) {
    let complaints = browser.complaints().await;
    let is_meant = |said: &String| said.contains("dry_run=true") && said.contains("400");
    assert!(complaints.iter().all(is_meant), "{complaints:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_payments_with_mistakes_are_checked_corrected_run_and_downloaded() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    widened(&gateway, &key, 1_000).await;
    let file = saved(&gateway, "pagos noviembre.csv", payments());
    open(&browser, &gateway, "/batches").await;
    browser.click("new-batch").await;
    // The only key is chosen.
    browser.choose_files("batch-file", &[&file]).await;

    // One column isn't recognised: nothing is counted before a person says which it is.
    browser.find("columns-unclear").await;
    assert!(!browser.has("dry-run-ready").await);
    assign(&browser, "monto", "4").await;
    for (id, expected) in [
        ("dry-run-rows", "200"),
        ("dry-run-ready", "188"),
        ("dry-run-faulty", "8"),
        ("dry-run-duplicates", "4"),
        ("dry-run-left", "1,000"),
    ] {
        reads(&browser, id, expected).await;
    }
    assert_eq!(number_of(&browser, "[data-testid=rejected-row]").await, 12);
    let damaged = "[data-testid=rejected-row][data-line='190']";
    let damaged = browser.find_css(damaged).await.text().await.unwrap();
    for said in ["F-188", "Cuenta del beneficiario:", "texto"] {
        assert!(damaged.contains(said), "{said}: {damaged}");
    }
    // Nothing was created, nothing was counted.
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let query = "{ batches { nodes { id } } keys { nodes { month { used } } } }";
    let before = member.ask(query, json!({})).await;
    assert_eq!(before["batches"]["nodes"], json!([]));
    assert_eq!(before["keys"]["nodes"][0]["month"]["used"], 0);

    browser.click("batch-start").await;
    browser.find("batch-progress").await;
    browser.sees("pagos noviembre").await;
    shows(&browser, "FINISHED").await;
    let progress = "return document.querySelector('[data-testid=batch-progress]').value";
    let is_whole = async || browser.run(progress, vec![]).await == 100;
    soon("the progress is whole", is_whole).await;
    let count = "return [...document.querySelectorAll('[data-count]')]\
        .map(tile => [tile.dataset.count, tile.querySelector('dd').textContent])";
    assert_eq!(
        browser.run(count, vec![]).await,
        json!([["delivered", "188"], ["faulty", "8"], ["duplicates", "4"]])
    );
    let used = member.ask(query, json!({})).await;
    assert_eq!(used["keys"]["nodes"][0]["month"]["used"], 188);

    // The rows are paged, and lead to their lookups.
    browser.click("rows-next").await;
    let next = "[data-testid=batch-payment][data-row='26']";
    browser.find_css(next).await;
    browser.click("files-zip").await;
    let archive = browser.saved_file(".zip").await;
    let mut archive = ZipArchive::new(Cursor::new(archive)).unwrap();
    let names = archive.file_names().map(|name| name.unwrap().into_owned());
    let names: Vec<_> = names.collect();
    let is_proof = |name: &&String| Path::new(name).extension().is_some_and(|it| it == "xml");
    let proofs = names.iter().filter(is_proof).count();
    assert_eq!((proofs, names.len()), (188, 189), "{names:?}");
    let summary = read_to_string(archive.by_name("resumen.csv").unwrap()).unwrap();
    assert!(summary.contains("F-187"), "{summary}");
    browser.click("results-csv").await;
    let results = browser.saved_file(".csv").await;
    let results = String::from_utf8(results).unwrap();
    assert_eq!(results.lines().count(), 201);
    assert_refused_alone(&browser).await;

    browser.click("row-lookup").await;
    browser.find("lookup-proof").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_canceled_and_erased_by_keyboard() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    let id = created(&gateway, &key, &["404.02", "404.02", "404.02"]).await;
    open(&browser, &gateway, "/batches").await;
    browser.enter("batch-link").await;
    browser.find_css(&row_in("WAITING")).await;
    browser.enter("cancel-batch").await;
    // Escape closes the dialog, and the focus is where it was.
    let keep = browser.find_css("dialog[open] footer button").await;
    keep.send_keys("\u{e00c}").await.unwrap();
    dialog_closes(&browser).await;
    assert_eq!(browser.focused().await, "cancel-batch");

    browser.enter("cancel-batch").await;
    browser.enter("cancel-confirm").await;
    dialog_closes(&browser).await;
    shows(&browser, "CANCELED").await;
    browser.find_css(&row_in("CANCELED")).await;
    // The button that had the focus is gone; Enter must not open the erasure.
    assert_eq!(browser.focused().await, "H1");

    browser.enter("erase-batch").await;
    browser.enter("erase-confirm").await;
    browser.sees("Todavía no hay lotes").await;
    open(&browser, &gateway, &format!("/batches/{id}")).await;
    browser.sees("No hay tal lote").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

/// The bank's ZIP file with the proof of each line of its own text files.
pub(super) async fn banks_answer(
    gateway: &Gateway,
    key: &Key,
    files: Vec<u8>,
    amount: &str,
) -> Vec<u8> {
    let mut asked = ZipArchive::new(Cursor::new(files)).unwrap();
    let text = read_to_string(asked.by_index(0).unwrap()).unwrap();
    let mut answer = ZipWriter::new(Cursor::new(Vec::new()));
    for line in text.lines() {
        let cells: Vec<_> = line.split(',').collect();
        let [date, tracking_key, _, _, account, ..] = cells[..] else {
            panic!("{line}");
        };
        let mut body = json!({ "fecha": date, "clave_rastreo": tracking_key, "cuenta": account });
        body["monto"] = serde_json::from_str(amount).unwrap();
        let mut proof = Vec::new();
        soon("the bank has the proof", async || {
            let found = gateway.post("xml_auto", key, &body).await;
            let is_found = found.status() == 200;
            proof = found.bytes().await.unwrap().to_vec();
            is_found
        })
        .await;
        let name = format!("[{date}]{tracking_key}.xml");
        let options = SimpleFileOptions::default();
        answer.start_file(name, options).unwrap();
        answer.write_all(&proof).unwrap();
    }
    answer.finish().unwrap().into_inner()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_open_rows_are_carried_to_the_banks_own_batch_and_its_zip_is_brought_back() {
    // A payment whose proof is there when the bank is asked the third time.
    const AMOUNT: &str = "700.00";
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = created(&gateway, &key, &[AMOUNT; 3]).await;
    open(&browser, &gateway, &format!("/batches/{id}")).await;
    soon("each row was tried", async || {
        number_of(&browser, &row_in("WAITING")).await == 3
    })
    .await;
    browser.click_css("[data-testid=bank-batch] summary").await;
    browser.click("banxico").await;
    let files = browser.saved_file(".zip").await;
    let answer = banks_answer(&gateway, &key, files, AMOUNT).await;

    let wrong = saved(&gateway, "banco.xml", "<a/>");
    browser.choose_files("import-file", &[&wrong]).await;
    browser.find("import-refused").await;
    let path = saved(&gateway, "banco.zip", answer);
    browser.choose_files("import-file", &[&path]).await;
    browser.click("import-start").await;
    let report = browser.find("import-report").await.text().await.unwrap();
    assert!(report.contains("3 comprobantes"), "{report}");
    soon("the rows have proofs", async || {
        number_of(&browser, &row_in("DELIVERED")).await == 3
    })
    .await;
    browser.sees("Traído en un archivo").await;
    browser.sees("No queda ninguna fila por llevar").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_file_that_is_no_table_is_refused_with_what_to_do() {
    let Some((browser, gateway, _)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches/new").await;
    let workbook = saved(&gateway, "pagos.xlsx", "PK");
    browser.choose_files("batch-file", &[&workbook]).await;
    let refused = browser.find("batch-refused").await.text().await.unwrap();
    assert!(refused.contains("CSV UTF-8"), "{refused}");
    let archive = saved(&gateway, "banco.zip", "PK");
    browser.choose_files("batch-file", &[&archive]).await;
    browser.sees("se revisan en «Comprobar»").await;
    let large = saved(&gateway, "grande.csv", vec![b'x'; 16_777_217]);
    browser.choose_files("batch-file", &[&large]).await;
    browser.sees("pasa de 16").await;
    // What the server refuses is told with its words.
    let header = HEADER.replace("Total pagado", "Monto");
    let header = saved(&gateway, "datos.csv", header);
    browser.choose_files("batch-file", &[&header]).await;
    browser.sees("400 INVALID_REQUEST").await;
    assert_refused_alone(&browser).await;
}

#[tokio::test]
async fn of_a_table_without_a_good_row_nobody_is_told_to_start_with_the_others() {
    let Some((browser, gateway, _)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches/new").await;
    let rows = HEADER.replace("Total pagado", "Monto") + &line(1, "10.00", "2.01008E+15");
    let table = saved(&gateway, "malas.csv", rows);
    browser.choose_files("batch-file", &[&table]).await;
    browser.sees("Corríjalas en su archivo").await;
    assert!(!browser.text().await.contains("empezar con las demás"));
}
