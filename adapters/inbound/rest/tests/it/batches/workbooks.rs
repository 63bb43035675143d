//! Workbooks, and what their check and a batch of them tell.

use reqwest::Response;
use serde_json::{Value, json};

use crate::harness::{Harness, json_of};

pub(super) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const TWO_SHEETS: &[u8] = include_bytes!(
    "../../../../../outbound/workbook-files/tests/written_by/libreoffice-two-sheets.xlsx"
);

async fn sent(harness: &Harness, query: &str) -> Response {
    let request = harness.batches("POST", query);
    let request = request.header("content-type", XLSX).body(TWO_SHEETS);
    request.send().await.unwrap()
}

/// The first sheet holds a title alone, and the second one a header that isn't known.
#[tokio::test]
async fn a_workbook_tells_its_sheets_whether_one_fits_or_not() {
    let harness = Harness::start().await;
    let sheets = json!(["Portada", "Pagos"]);
    for (query, expected) in [
        ("", json!("missing_columns")),
        ("&sheet=Portada", json!("missing_columns")),
        ("&sheet=Hoja1", json!("unreadable_table")),
        (
            &*format!("&sheet={}", "x".repeat(500)),
            json!("unreadable_table"),
        ),
    ] {
        let query = format!("?dry_run=true{query}");
        let details = json_of(sent(&harness, &query).await, 400).await["details"].take();
        assert_eq!(
            (&details["sheets"], &details["reason"]),
            (&sheets, &expected),
            "{query}"
        );
    }
    let nearest = json_of(sent(&harness, "?dry_run=true").await, 400).await;
    assert_eq!(nearest["details"]["missing"], json!(["monto"]));
    for query in ["", "&sheet=Pagos"] {
        let query = format!("?dry_run=true&columns=monto:Total{query}");
        let check = json_of(sent(&harness, &query).await, 200).await;
        assert_eq!(
            (&check["sheet"], &check["sheets"]),
            (&json!("Pagos"), &sheets)
        );
        assert_eq!(
            (&check["ready"], &check["passed_over"]),
            (&json!(2), &totals())
        );
    }
    let created = json_of(sent(&harness, "?columns=monto:Total").await, 202).await;
    assert_eq!(created["counts"]["rows"], 2);
    assert_eq!(created["passed_over"], totals());
}

fn totals() -> Value {
    json!([{ "reason": "total", "rows": 1, "lines": [5] }])
}

#[tokio::test]
async fn a_sheet_of_a_table_that_is_no_workbook_does_not_exist() {
    let harness = Harness::start().await;
    let answer = harness.sending("?dry_run=true&sheet=Pagos", "fecha,rastreo,clabe,monto\n");
    let answer = json_of(answer.send().await.unwrap(), 400).await;
    assert_eq!(answer["details"]["fields"][0]["field"], "sheet");
}

#[tokio::test]
async fn errors_that_are_alike_are_told_once_and_a_statement_what_it_told() {
    let harness = Harness::start().await;
    let table = "fecha,concepto,cargo,abono\n\
        2026-11-20,SPEI 002010077777777771 RASTREO MBAN01002611200001234567,10.00,\n\
        2026-11-20,COMISION,5.00,\n\
        99,SPEI 002010077777777771 RASTREO MBAN01002611200001234568,,10.00\n\
        99,SPEI 002010077777777771 RASTREO MBAN01002611200001234569,,10.00\n";
    let answer = harness
        .sending("?dry_run=true", table)
        .send()
        .await
        .unwrap();
    let check = json_of(answer, 200).await;
    let [fault] = &check["faults"].as_array().unwrap()[..] else {
        panic!("{check}");
    };
    let told = (&fault["field"], &fault["rows"], &fault["lines"]);
    assert_eq!(told, (&json!("fecha"), &json!(2), &json!([4, 5])));
    let taken = json!([{
        "line": 2, "clave_rastreo": "MBAN01002611200001234567", "cuenta": "002010077777777771"
    }]);
    assert_eq!(check["taken"], taken);
    let passed_over = json!([{ "reason": "no_payment", "rows": 1, "lines": [3] }]);
    assert_eq!(check["passed_over"], passed_over);
    let answered = "consulta,sello,estado,fecha,clave_rastreo,cuenta,monto,emisor,receptor\n\
        01980000-0000-7000-8000-000000000001,valid,delivered,2026-11-20,MBAN01,002010077777777771,10.00,40012,40002\n";
    let answer = harness
        .sending("?dry_run=true", answered)
        .send()
        .await
        .unwrap();
    assert_eq!(json_of(answer, 200).await["ready"], 1);
    let answer = harness
        .sending("?skip_answered=true", answered)
        .send()
        .await
        .unwrap();
    let refused = json_of(answer, 400).await;
    assert_eq!(refused["details"]["reason"], "unreadable_table");
    assert!(harness.listed("").await.is_empty());
}
