//! Imports of the bank's own batches.

use std::io::{Cursor, Write as _};

use domain::account::Account;
use domain::amount::Amount;
use domain::participants::inference;
use domain::participants::{Catalogue, ParticipantCode};
use domain::query::ProofQuery;
use domain::tracking_key::TrackingKey;
use reqwest::Response;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::fakes::{KNOWN_CERTIFICATE, plain_pdf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{mixed, table};
use crate::bank::PDF;
use crate::harness::{Exchange, Harness, header, json_of};

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, stored).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The XML of a payment of [`table`], as the bank issues it.
fn xml(key: &str, amount: &str) -> Vec<u8> {
    let query = ProofQuery {
        date: "2026-11-20".parse().unwrap(),
        criterion: TrackingKey::parse(key).unwrap().into(),
        account: Account::parse("002010077777777771").unwrap(),
        others: Vec::new(),
        completion: None,
        amount: Amount::parse(amount).unwrap(),
        issuer: ParticipantCode::parse("40012"),
        receiver: ParticipantCode::parse("40002"),
    };
    let resolved = inference::resolve(query, Catalogue::embedded());
    let files = crate::bank::proof(&resolved.transfer.unwrap());
    let xml = String::from_utf8(files.xml.unwrap().into()).unwrap();
    xml.replace("00001000000500000001", KNOWN_CERTIFICATE)
        .into()
}

/// The same with another text in place of one.
fn edited(xml: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    let xml = String::from_utf8(xml).unwrap();
    assert!(xml.contains(from), "{from}");
    xml.replace(from, to).into()
}

impl Harness {
    async fn import(&self, path: &str, archive: Vec<u8>) -> Response {
        let request = self.batches("POST", &format!("{path}/import"));
        let request = request.header("content-type", "application/zip");
        request.body(archive).response().await
    }

    /// The report of an import.
    async fn imported(&self, path: &str, archive: Vec<u8>) -> Value {
        json_of(self.import(path, archive).await, 200).await
    }
}

#[tokio::test]
async fn proofs_of_the_bank_are_delivered_without_a_lookup() {
    let harness = Harness::start().await;
    let path = harness.new_batch("?formats=xml,pdf", mixed()).await;
    let archive = zipped(&[
        ("[2026-11-20]MBAN01.xml", &xml("MBAN01", "10.00")),
        (
            "[2026-11-20]MBAN01.pdf",
            &plain_pdf(&xml("MBAN01", "10.00")),
        ),
        ("[2026-11-20]MBAN02.xml", &xml("MBAN02", "404.00")),
        ("[2026-11-20]MBAN03.xml", &xml("MBAN03", "12.00")),
        ("[2026-11-20]MBAN07.xml", &xml("MBAN07", "10.00")),
        ("[2026-11-20]MBAN08.pdf", PDF),
        ("resumen.txt", b"2 de 2"),
        ("LEEME.txt", b"x"),
    ]);
    let answer = harness.import(&path, archive.clone()).await;
    assert!(header(&answer, "ratelimit").starts_with("\"minute\""));
    let report = json_of(answer, 200).await;
    insta::assert_snapshot!("imported", serde_json::to_string_pretty(&report).unwrap());
    let rows = harness.rows(&path).await;
    assert_eq!(rows[0]["lookup"]["origin"], "imported");
    assert_eq!(rows[0]["lookup"]["attempt_count"], 0);
    let id = rows[0]["lookup"]["id"].as_str().unwrap();
    let file = harness.read(&format!("/{id}/xml")).await;
    assert_eq!(header(&file, "x-origin"), "imported");
    // Where the proof isn't read, too.
    let listed = json_of(harness.read("").await, 200).await;
    let origins = listed["items"].as_array().unwrap().iter();
    let origins: Vec<_> = origins.map(|lookup| &lookup["origin"]).collect();
    assert_eq!(origins, ["imported"; 2]);
    assert_eq!(rows[2]["state"], "not_begun");
    let (names, _) = harness.unzipped(&format!("{path}/files.zip")).await;
    let expected = [
        "00001_CEP-20261120-MBAN01.xml",
        "00001_CEP-20261120-MBAN01.pdf",
        "00002_CEP-20261120-MBAN02.xml",
        "resumen.csv",
        "resumen.xlsx",
    ];
    assert_eq!(names, expected);
    let again = harness.imported(&path, archive).await;
    assert_eq!(again["delivered"], json!([]));
    let expected = [
        ("[2026-11-20]MBAN01.xml", "already_delivered"),
        ("[2026-11-20]MBAN01.pdf", "pdf_alone"),
    ];
    assert_eq!(unused(&again)[..2], expected);
    assert_eq!(harness.outcomes().await, [], "nothing was counted");
}

/// Names and reasons of the files that weren't used.
fn unused(report: &Value) -> Vec<(&str, &str)> {
    let files = report["unused"].as_array().unwrap().iter();
    let files = files.map(|file| (file["name"].as_str(), file["reason"].as_str()));
    files
        .map(|(name, reason)| (name.unwrap(), reason.unwrap()))
        .collect()
}

/// Names and rows of the files that were used.
fn used(report: &Value) -> Vec<(&str, u64)> {
    let files = report["used"].as_array().unwrap().iter();
    let files = files.map(|file| (file["name"].as_str(), file["row"].as_u64()));
    files
        .map(|(name, row)| (name.unwrap(), row.unwrap()))
        .collect()
}

#[tokio::test]
async fn only_a_sealed_answer_that_the_bank_does_not_contradict_is_used() {
    let harness = Harness::start().await;
    let payments = [
        ("", "MBAN01", "404.00"),
        ("", "MBAN02", "404.03"),
        ("", "MBAN03", "404.01"),
        ("", "MBAN04", "404.01"),
        ("", "MBAN05", "404.01"),
        ("", "MBAN06", "404.00"),
    ];
    let path = harness.new_batch("?retry_for=0", table(&payments)).await;
    harness.work_until(&path, "finished").await;
    let edit = |key, from, to| edited(xml(key, "404.01"), from, to);
    let own_account = "|40|002010077777777771|";
    let concept = "|PRUEBA|0.00|404.01|0000";
    let more_bars = "|PRUEBA|0.00|404.01||||||0.00|1.00|0000";
    let good = xml("MBAN01", "404.00");
    let returned = xml("MBAN02", "404.03");
    let unknown_certificate = edit("MBAN03", KNOWN_CERTIFICATE, "00001000000500000009");
    let another_account = edit("MBAN04", own_account, "|3|4152313012345678|");
    let bars_in_the_concept = edit("MBAN05", concept, more_bars);
    let another_key = edited(good.clone(), "MBAN01", "MBAN06");
    let archive = zipped(&[
        ("good.xml", &good),
        ("returned.xml", &returned),
        ("unknown_certificate.xml", &unknown_certificate),
        ("another_account.xml", &another_account),
        ("bars_in_the_concept.xml", &bars_in_the_concept),
        ("another_key.xml", &another_key),
    ]);
    let report = harness.imported(&path, archive).await;
    let report = serde_json::to_string_pretty(&report).unwrap();
    insta::assert_snapshot!("refused_files", report);
    let rows = harness.rows(&path).await;
    let states: Vec<_> = rows.iter().map(|row| &row["state"]).collect();
    assert_eq!(states[0], "delivered");
    assert_eq!(states[1..], ["not_found"; 5]);
}

#[tokio::test]
async fn one_bad_file_spoils_no_other() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    let mut archive = zipped(&[
        ("a/nested.zip", &zipped(&[("a.xml", b"x")])),
        ("large.xml", &vec![b' '; 1024 * 1024 + 1]),
        ("../../etc/passwd", b"x"),
        ("page.pdf", b"<html/>"),
        ("good.xml", &xml("MBAN01", "10.00")),
        ("damaged.xml", b"changed"),
    ]);
    let place = archive.windows(7).position(|bytes| bytes == b"changed");
    archive[place.expect("it is stored")] = b'X';
    let report = harness.imported(&path, archive).await;
    let expected = [
        ("a/nested.zip", "nested"),
        ("large.xml", "too_large"),
        ("../../etc/passwd", "not_a_proof"),
        ("page.pdf", "not_a_proof"),
        ("damaged.xml", "damaged"),
    ];
    assert_eq!(unused(&report), expected);
    assert_eq!(report["delivered"], json!([1]));
    assert_eq!(used(&report), [("good.xml", 1)]);
}

#[tokio::test]
async fn files_are_known_by_their_content_and_litter_is_passed_over() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    let archive = zipped(&[
        (
            "__MACOSX/lote/._CEP-20261120-MBAN01.xml",
            b"\x00\x05\x16\x07",
        ),
        ("lote/.DS_Store", b"x"),
        ("lote/CEP-20200101-OTHER.xml", &xml("MBAN01", "10.00")),
        ("lote/Thumbs.db", b"x"),
        ("lote/desktop.ini", b"x"),
        ("lote/resumen.csv", b"fila,linea"),
        ("lote/[2026-11-20]MBAN01.xml", &xml("MBAN01", "11.00")),
        ("LEEME.txt", b"x"),
    ]);
    let report = harness.imported(&path, archive).await;
    assert_eq!(used(&report), [("lote/CEP-20200101-OTHER.xml", 1)]);
    let expected = json!([
            { "name": "lote/[2026-11-20]MBAN01.xml", "reason": "differs", "row": 1, "fields": ["monto"], "payment": null },
            { "name": "LEEME.txt", "reason": "not_a_proof", "row": null, "fields": [], "payment": null },
    ]);
    assert_eq!(report["unused"], expected);
}

#[rstest]
#[case("no_zip", b"%PDF-1.7".to_vec())]
#[case("empty_body", Vec::new())]
#[case("cut_off", { let mut zip = zipped(&[("a.xml", b"x")]); zip.truncate(40); zip })]
#[case("bytes_before", [&b"PK\x03\x04%PDF-1.7"[..], &zipped(&[("a.xml", b"x")])].concat())]
#[tokio::test]
async fn a_file_that_is_no_whole_zip_is_refused(#[case] name: &str, #[case] archive: Vec<u8>) {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    let answer = harness.import(&path, archive).await;
    assert_eq!(header(&answer, "content-type"), "application/json");
    insta::assert_snapshot!(format!("refused_{name}"), json_of(answer, 400).await);
}

#[tokio::test]
async fn nothing_is_imported_into_a_canceled_batch() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    harness.json("POST", format!("{path}/cancel"), 200).await;
    let archive = zipped(&[("[2026-11-20]MBAN01.xml", &xml("MBAN01", "10.00"))]);
    let answer = harness.import(&path, archive).await;
    insta::assert_snapshot!("canceled", json_of(answer, 409).await);
}

#[tokio::test]
async fn an_import_ends_a_batch_all_of_whose_rows_it_delivers() {
    let harness = Harness::start().await;
    let payments = [("", "MBAN01", "10.00"), ("", "MBAN02", "11.00")];
    let path = harness.new_batch("", table(&payments)).await;
    let archive = zipped(&[
        ("[2026-11-20]MBAN01.xml", &xml("MBAN01", "10.00")),
        ("[2026-11-20]MBAN02.xml", &xml("MBAN02", "11.00")),
    ]);
    let report = harness.imported(&path, archive).await;
    assert_eq!(report["delivered"], json!([1, 2]));
    let batch = harness.work_until(&path, "finished").await;
    assert_eq!(batch["counts"]["delivered"], 2);
    assert_eq!(harness.bank().times_asked(), 0);
}
