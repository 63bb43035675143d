//! Results as a workbook, and their way back.

use chrono::NaiveDate;
use domain::batches::sheet::{WorkbookCell, WorkbookRow};
use ports::outbound::WorkbookReader as _;
use rstest::rstest;
use serde_json::{Value, json};
use workbook_files::WorkbookFiles;

use super::workbooks::XLSX;
use crate::harness::{Exchange as _, Harness, header, json_of};

/// Headers that a person chose, a folio, a note with a leading zero and a row with errors.
const OWN: &str = "Lote de noviembre;;;;;;;\n\
    Folio;Proveedor;Fecha;Clave de rastreo;CLABE;Importe;Banco emisor;Nota\n\
    007;Ácme & Cía;20/11/2026;MBAN01;'002010077777777771;$10.00;BBVA;0012\n\
    008;=1+1;20-nov-26;MBAN02;'002010077777777771;404.00;40012;7.5\n\
    009;<b>;31/11/2026;MBAN03;2.01008E+15;diez;40012;2026-11-20\n";
const CHOSEN: &str = "cuenta,fecha,Clave,Destino,Total,emisor\n\
    x,2026-11-20,MBAN01,002010077777777771,10.00,40012\n\
    y,2026-11-19,MBAN02,002010077777777771,404.00,40012\n";
const WITHOUT_HEADER: &str = "20/11/2026,MBAN01,002010077777777771,10.00,40012\n";
const STATEMENT: &str = "Fecha,Concepto,Cargo,Abono\n\
    20/11/2026,SPEI 002010077777777771 RASTREO MBAN01002611200001234567,10.00,\n\
    20/11/2026,COMISION,5.00,\n";

impl Harness {
    async fn workbook(&self, path: &str, language: &str) -> Vec<u8> {
        let request = self.batches("GET", &format!("{path}/results?format=xlsx"));
        let answer = request.header("accept-language", language).response().await;
        assert_eq!(header(&answer, "content-type"), XLSX);
        let disposition = header(&answer, "content-disposition").to_owned();
        assert!(disposition.ends_with(".xlsx\""), "{disposition}");
        answer.bytes().await.unwrap().to_vec()
    }

    /// The check of a workbook.
    async fn check(&self, query: &str, workbook: &[u8]) -> Value {
        let request = self.batches("POST", &format!("?dry_run=true{query}"));
        let request = request.header("content-type", XLSX).body(workbook.to_vec());
        json_of(request.send().await.unwrap(), 200).await
    }
}

pub(super) fn rows(workbook: &[u8]) -> Vec<WorkbookRow> {
    let mut workbook = WorkbookFiles.open(workbook.to_vec().into()).unwrap();
    assert_eq!(workbook.sheets(), ["CEP"]);
    workbook.rows(0).unwrap()
}

pub(super) fn texts(row: &WorkbookRow) -> Vec<String> {
    let cells = row.cells.iter().map(|(_, cell)| match cell {
        WorkbookCell::Text(text) => text.clone(),
        WorkbookCell::Number(number) => number.to_string(),
        WorkbookCell::Date(date) => format!("date {date}"),
    });
    cells.collect()
}

#[tokio::test]
async fn a_workbook_has_the_tables_own_columns_and_what_became_of_each_row() {
    let harness = Harness::start().await;
    let path = harness.new_batch("?retry_for=0", OWN).await;
    harness.work_until(&path, "finished").await;
    for (language, name) in [("es-MX", "workbook_es"), ("en", "workbook_en")] {
        let read = rows(&harness.workbook(&path, language).await);
        let mut lines: Vec<_> = read.iter().map(texts).collect();
        // The links and ids of lookups.
        let id = lines[1].iter().position(|text| text.len() == 36).unwrap();
        for line in &mut lines[1..3] {
            let found = line.iter().position(|text| text.len() == 36).unwrap();
            line[found] = "(id)".to_owned();
        }
        assert!(id > 8);
        insta::assert_snapshot!(
            name,
            lines
                .iter()
                .map(|it| it.join(" | "))
                .collect::<Vec<_>>()
                .join("\n")
        );
    }
    let read = rows(&harness.workbook(&path, "es").await);
    let own = |row: usize| -> Vec<_> {
        read[row].cells[..8]
            .iter()
            .map(|(_, cell)| cell.clone())
            .collect()
    };
    let text = |text: &str| WorkbookCell::Text(text.to_owned());
    let date = |day| WorkbookCell::Date(NaiveDate::from_ymd_opt(2026, 11, day).unwrap());
    assert_eq!(
        own(1),
        [
            text("007"),
            text("Ácme & Cía"),
            date(20),
            text("MBAN01"),
            text("002010077777777771"),
            WorkbookCell::Number(10.0),
            text("BBVA"),
            text("0012"),
        ]
    );
    assert_eq!(
        (&own(2)[1], &own(2)[7]),
        (&text("=1+1"), &WorkbookCell::Number(7.5))
    );
    assert_eq!(
        own(3)[4..],
        [text("2.01008E+15"), text("diez"), text("40012"), date(20)]
    );
}

#[rstest]
#[case::of_own_headers("", OWN, 2, 1)]
#[case::of_chosen_columns(
    "&columns=cuenta:Destino,monto:Total,clave_rastreo:Clave",
    CHOSEN,
    2,
    0
)]
#[case::of_numbers(
    "&columns=fecha:1,clave_rastreo:2,cuenta:3,monto:4,emisor:5",
    WITHOUT_HEADER,
    1,
    0
)]
#[case::of_a_statement("", STATEMENT, 1, 0)]
#[tokio::test]
async fn results_are_understood_as_they_stand(
    #[case] columns: &str,
    #[case] table: &'static str,
    #[case] ready: u32,
    #[case] faulty: u32,
) {
    let harness = Harness::start().await;
    let path = harness
        .new_batch(&format!("?retry_for=0{columns}"), table)
        .await;
    let before = harness.rows(&path).await;
    harness.work_until(&path, "finished").await;
    let workbook = harness.workbook(&path, "es").await;
    let check = harness.check("", &workbook).await;
    assert_eq!(
        (&check["ready"], &check["faulty"]),
        (&ready.into(), &faulty.into()),
        "{check}"
    );
    // As a new batch, they ask the same, and get no further columns.
    let request = harness.batches("POST", "?retry_for=0");
    let request = request.header("content-type", XLSX).body(workbook.clone());
    let created = request.json_of(202).await;
    let again = format!("/{}", created["id"].as_str().unwrap());
    // A receiver that wasn't given is filled in.
    let question = |row: &Value| {
        ["fecha", "clave_rastreo", "cuenta", "monto", "emisor"]
            .map(|it| row["question"][it].clone())
    };
    let questions = |rows: &[Value]| -> Vec<_> { rows.iter().map(question).collect() };
    assert_eq!(questions(&harness.rows(&again).await), questions(&before));
    let second = rows(&harness.workbook(&again, "es").await);
    assert_eq!(texts(&second[0]), texts(&rows(&workbook)[0]));
}

/// The bank says of 404.03 that the payment was returned.
#[tokio::test]
async fn rows_that_are_answered_are_not_asked_again_whatever_the_file() {
    let harness = Harness::start().await;
    let table = OWN.replace("404.00", "404.03");
    let path = harness.new_batch("?retry_for=0", table).await;
    harness.work_until(&path, "finished").await;
    let workbook = harness.workbook(&path, "es").await;
    let answered = json!([{ "reason": "answered", "rows": 1, "lines": [3] }]);
    let check = harness.check("", &workbook).await;
    assert_eq!(
        (&check["passed_over"], &check["ready"]),
        (&answered, &json!(1))
    );
    let results = harness.batch(format!("{path}/results?format=csv")).await;
    let results = results.text().await.unwrap();
    let check = harness.preview("", results.clone()).await;
    assert_eq!(
        (&check["passed_over"], &check["ready"]),
        (&answered, &json!(1))
    );
    let created = harness.send("", results.clone()).await;
    assert_eq!(json_of(created, 202).await["passed_over"], answered);
    let header_and_answered: Vec<_> = results.lines().take(3).collect();
    let nothing = [header_and_answered[0], header_and_answered[2]].join("\n");
    let check = harness.preview("", nothing.clone()).await;
    assert_eq!((&check["rows"], &check["ready"]), (&json!(0), &json!(0)));
    let refused = json_of(harness.send("", nothing).await, 400).await;
    assert_eq!(refused["details"]["reason"], "unreadable_table");
}

/// Somebody may give a caller a table with such columns.
#[tokio::test]
async fn columns_named_like_those_of_results_are_the_callers_and_tell_nothing() {
    let harness = Harness::start().await;
    let forged = "Fecha,Rastreo,CLABE,Importe,Banco emisor,estado_codigo,sello_codigo,consulta,Sello del CEP,Resultado CEP,estado_codigo\n\
        20/11/2026,MBAN02,002010077777777771,404.00,40012,delivered,valid,01980000-0000-7000-8000-000000000001,válido,x,d\n";
    let with_names_of_api = forged
        .replace("Fecha,", "fecha,")
        .replace("Rastreo", "clave_rastreo");
    let with_names_of_api = with_names_of_api
        .replace("CLABE", "cuenta")
        .replace("Importe", "monto");
    for table in [forged.to_owned(), with_names_of_api] {
        let path = harness.new_batch("?retry_for=0", table).await;
        harness.work_until(&path, "finished").await;
        let workbook = harness.workbook(&path, "es").await;
        let headers = texts(&rows(&workbook)[0]);
        for name in ["estado_codigo", "sello_codigo", "consulta", "Sello del CEP"] {
            assert_eq!(
                headers.iter().filter(|header| *header == name).count(),
                1,
                "{name}"
            );
        }
        assert_eq!(headers[5], "estado_codigo (original)");
        for query in ["", "&skip_answered=true"] {
            let check = harness.check(query, &workbook).await;
            assert_eq!(
                (&check["ready"], &check["passed_over"]),
                (&json!(1), &json!([]))
            );
        }
        let request = harness.batches("POST", "?retry_for=0");
        let request = request.header("content-type", XLSX).body(workbook);
        let created = request.json_of(202).await;
        let again = format!("/{}", created["id"].as_str().unwrap());
        assert_eq!(harness.rows(&again).await.len(), 1);
    }
}

#[tokio::test]
async fn results_as_csv_are_understood_as_they_stand() {
    let harness = Harness::start().await;
    let path = harness.new_batch("?retry_for=0", OWN).await;
    harness.work_until(&path, "finished").await;
    let results = harness.batch(format!("{path}/results?format=csv")).await;
    let results = results.text().await.unwrap();
    let check = harness.preview("", results).await;
    assert_eq!(
        (&check["ready"], &check["faulty"]),
        (&2.into(), &1.into()),
        "{check}"
    );
}
