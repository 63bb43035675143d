//! Corrections of a table on the page, the rows of a batch that are looked for, and its results as a workbook that
//! is sent again.

use bytes::Bytes;
use domain::batches::sheet::WorkbookCell;
use ports::outbound::WorkbookReader as _;
use serde_json::json;
use workbook_files::WorkbookFiles;

use super::batches::{ACCOUNT, WORKBOOK, widened};
use super::{Page, member, member_with};
use crate::browser::Look;
use crate::gateway::soon;

/// The texts of the rows of a workbook's first sheet.
fn texts_of(workbook: Vec<u8>) -> Vec<Vec<String>> {
    let mut workbook = WorkbookFiles.open(Bytes::from(workbook)).unwrap();
    let rows = workbook.rows(0).unwrap().into_iter();
    let text = |(_, cell)| match cell {
        WorkbookCell::Text(text) => Some(text),
        _ => None,
    };
    rows.map(|row| row.cells.into_iter().filter_map(text).collect())
        .collect()
}

/// The selector of the field of a faulty row.
fn field(line: u32, field: &str) -> String {
    format!("[data-testid=faulty-row][data-line='{line}'] [data-testid=correct-{field}]")
}

impl Page {
    /// Types a value into the field of a faulty row.
    async fn correct(&self, line: u32, name: &str, value: &str) {
        let field = self.find_css(&field(line, name)).await;
        field.clear().await.unwrap();
        field.send_keys(value).await.unwrap();
    }

    async fn choose(&self, select: &str, value: &str) {
        let select = self.find(select).await;
        select.select_by_value(value).await.unwrap();
    }

    /// Waits until so many rows of the batch are shown, and these words tell how many.
    async fn shows_rows(&self, number: usize, told: &str) {
        self.counts("[data-testid=batch-payment]", number).await;
        self.reads("rows-shown", told).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_accounts_are_corrected_on_the_page_and_the_workbook_of_results_is_tried_again() {
    let Some(page) = member().await else { return };
    widened(&page.gateway, &page.key, 1_000).await;
    page.open("/batches/new").await;
    page.choose_table("pagos noviembre.xlsx", WORKBOOK).await;
    page.reads("dry-run-faulty", "18").await;
    for (line, account) in [
        (6, "044180222509199082"),
        (16, ACCOUNT),
        (21, "036180474644738021"),
    ] {
        page.correct(line, "cuenta", account).await;
    }
    // What wasn't checked isn't started.
    page.click("batch-start").await;
    page.sees("Primero revise de nuevo").await;
    page.click("check-corrected").await;
    page.reads("dry-run-faulty", "15").await;
    page.counts("[data-testid=correction]", 3).await;
    page.click_css("[data-testid=correction][data-line='21'] button")
        .await;
    page.click("check-corrected").await;
    page.reads("dry-run-ready", "44").await;
    page.choose("batch-retry-for", "0").await;
    page.click_until("batch-start", "batch-payment").await;
    page.shows("FINISHED").await;

    // 404.03, 500.00 and 700.00 have no proof, and the seal of 600.00 is invalid.
    page.shows_rows(25, "Filas 1 a 25 de 60").await;
    page.choose("rows-state", "FAULTY").await;
    page.shows_rows(16, "16 filas").await;
    let written = page.text_of("rows-table").await;
    assert!(written.contains("3.61804746447380E+16"), "{written}");
    page.choose("rows-state", "PROVEN").await;
    page.shows_rows(25, "25 filas en esta página").await;
    page.click("rows-next").await;
    page.shows_rows(15, "15 filas en esta página").await;
    page.choose("rows-state", "").await;
    page.fill("rows-search", "f-1200").await;
    page.shows_rows(1, "1 fila").await;
    page.browser.page.refresh().await.unwrap();
    page.shows_rows(1, "1 fila").await;
    page.fill("rows-search", "nada").await;
    page.sees("Ninguna fila coincide").await;

    page.click("results-xlsx").await;
    let rows = texts_of(page.saved_file(".xlsx").await);
    let row = rows.iter().find(|row| row.contains(&"F-1200".to_owned()));
    let row = row.unwrap_or_else(|| panic!("{rows:?}"));
    for cell in ["entregada", "044180222509199082", "Papelería Núñez"] {
        assert!(row.iter().any(|it| it == cell), "{cell}: {row:?}");
    }

    let used = "{ keys { nodes { month { used } } } }";
    let member = page.person().await;
    let before = member.ask(used, json!({})).await;
    page.click_until("try-again", "dry-run-answered").await;
    page.tells("chosen-file", &["pagos noviembre.xlsx"]).await;
    page.reads("dry-run-faulty", "16").await;
    // Those with the proof, and the one that was returned.
    page.tells("dry-run-answered", &["41 filas ya tienen respuesta"])
        .await;
    page.reads("dry-run-ready", "3").await;
    let name = page.find("batch-name").await.prop("value").await;
    assert_eq!(name.unwrap().as_deref(), Some("pagos noviembre"));
    assert_eq!(member.ask(used, json!({})).await, before);
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

/// Three rows with a bank that nobody knows, one with a wrong day, and one that can't be read.
fn with_unknown_bank() -> String {
    let row = |number: u32, rest: &str| {
        format!("{rest},MBAN0100261118000000000{number},{ACCOUNT},1{number}.00")
    };
    let mut table = "fecha,clave_rastreo,cuenta,monto,receptor\n".to_owned();
    for number in 1..4 {
        table += &(row(number, "2026-11-18") + ",BNCO RARO\n");
    }
    table + &row(4, "2026-11-31") + ",\n" + "2026-11-18,\"MBAN01\n"
}

#[tokio::test]
async fn one_correction_is_of_all_rows_with_the_same_value_and_each_is_undone_by_keyboard() {
    let page = member_with(Look::PHONE_BY_NIGHT).await;
    let Some(page) = page else { return };
    page.open("/batches/new").await;
    page.choose_table("pagos.csv", with_unknown_bank()).await;
    page.counts("[data-testid=faulty-row]", 5).await;
    let unreadable = "[data-testid=faulty-row][data-line='6']";
    let unreadable = page.find_css(unreadable).await.text().await.unwrap();
    assert!(
        unreadable.contains("corríjala en su archivo"),
        "{unreadable}"
    );

    page.correct(3, "receptor", "40002").await;
    page.tab_to("correct-all").await;
    page.press("\u{e007}").await;
    for line in 2..5 {
        let field = page.find_css(&field(line, "receptor")).await;
        let value = field.prop("value").await.unwrap();
        assert_eq!(value.as_deref(), Some("40002"), "{line}");
    }
    // Enter in a field checks.
    page.correct(5, "fecha", "2026-11-18\u{e007}").await;
    page.reads("dry-run-ready", "4").await;
    page.counts("[data-testid=faulty-row]", 1).await;
    page.tells("corrections", &["Cada fila con BNCO RARO", "40002"])
        .await;
    page.enter("correction-undo").await;
    page.enter("check-corrected").await;
    page.reads("dry-run-ready", "1").await;
    page.counts("[data-testid=correction]", 1).await;
    // Those of another file are none of this one.
    page.choose_table("otros.csv", with_unknown_bank()).await;
    page.reads("dry-run-ready", "0").await;
    assert!(!page.has("correction").await);
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn faulty_rows_are_shown_some_at_a_time_and_all_are_corrected_at_once() {
    let Some(page) = member().await else { return };
    page.open("/batches/new").await;
    let header = "fecha,clave_rastreo,cuenta,monto\n".to_owned();
    let rows =
        (0..45).map(|number| format!("2026-11-31,MBAN0100261118{number:010},{ACCOUNT},10.00\n"));
    let table: String = std::iter::once(header).chain(rows).collect();
    page.choose_table("pagos.csv", table).await;
    for shown in [20, 40, 45] {
        page.counts("[data-testid=faulty-row]", shown).await;
        if shown < 45 {
            page.click("faulty-more").await;
            // The first new row's field has the focus.
            let place = "return document.activeElement.closest('li')?.dataset.line";
            let line = json!((shown + 2).to_string());
            let has_focus = async || page.run(place, vec![]).await == line;
            soon("the focus goes on", has_focus).await;
        }
    }
    page.correct(2, "fecha", "2026-11-18").await;
    page.click("correct-all").await;
    page.click("check-corrected").await;
    page.reads("dry-run-ready", "45").await;
    page.tells("corrections", &["Cada fila con 2026-11-31"])
        .await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_refused_correction_is_told_where_it_was_made() {
    let Some(page) = member().await else { return };
    page.open("/batches/new").await;
    page.choose_table("pagos.csv", with_unknown_bank()).await;
    page.correct(2, "receptor", "40002").await;
    page.click("correct-all").await;
    page.click("check-corrected").await;
    page.counts("[data-testid=correction]", 1).await;
    // No row has the value any more.
    page.assign("receptor", "0").await;
    page.find("correction-refused").await;
    page.click_css("[data-testid=correction] button").await;
    page.click("check-corrected").await;
    page.counts("[data-testid=correction]", 0).await;
    page.find("dry-run-ready").await;
    assert!(!page.has("correction-refused").await);
    page.assert_refused_alone().await;
}

#[tokio::test]
async fn results_that_are_answered_are_sent_again_and_nothing_is_looked_up() {
    let Some(page) = member().await else { return };
    let id = page.created(&["10.00", "11.00"]).await;
    page.open_batch(&id, "FINISHED").await;
    assert!(!page.has("try-again").await);
    page.click("results-xlsx").await;
    let workbook = page.saved_file(".xlsx").await;
    page.open("/batches/new").await;
    page.choose_table("resultados.xlsx", workbook).await;
    page.tells("all-answered", &["ya tienen respuesta"]).await;
    let blocked = async || {
        let start = page.find("batch-start").await.attr("aria-disabled").await;
        start.unwrap().as_deref() == Some("true")
    };
    soon("nothing can be started", blocked).await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
