//! Results of batches.

use super::{mixed, table, table_of};
use crate::harness::{Exchange, Harness, header, json_lines};

#[tokio::test]
async fn the_results_are_a_table_in_which_no_cell_is_a_formula() {
    let harness = Harness::start().await;
    let path = harness.finished().await;
    let rows = harness.rows(&path).await;
    let ids = rows.iter().filter_map(|row| row["lookup"]["id"].as_str());
    let ids: Vec<_> = ids.collect();
    for (language, name) in [("es-MX", "csv_es"), ("en", "csv_en")] {
        let request = harness.batches("GET", &format!("{path}/results"));
        let request = request.header("accept-language", language);
        let answer = request.header("accept", "text/csv").response().await;
        let media_type = header(&answer, "content-type");
        assert_eq!(media_type, "text/csv; charset=utf-8; header=present");
        assert_eq!(header(&answer, "vary"), "accept");
        let id = path.trim_start_matches('/');
        let disposition = format!("attachment; filename=\"resultados-{id}.csv\"");
        assert_eq!(header(&answer, "content-disposition"), disposition);
        assert!(header(&answer, "ratelimit").starts_with("\"minute\""));
        // Decoded as it is, so that the mark at its beginning is seen.
        let text = answer.bytes().await.unwrap();
        let text = std::str::from_utf8(&text).unwrap();
        assert!(text.starts_with("\u{feff}fila,linea,id,"));
        assert!(text.contains("\r\n2,3,'=1+1,"));
        let lines = text.replace("\r\n", "\n");
        let lines = ids.iter().fold(lines, |text, id| text.replace(id, "(id)"));
        insta::assert_snapshot!(name, lines);
    }
}

#[tokio::test]
async fn no_part_of_a_cell_is_a_formula_for_a_program_that_splits_it() {
    let harness = Harness::start().await;
    let payments = [("F;=2+2", "MBAN01", "10.00"), ("a; b", "MBAN02", "11.00")];
    let path = harness.new_batch("", table(&payments)).await;
    let results = harness.batch(format!("{path}/results")).await;
    let text = results.text().await.unwrap();
    assert!(text.contains("\r\n1,2,F;'=2+2,"), "{text}");
    assert!(text.contains("\r\n2,3,a; b,"), "{text}");
}

#[tokio::test]
async fn faulty_rows_say_why_in_both_languages() {
    let harness = Harness::start().await;
    let faulty = format!("{}B-1,2026-11-31,MBAN05,123,diez,40012,\n", mixed());
    let path = harness.new_batch("", faulty).await;
    for (language, name) in [("es-MX", "faulty_es"), ("en", "faulty_en")] {
        let request = harness.batches("GET", &format!("{path}/results?after=3"));
        let request = request.header("accept-language", language);
        let answer = request.response().await;
        let media_type = header(&answer, "content-type");
        assert_eq!(media_type, "text/csv; charset=utf-8; header=absent");
        let text = answer.text().await.unwrap();
        insta::assert_snapshot!(name, text.replace("\r\n", "\n"));
    }
}

#[tokio::test]
async fn a_faulty_row_tells_programs_what_the_direct_answer_tells() {
    let harness = Harness::start().await;
    let row = r#"{"fecha":"2026-11-20","clave_rastreo":"MBANO1002611200001234567","cuenta":"002010077777777771","monto":1}"#;
    let table = [
        row.to_owned(),
        row.replace("O1", "01")
            .replace('}', r#","emisor":"INTERCAM"}"#),
        row.replace("monto", "mont"),
        row.replace("O1", "01"),
    ];
    let request = harness.batches("POST", "");
    let request = request.header("content-type", "application/x-ndjson");
    let created = request.body(table.join("\n")).json_of(202).await;
    let path = format!("/{}", created["id"].as_str().unwrap());
    harness.work_until(&path, "finished").await;
    let rows = harness.rows(&path).await;
    let error = |row: usize| &rows[row]["errors"][0];
    assert_eq!(error(0)["reason"], "likely_tracking_key");
    assert_eq!(error(0)["expected"], "MBAN01002611200001234567");
    assert_eq!(error(1)["candidates"][0]["code"], "40136");
    assert_eq!(rows[2]["errors"][1]["meant"], "monto");
    let csv = harness.batch(format!("{path}/results?format=csv"));
    let csv = csv.await.text().await.unwrap();
    for (line, codes) in csv.lines().skip(1).zip([
        "emisor:not_inferred:likely_tracking_key",
        "emisor:ambiguous_name",
        "monto:missing mont:misspelt",
    ]) {
        assert!(line.contains(&format!(",{codes},")), "{codes}: {line}");
    }
}

#[tokio::test]
async fn the_results_are_json_lines_after_a_row() {
    let harness = Harness::start().await;
    let path = harness.finished().await;
    for (query, accept) in [
        ("", "application/x-ndjson"),
        ("?format=ndjson", "text/csv"),
        ("", "application/ndjson, text/csv"),
    ] {
        let request = harness.batches("GET", &format!("{path}/results{query}"));
        let answer = request.header("accept", accept).response().await;
        assert_eq!(header(&answer, "content-type"), "application/x-ndjson");
        assert_eq!(json_lines(answer).await.len(), 4, "{query} {accept}");
    }
    let all = harness.rows(&path).await;
    let states: Vec<_> = all.iter().map(|row| &row["state"]).collect();
    assert_eq!(states, ["delivered", "not_found", "delivered", "duplicate"]);
    assert_eq!(all[0]["lookup"]["cep"]["monto"], "10.00");
    assert_eq!(all[1]["id"], "=1+1");
    assert_eq!(all[3]["duplicate_of"], 1);
    assert_eq!(all[3]["line"], 5);
    let rest = harness.batch(format!("{path}/results?format=ndjson&after=2"));
    assert_eq!(json_lines(rest.await).await, all[2..]);
}

#[tokio::test]
async fn a_row_that_the_bank_does_not_know_has_its_hints_and_what_to_do() {
    let harness = Harness::start().await;
    let table = include_str!("../../../../../../tests/cases/devuelto-y-sello.csv");
    let path = harness.new_batch("?retry_for=0", table).await;
    harness.work_until(&path, "finished").await;
    let results = harness.rows(&path).await;
    let unknown = &results[2];
    assert_eq!(unknown["state"], "not_found");
    assert_eq!(unknown["question"], unknown["lookup"]["question"]);
    let lookup = &unknown["lookup"];
    assert_eq!(lookup["hints"][0]["code"], "check_digit");
    let next_step = lookup["what_to_do"].as_str().unwrap();
    assert!(next_step.contains("dígito verificador"), "{next_step}");
    assert_eq!(lookup["inferred"]["emisor"]["source"], "tracking_key_shape");
    let csv = harness.batch(format!("{path}/results?format=csv"));
    let csv = csv.await.text().await.unwrap();
    let lines: Vec<_> = csv.lines().collect();
    assert!(lines[1].contains(",returned,"), "{csv}");
    let hints = lookup["hints"].as_array().unwrap().iter();
    let messages = hints.map(|hint| hint["message"].as_str().unwrap());
    let banks = "404.00,40012,40002,tracking_key_shape (high),clabe_prefix (high)";
    for told in messages.chain([next_step, banks]) {
        assert!(lines[3].contains(told), "{told}: {csv}");
    }
}

#[tokio::test]
async fn rows_after_the_last_one_are_none() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    for after in ["4", "100", "1000000000"] {
        for format in ["csv", "ndjson"] {
            let rows = format!("{path}/results?format={format}&after={after}");
            let answer = harness.batch(rows).await;
            assert_eq!(answer.status(), 200, "{after} {format}");
            assert_eq!(answer.text().await.unwrap(), "", "{after} {format}");
        }
    }
    let bad_rows = ["after=-1", "after=x", "after=1000000001"];
    for query in bad_rows.into_iter().chain(["format=pdf", "limit=1"]) {
        let answer = harness.batch(format!("{path}/results?{query}")).await;
        assert_eq!(answer.status(), 400, "{query}");
        assert_eq!(header(&answer, "content-type"), "application/json");
    }
}

#[tokio::test]
async fn rows_of_many_chunks_are_written_in_their_order() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", table_of(250)).await;
    for (after, first) in [(0, 1), (99, 100), (100, 101), (199, 200)] {
        let answer = harness.batch(format!("{path}/results?format=ndjson&after={after}"));
        let read = json_lines(answer.await).await;
        let numbers = read.iter().map(|row| row["row"].as_u64().unwrap());
        assert!(numbers.eq(first..=250), "{after}: {read:?}");
    }
}
