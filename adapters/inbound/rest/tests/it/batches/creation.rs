//! Creation of batches.

use domain::outcome::Outcome;
use serde_json::{Value, json};

use super::{OTHERS_KEY, mixed, of_two_customers, table};
use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, faults, header, in_both_languages, json_of};

/// A table as a spreadsheet writes it in Mexico.
const SPREADSHEET: &str = "Factura;Fecha;Clave de rastreo;CLABE;Importe;Descripción\r\n\
    =A1;20/11/2026;MBAN01002611200001234567;002010077777777771;\"$1,234.56\";Año\r\n\
    ;20/11/2026;MBAN01002611200001234568;002010077777777771;10.00;\r\n";

fn windows_1252(text: &str) -> Vec<u8> {
    let bytes = text.chars().map(|char| u8::try_from(u32::from(char)));
    bytes.collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn a_batch_is_created_from_a_spreadsheets_table() {
    let harness = Harness::start().await;
    let query = "?columns=id:Factura&formats=xml,pdf&retry_for=3600&name=noviembre";
    let answer = harness.send(query, windows_1252(SPREADSHEET)).await;
    assert_eq!(header(&answer, "retry-after"), "2");
    assert_eq!(header(&answer, "idempotent-replayed"), "");
    assert!(header(&answer, "ratelimit").starts_with("\"minute\";r=58;"));
    assert_eq!(header(&answer, "content-type"), "application/json");
    let location = header(&answer, "location").to_owned();
    let batch = json_of(answer, 202).await;
    let id = batch["id"].as_str().unwrap();
    assert_eq!(location, format!("/v1/cep/batches/{id}"));
    let text = serde_json::to_string_pretty(&batch).unwrap();
    insta::assert_snapshot!("created", text.replace(id, "(the id)"));
    assert_eq!(harness.outcomes().await, [], "nothing is counted yet");
}

#[tokio::test]
async fn a_table_of_each_kind_is_read() {
    let harness = Harness::start().await;
    for (media_type, table) in [
        ("text/csv", format!("\u{feff}{}", mixed())),
        ("application/vnd.ms-excel", mixed().replace(',', ";")),
        (
            "text/tab-separated-values; charset=utf-8",
            mixed().replace(',', "\t"),
        ),
        ("application/x-ndjson", json_lines()),
        ("application/jsonl", format!("\u{feff}{}", json_lines())),
    ] {
        let request = harness.batches("POST", "");
        let request = request.header("content-type", media_type).body(table);
        let batch = request.json_of(202).await;
        assert_eq!(batch["state"], "queued", "{media_type}");
        let counts = ["rows", "duplicates", "faulty", "not_begun"];
        let counts = counts.map(|name| &batch["counts"][name]);
        assert_eq!(counts, [4, 1, 0, 3], "{media_type}");
        assert_eq!(batch["formats"], json!(["xml"]));
        assert_eq!(batch["name"], Value::Null);
    }
}

/// [`mixed`] as JSON lines.
fn json_lines() -> String {
    let lines = mixed();
    let lines = lines.lines().skip(1).map(|line| {
        let cells: Vec<_> = line.split(',').collect();
        let row = json!({
            "id": cells[0],
            "fecha": cells[1],
            "clave_rastreo": cells[2],
            "cuenta": cells[3],
            "monto": cells[4].parse::<f64>().unwrap(),
            "emisor": cells[5],
            "receptor": cells[6],
        });
        format!("{row}\n\n")
    });
    lines.collect()
}

#[tokio::test]
async fn columns_are_named_by_header_or_number() {
    let harness = Harness::start().await;
    let table = "uno,fecha,rastreo,cuatro,Total\n\
        x,2026-11-20,MBAN01002611200001234567,002010077777777771,10.00\n";
    let query = "?columns=clave_rastreo:rastreo,cuenta:4,monto:Total,id:uno";
    let path = harness.new_batch(query, table).await;
    let rows = harness.rows(&path).await;
    assert_eq!((rows.len(), &rows[0]["id"]), (1, &json!("x")));
    assert_eq!(rows[0]["state"], "not_begun");
}

#[tokio::test]
async fn a_dry_run_lists_what_would_not_be_looked_up_and_stores_nothing() {
    let harness = Harness::start().await;
    let faulty = format!(
        "{}B-1,20-13-2026,MBAN05,123,diez,40012,40012\nB-2,2026-11-20,X-1,002010077777777771,5.00,,\n\
         B-3,2026-11-20,MBAN06,002010077777777772,6.00,40012,40002\n",
        mixed()
    );
    let request = || {
        let request = harness.sending("?dry_run=true", faulty.clone());
        request.header("idempotency-key", "check")
    };
    insta::assert_snapshot!("dry_run", in_both_languages(request).await);
    assert!(harness.listed("").await.is_empty());
}

#[tokio::test]
async fn a_repeated_request_creates_no_second_batch() {
    let harness = of_two_customers().await;
    let named_by = |key: &str, query: &str, table: String| {
        let request = harness.keyed(key, "POST", &format!("/v1/cep/batches{query}"));
        let request = request.header("content-type", "text/csv").body(table);
        request.header("idempotency-key", "\"november\"").send()
    };
    let named = |query: &str, table: String| named_by(GOOD_KEY, query, table);
    // A refused table leaves the name free.
    let refused = named("?name=a", table(&[("", "MBAN01", "-1")])).await;
    assert_eq!(refused.unwrap().status(), 400);
    let first = named("?name=a", mixed()).await.unwrap();
    let location = header(&first, "location").to_owned();
    assert_eq!(header(&first, "idempotent-replayed"), "");
    let first = json_of(first, 202).await;
    let second = named("?name=a", mixed()).await.unwrap();
    assert_eq!(header(&second, "idempotent-replayed"), "true");
    assert_eq!(header(&second, "location"), location);
    assert_eq!(json_of(second, 202).await, first);
    for (query, table) in [
        ("?name=b", mixed()),
        ("?name=a", table(&[("", "MBAN09", "10.00")])),
    ] {
        let answer = json_of(named(query, table).await.unwrap(), 422).await;
        assert_eq!(answer["error"], "IDEMPOTENCY_KEY_REUSED", "{query}");
    }
    // Names are a key's own.
    let other = named_by(OTHERS_KEY, "?name=a", mixed()).await.unwrap();
    assert_eq!(header(&other, "idempotent-replayed"), "");
    assert_ne!(json_of(other, 202).await["id"], first["id"]);
    let malformed = harness.sending("", mixed());
    let malformed = malformed
        .header("idempotency-key", "a b")
        .json_of(400)
        .await;
    assert_eq!(faults(&malformed)[0].0, "Idempotency-Key");
    assert_eq!(harness.listed("").await.len(), 1);
}

#[tokio::test]
async fn rows_are_counted_when_they_are_looked_up() {
    let harness = Harness::start().await;
    let path = harness.finished().await;
    let batch = harness.json("GET", &path, 200).await;
    assert_eq!(batch["counts"]["delivered_seal_not_checked"], 2);
    assert_eq!(batch["counts"]["not_found"], 1);
    assert_eq!(batch["progress"], 100.0);
    assert_eq!(batch["eta"], Value::Null);
    assert_ne!(batch["erase_at"], Value::Null);
    let mut outcomes = harness.outcomes().await;
    outcomes.sort_by_key(|outcome| outcome.name());
    let delivered = Outcome::Delivered;
    assert_eq!(outcomes, [delivered, delivered, Outcome::NotFound]);
}

#[tokio::test]
async fn a_table_may_name_banks_as_people_do() {
    let harness = Harness::start().await;
    let table = include_str!("../../../../../../tests/cases/banco-por-nombre.csv");
    let preview = harness.preview("", table).await;
    assert_eq!(preview["ready"], 1, "{preview}");
    assert_eq!(preview["faulty"], 0, "{preview}");
}

#[tokio::test]
async fn a_preview_names_the_column_that_holds_the_tracking_keys() {
    let harness = Harness::start().await;
    let table = include_str!("../../../../../../tests/cases/internal-id-as-key.csv");
    let preview = harness.preview("", table).await;
    let notice = &preview["notices"][0];
    assert_eq!(notice["code"], "tracking_keys_elsewhere");
    assert_eq!(notice["column"]["header"], "Referencia");
    let preview = harness.preview("&columns=clave_rastreo:3", table).await;
    assert_eq!(preview["ready"], 2);
    assert_eq!(preview["notices"], json!([]));
}

#[tokio::test]
async fn a_preview_says_what_is_missing_of_banks_and_names_one_bank_on_both_sides_once() {
    let harness = Harness::start().await;
    let table = "fecha,clave_rastreo,cuenta,monto\n\
        2026-11-20,MBAN01002611200000000001,846180000000001234,1.00\n\
        2026-11-20,MBAN01002611200000000001,012180000000000006,2.00\n\
        2026-11-20,161225,002010077777777771,3.00\n";
    let preview = harness.preview("", table).await;
    for (row, told) in [(0, "846"), (0, "2026-09-11"), (2, "referencia")] {
        let message = &preview["rejected"][row]["errors"][0]["message"];
        assert!(message.as_str().unwrap().contains(told), "{message}");
    }
    let errors = &preview["rejected"][1]["errors"];
    assert_eq!(errors.as_array().unwrap().len(), 1);
    assert_eq!(errors[0]["field"], "row");
    assert_eq!(errors[0]["problem"], "same_institution");
}
