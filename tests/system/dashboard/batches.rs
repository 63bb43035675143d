//! Batches in the browser: a table with mistakes is checked, corrected, run and downloaded, and the bank's own
//! batch is brought back.

use std::io::{Cursor, Write as _, read_to_string};
use std::path::Path;

use reqwest::Method;
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{Page, member, member_with};
use crate::batches::post;
use crate::browser::Look;
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

/// Lets a key be used 600 times a minute, and so often a month.
pub(super) async fn widened(gateway: &Gateway, key: &Key, month: u32) {
    let admin = Person::signed_in(gateway, Demo::Admin).await;
    let limits = json!({ "per_minute": 600, "monthly_quota": month });
    let path = format!("/admin/keys/{}", key.id);
    admin.send(Method::PATCH, &path, &limits, 200).await;
}

/// The selector of the batch's rows in this state.
fn row_in(state: &str) -> String {
    format!("[data-testid=batch-payment][data-state={state}]")
}

impl Page {
    /// Creates a batch with the page's key; returns its id.
    pub(super) async fn created(&self, amounts: &[&str]) -> String {
        self.created_with(&self.key, amounts).await
    }

    pub(super) async fn created_with(&self, key: &Key, amounts: &[&str]) -> String {
        let rows = (500..).zip(amounts).map(|(number, amount)| {
            let asked = request(number, "10.00");
            let text = |name: &str| asked[name].as_str().unwrap().to_owned();
            let [date, tracking_key, account] = ["fecha", "clave_rastreo", "cuenta"].map(text);
            format!("{date},{tracking_key},{account},{amount},A-{number}\n")
        });
        let rows: String = rows.collect();
        let table = format!("fecha,clave_rastreo,cuenta,monto,id\n{rows}");
        let path = "?name=proveedores&formats=xml,pdf";
        let batch = json_of(post(&self.gateway, key, path, table).await, 202).await;
        batch["id"].as_str().unwrap().to_owned()
    }

    pub(super) async fn cancel(&self, id: &str) {
        let path = format!("batches/{id}/cancel");
        let canceling = self.gateway.asking(&path, &self.key).send().await;
        json_of(canceling.unwrap(), 200).await;
    }

    /// Opens a batch, and waits until it is shown in this state.
    pub(super) async fn open_batch(&self, id: &str, state: &str) {
        self.open(&format!("/batches/{id}")).await;
        self.shows(state).await;
    }

    /// Waits until the page shows a batch in this state.
    pub(super) async fn shows(&self, state: &str) {
        let selector = format!("[data-testid=batch-state][data-state={state}]");
        self.find_css(&selector).await;
    }

    /// Waits until an element shows this text.
    pub(super) async fn reads(&self, id: &str, text: &str) {
        let script =
            "return document.querySelector(`[data-testid=${arguments[0]}]`)?.textContent ?? ''";
        let is_read = async || self.run(script, vec![json!(id)]).await == text;
        soon(text, is_read).await;
    }

    /// The bank's ZIP file with the proof of each line of its own text files.
    pub(super) async fn banks_answer(&self, files: Vec<u8>, amount: &str) -> Vec<u8> {
        let mut asked = ZipArchive::new(Cursor::new(files)).unwrap();
        let text = read_to_string(asked.by_index(0).unwrap()).unwrap();
        let mut answer = ZipWriter::new(Cursor::new(Vec::new()));
        for line in text.lines() {
            let cells: Vec<_> = line.split(',').collect();
            let [date, tracking_key, _, _, account, ..] = cells[..] else {
                panic!("{line}");
            };
            let mut body =
                json!({ "fecha": date, "clave_rastreo": tracking_key, "cuenta": account });
            body["monto"] = serde_json::from_str(amount).unwrap();
            let mut proof = Vec::new();
            soon("the bank has the proof", async || {
                let found = self.gateway.post("xml_auto", &self.key, &body).await;
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

    /// Chooses the file of a batch.
    pub(super) async fn choose_table(&self, name: &str, content: impl AsRef<[u8]>) {
        let file = self.saved(name, content);
        self.choose_files("batch-file", &[&file]).await;
    }

    pub(super) async fn assign(&self, field: &str, column: &str) {
        let option = format!("[data-testid=column-{field}] option[value='{column}']");
        self.click_css(&option).await;
    }

    /// Asserts that the page complained of nothing but requests that were refused on purpose.
    pub(super) async fn assert_refused_alone(&self) {
        let complaints = self.complaints().await;
        let is_meant = |said: &String| said.contains("dry_run=true") && said.contains("400");
        assert!(complaints.iter().all(is_meant), "{complaints:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_payments_with_mistakes_are_checked_corrected_run_and_downloaded() {
    let Some(page) = member().await else { return };
    widened(&page.gateway, &page.key, 1_000).await;
    page.open("/batches").await;
    page.click("new-batch").await;
    // The only key is chosen.
    page.choose_table("pagos noviembre.csv", payments()).await;

    // One column isn't recognised: nothing is counted before a person says which it is.
    page.find("columns-unclear").await;
    assert!(!page.has("dry-run-ready").await);
    page.assign("monto", "4").await;
    for (id, expected) in [
        ("dry-run-rows", "200"),
        ("dry-run-ready", "188"),
        ("dry-run-faulty", "8"),
        ("dry-run-duplicates", "4"),
        ("dry-run-left", "1,000"),
    ] {
        page.reads(id, expected).await;
    }
    assert_eq!(page.number_of("[data-testid=faulty-row]").await, 8);
    assert_eq!(page.number_of("[data-testid=duplicate-row]").await, 4);
    let damaged = "[data-testid=faulty-row][data-line='190']";
    let damaged = page.find_css(damaged).await.text().await.unwrap();
    for said in ["F-188", "Cuenta del beneficiario", "texto"] {
        assert!(damaged.contains(said), "{said}: {damaged}");
    }
    // Nothing was created, nothing was counted.
    let member = page.person().await;
    let query = "{ batches { nodes { id } } keys { nodes { month { used } } } }";
    let before = member.ask(query, json!({})).await;
    assert_eq!(before["batches"]["nodes"], json!([]));
    assert_eq!(before["keys"]["nodes"][0]["month"]["used"], 0);

    page.click_until("batch-start", "batch-progress").await;
    page.sees("pagos noviembre").await;
    page.shows("FINISHED").await;
    let progress = "return document.querySelector('[data-testid=batch-progress]').value";
    let is_whole = async || page.run(progress, vec![]).await == 100;
    soon("the progress is whole", is_whole).await;
    let count = "return [...document.querySelectorAll('[data-count]')]\
        .map(tile => [tile.dataset.count, tile.querySelector('dd').textContent])";
    assert_eq!(
        page.run(count, vec![]).await,
        json!([["delivered", "188"], ["faulty", "8"], ["duplicates", "4"]])
    );
    let used = member.ask(query, json!({})).await;
    assert_eq!(used["keys"]["nodes"][0]["month"]["used"], 188);

    // The rows are paged, and lead to their lookups.
    page.click("rows-next").await;
    let next = "[data-testid=batch-payment][data-row='26']";
    page.find_css(next).await;
    page.click("files-zip").await;
    let archive = page.saved_file(".zip").await;
    let mut archive = ZipArchive::new(Cursor::new(archive)).unwrap();
    let names = archive.file_names().map(|name| name.unwrap().into_owned());
    let names: Vec<_> = names.collect();
    let is_proof = |name: &&String| Path::new(name).extension().is_some_and(|it| it == "xml");
    let proofs = names.iter().filter(is_proof).count();
    // The others are the summary as CSV and as a workbook.
    assert_eq!((proofs, names.len()), (188, 190), "{names:?}");
    let summary = read_to_string(archive.by_name("resumen.csv").unwrap()).unwrap();
    assert!(summary.contains("F-187"), "{summary}");
    page.click("results-csv").await;
    let results = page.saved_file(".csv").await;
    let results = String::from_utf8(results).unwrap();
    assert_eq!(results.lines().count(), 201);
    page.assert_refused_alone().await;

    page.click_until("row-lookup", "lookup-proof").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_canceled_and_erased_by_keyboard() {
    let Some(page) = member_with(Look::PHONE_BY_NIGHT).await else {
        return;
    };
    let id = page.created(&["404.02", "404.02", "404.02"]).await;
    page.open("/batches").await;
    page.enter("batch-link").await;
    page.find_css(&row_in("WAITING")).await;
    page.enter("cancel-batch").await;
    // Escape closes the dialog, and the focus is where it was.
    let keep = page.find_css("dialog[open] footer button").await;
    keep.send_keys("\u{e00c}").await.unwrap();
    page.dialog_closes().await;
    assert_eq!(page.focused().await, "cancel-batch");

    page.enter("cancel-batch").await;
    page.enter("cancel-confirm").await;
    page.dialog_closes().await;
    page.shows("CANCELED").await;
    page.find_css(&row_in("CANCELED")).await;
    // The button that had the focus is gone; Enter must not open the erasure.
    assert_eq!(page.focused().await, "H1");

    page.enter("erase-batch").await;
    page.enter("erase-confirm").await;
    page.sees("Todavía no hay lotes").await;
    page.open(&format!("/batches/{id}")).await;
    page.sees("No hay tal lote").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_open_rows_are_carried_to_the_banks_own_batch_and_its_zip_is_brought_back() {
    // A payment whose proof is there when the bank is asked the third time.
    const AMOUNT: &str = "700.00";
    let Some(page) = member().await else { return };
    let id = page.created(&[AMOUNT; 3]).await;
    page.open(&format!("/batches/{id}")).await;
    page.counts(&row_in("WAITING"), 3).await;
    page.click_css("[data-testid=bank-batch] summary").await;
    page.click("banxico").await;
    let files = page.saved_file(".zip").await;
    let answer = page.banks_answer(files, AMOUNT).await;

    let wrong = page.saved("banco.xml", "<a/>");
    page.choose_files("import-file", &[&wrong]).await;
    page.find("import-refused").await;
    let path = page.saved("banco.zip", answer);
    page.choose_files("import-file", &[&path]).await;
    page.click("import-start").await;
    page.tells("import-report", &["3 comprobantes"]).await;
    page.counts(&row_in("DELIVERED"), 3).await;
    page.sees("Traído en un archivo").await;
    page.sees("No queda ninguna fila por llevar").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

/// Sixty payments below titles, some with damaged accounts, and their total, written by openpyxl.
pub(super) const WORKBOOK: &[u8] =
    include_bytes!("../../../adapters/outbound/workbook-files/tests/written_by/openpyxl.xlsx");

/// A sheet with a title alone, and one whose header for the amount isn't known, written by `LibreOffice`.
const TWO_SHEETS: &[u8] = include_bytes!(
    "../../../adapters/outbound/workbook-files/tests/written_by/libreoffice-two-sheets.xlsx"
);

#[tokio::test]
async fn a_workbook_and_a_statement_are_checked_with_what_they_have_in_common_said_once() {
    let Some(page) = member().await else { return };
    page.open("/batches/new").await;
    page.choose_table("pagos noviembre.xlsx", WORKBOOK).await;
    for (id, expected) in [
        ("dry-run-rows", "60"),
        ("dry-run-ready", "42"),
        ("dry-run-faulty", "18"),
    ] {
        page.reads(id, expected).await;
    }
    page.tells("dry-run-total", &["66"]).await;
    let damaged = page.find_css("[data-testid=faults] [data-rows='12']").await;
    let damaged = damaged.text().await.unwrap();
    assert!(damaged.contains("12 filas: líneas 6, "), "{damaged}");
    assert_eq!(page.number_of("[data-testid=faults] > li").await, 2);

    // None of its sheets fits: which is meant can be said, and taken back.
    page.choose_table("dos hojas.xlsx", TWO_SHEETS).await;
    for sheet in ["Portada", "Pagos"] {
        let option = format!("[data-testid=batch-sheet] option[value='{sheet}']");
        page.click_css(&option).await;
        page.find("columns-unclear").await;
    }
    page.assign("monto", "4").await;
    page.reads("dry-run-ready", "2").await;
    page.tells("dry-run-total", &["5"]).await;

    // What a file says of its rows isn't believed unless a person wants it.
    let results = "consulta,estado,sello,fecha,clave_rastreo,cuenta,monto\n\
        01980000-0000-7000-8000-000000000001,delivered,valid,2026-11-20,MBAN01002611200001234567,002010077777777771,1.00\n\
        x,delivered,invalid,2026-11-20,MBAN01002611200001234568,002010077777777771,2.00\n";
    page.choose_table("resultados.csv", results).await;
    page.reads("dry-run-ready", "2").await;
    page.click("skip-answered").await;
    page.reads("dry-run-ready", "1").await;
    page.tells("dry-run-called_answered", &["1 fila no se consulta"])
        .await;

    let statement = "Cuenta: 1\nFecha;Concepto;Cargo;Abono\n\
        11/11/2026;SPEI 044180222509199082 RASTREO BNET01002611110000000077;63,913.75;\n\
        11/11/2026;COMISION SPEI;5.00;\n";
    page.choose_table("estado de cuenta.xls", statement).await;
    page.reads("dry-run-ready", "1").await;
    page.tells("dry-run-no_payment", &["4"]).await;
    let taken = ["BNET01002611110000000077", "044180222509199082"];
    page.tells("taken", &taken).await;
    page.click("batch-start").await;
    page.find("batch-payment").await;
    page.sees("63,913.75").await;
    page.assert_refused_alone().await;
}

#[tokio::test]
async fn a_file_without_a_table_or_a_good_row_is_refused_with_what_to_do() {
    let Some(page) = member().await else { return };
    page.open("/batches/new").await;
    page.choose_table("pagos.docx", "PK").await;
    page.tells("batch-refused", &["XLSX", "CSV"]).await;
    let large = vec![b'x'; 16_777_217];
    // What the server refuses is told with its words.
    let header = HEADER.replace("Total pagado", "Monto");
    let bad = header.clone() + &line(1, "10.00", "2.01008E+15");
    for (name, content, told) in [
        ("banco.zip", b"PK".to_vec(), "se revisan en «Comprobar»"),
        ("grande.csv", large, "pasa de 16"),
        (
            "pagos.xlsx",
            b"PK\x03\x04".to_vec(),
            "El libro está incompleto",
        ),
        ("datos.csv", header.into(), "400 INVALID_REQUEST"),
        ("malas.csv", bad.into(), "Corríjalas aquí"),
    ] {
        page.choose_table(name, content).await;
        page.sees(told).await;
    }
    page.assert_refused_alone().await;
}
