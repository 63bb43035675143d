//! Files that batches give.

use super::{mixed, table, unzipped};
use crate::bank::PDF;
use crate::harness::{Harness, header, json_of};

#[tokio::test]
async fn the_files_of_delivered_rows_are_zipped_with_a_summary() {
    let harness = Harness::start().await;
    let path = harness.finished().await;
    let answer = harness.batch(format!("{path}/files.zip")).await;
    let id = path.trim_start_matches('/');
    let disposition = format!("attachment; filename=\"comprobantes-{id}.zip\"");
    assert_eq!(header(&answer, "content-disposition"), disposition);
    assert!(header(&answer, "ratelimit").starts_with("\"minute\""));
    let files = unzipped(answer).await;
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "00001_CEP-20261120-MBAN01.xml",
        "00001_CEP-20261120-MBAN01.pdf",
        "00003_CEP-20261120-MBAN03.xml",
        "00003_CEP-20261120-MBAN03.pdf",
        "resumen.csv",
        "resumen.xlsx",
    ];
    assert_eq!(names, expected);
    assert!(files[0].1.starts_with(b"<?xml"));
    assert_eq!(files[1].1, PDF);
    let results = harness.batch(format!("{path}/results")).await;
    assert_eq!(files[4].1, results.bytes().await.unwrap());
    let results = harness.batch(format!("{path}/results?format=xlsx")).await;
    assert_eq!(files[5].1, results.bytes().await.unwrap());
}

#[tokio::test]
async fn two_rows_may_have_files_of_one_name() {
    let harness = Harness::start().await;
    // Two payments of one tracking key, which differ by their amounts.
    let payments = [("", "MBAN01", "10.00"), ("", "MBAN01", "11.00")];
    let path = harness.new_batch("", table(&payments)).await;
    harness.work_until(&path, "finished").await;
    let (names, _) = harness.unzipped(&format!("{path}/files.zip")).await;
    let expected = [1, 2].map(|row| format!("0000{row}_CEP-20261120-MBAN01.xml"));
    assert_eq!(names[..2], expected);
    assert_eq!(names[2..], ["resumen.csv", "resumen.xlsx"]);
}

#[tokio::test]
async fn a_batch_without_a_proof_has_a_summary_alone() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    let (names, _) = harness.unzipped(&format!("{path}/files.zip")).await;
    assert_eq!(names, ["resumen.csv", "resumen.xlsx"]);
}

#[tokio::test]
async fn open_rows_are_written_for_the_bank() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    let answer = harness.batch(format!("{path}/banxico.zip")).await;
    let id = path.trim_start_matches('/');
    let disposition = format!("attachment; filename=\"banxico-{id}.zip\"");
    assert_eq!(header(&answer, "content-disposition"), disposition);
    let files = unzipped(answer).await;
    assert_eq!(files.len(), 1);
    let (name, content) = &files[0];
    assert_eq!(name, "banxico-01.txt");
    let content = String::from_utf8_lossy(content).replace("\r\n", "\n");
    insta::assert_snapshot!("banxico", content);
}

#[tokio::test]
async fn two_open_rows_are_enough_for_the_bank_and_one_is_not() {
    let harness = Harness::start().await;
    let two = [("", "MBAN01", "10.00"), ("", "MBAN02", "10.00")];
    let path = harness.new_batch("", table(&two)).await;
    let (_, files) = harness.unzipped(&format!("{path}/banxico.zip")).await;
    let text = std::str::from_utf8(&files[0]).unwrap();
    assert_eq!(text.lines().count(), 2);
    let path = harness.new_batch("", table(&two[..1])).await;
    let answer = harness.batch(format!("{path}/banxico.zip")).await;
    assert_eq!(header(&answer, "content-type"), "application/json");
    insta::assert_snapshot!("one_row", json_of(answer, 409).await);
    let path = harness.finished().await;
    let answer = harness.batch(format!("{path}/banxico.zip")).await;
    assert_eq!(answer.status(), 409, "one row of three has no proof");
}
