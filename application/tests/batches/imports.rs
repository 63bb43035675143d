//! Imports of the bank's own batches.

use bytes::Bytes;
use domain::batch::{BatchId, BatchState};
use domain::inference;
use domain::lookup::RetryFor;
use domain::participant::Catalogue;
use domain::query::ProofQuery;
use domain::tracking_key::TrackingKey;
use domain::transfer::Transfer;
use ports::inbound::{
    BatchAccess, BatchDraft, BatchError, Batches as _, Files, ImportFile, ImportReport,
    Lookups as _, Rejection, RowOutcome,
};
use testkit::fakes::unsealed_proof;

use super::rows::{
    BANK_FAILS, NOT_ISSUED, UNKNOWN_PAYMENT, draft, faulty, payment, query, ready, rows,
};
use super::steps::{Process, World, access, seconds, settle, start, start_with};
use crate::support::fixture::Holder;
use crate::support::limits;

const OTHER_KEY: &str = "MBAN01002611180000000002";

fn transfer(query: ProofQuery) -> Transfer {
    inference::resolve(query, Catalogue::embedded())
        .transfer
        .unwrap()
}

/// The bank's file about a payment.
pub(crate) fn file(query: &ProofQuery) -> ImportFile {
    ImportFile {
        date: query.date,
        tracking_key: query.tracking_key.clone(),
        xml: unsealed_proof(&transfer(query.clone())).xml.unwrap(),
        pdf: Some(Bytes::from_static(b"%PDF-1.4\n%%EOF\n")),
    }
}

fn with_key(query: ProofQuery) -> ProofQuery {
    ProofQuery {
        tracking_key: TrackingKey::parse(OTHER_KEY).unwrap(),
        ..query
    }
}

impl Process {
    pub(crate) async fn import(
        &self,
        holder: &Holder,
        id: BatchId,
        files: Vec<ImportFile>,
    ) -> ImportReport {
        let imported = self.batches.import(&access(holder), id, files).await;
        imported.unwrap().found
    }

    /// Imports one file; returns the reason why it wasn't delivered.
    async fn rejection(&self, holder: &Holder, id: BatchId, file: ImportFile) -> Rejection {
        let report = self.import(holder, id, vec![file]).await;
        assert!(
            report.delivered.is_empty() && report.present == 0,
            "{report:?}"
        );
        assert_eq!(report.rejected.len(), 1);
        report.rejected[0].reason
    }
}

fn delivered(report: &ImportReport) -> Vec<u32> {
    assert!(report.rejected.is_empty(), "{report:?}");
    report.delivered.iter().map(|row| row.0).collect()
}

/// A batch of one row whose lookup ended or will end without a proof.
async fn one_of(process: &Process, holder: &Holder, row: ProofQuery, retry_for: u64) -> BatchId {
    let draft = BatchDraft {
        retry_for: RetryFor::from_secs(retry_for).unwrap(),
        ..draft(rows([row]))
    };
    let created = process.try_create(&access(holder), draft).await.unwrap();
    created.batch.found.unwrap().id
}

/// Imports the row's proof, and finishes the batch.
async fn deliver(world: &World, process: &Process, holder: &Holder, id: BatchId, row: &ProofQuery) {
    let report = process.import(holder, id, vec![file(row)]).await;
    assert_eq!(delivered(&report), [0]);
    let seen = process.rows(holder, id, 0).await;
    let RowOutcome::Lookup(lookup) = &seen[0].outcome else {
        panic!("{seen:?}");
    };
    assert!(lookup.is_imported());
    let delivery = lookup.delivery.as_ref().unwrap();
    assert!(matches!(&delivery.files, Files::Xml(xml) if *xml == file(row).xml));
    world.until(process, id, BatchState::Finished).await;
    assert_eq!(process.outcomes(holder, id).await, ["delivered"]);
    let again = process.import(holder, id, vec![file(row)]).await;
    assert_eq!((again.present, again.delivered.len()), (1, 0));
}

#[tokio::test]
async fn a_row_that_was_not_begun_is_delivered_uncharged() {
    let (world, process, holder) = start().await;
    let row = payment(0);
    let id = one_of(&process, &holder, row.clone(), 60).await;
    deliver(&world, &process, &holder, id, &row).await;
    world.charged(&holder, 0).await;
    assert_eq!(world.bank.times_asked(), 0);
}

#[tokio::test]
async fn a_queued_row_is_delivered_and_refunded() {
    let (world, process, holder) = start().await;
    let row = payment(0);
    let id = one_of(&process, &holder, row.clone(), 60).await;
    process.feed().await;
    world.charged(&holder, 1).await;
    deliver(&world, &process, &holder, id, &row).await;
    world.charged(&holder, 0).await;
    assert_eq!(world.bank.times_asked(), 0);
}

#[tokio::test]
async fn a_running_row_is_delivered_and_stays_charged() {
    let (world, process, holder) = start().await;
    let row = query(UNKNOWN_PAYMENT);
    let id = one_of(&process, &holder, row.clone(), 60).await;
    process.feed().await;
    world.bank.hold();
    assert_eq!(process.work().await, 1);
    deliver(&world, &process, &holder, id, &row).await;
    world.bank.release();
    settle().await;
    assert_eq!(process.outcomes(&holder, id).await, ["delivered"]);
    world.charged(&holder, 1).await;
}

#[tokio::test]
async fn a_waiting_row_is_delivered_and_stays_charged() {
    let (world, process, holder) = start().await;
    let row = query(NOT_ISSUED);
    let id = one_of(&process, &holder, row.clone(), 3_600).await;
    process.feed().await;
    process.work().await;
    assert_eq!(process.outcomes(&holder, id).await, ["waiting"]);
    deliver(&world, &process, &holder, id, &row).await;
    world.charged(&holder, 1).await;
    assert_eq!(world.bank.times_asked(), 1);
}

#[tokio::test]
async fn rows_that_ended_without_a_proof_are_delivered() {
    for (row, state, charged) in [
        (query(UNKNOWN_PAYMENT), "not_found", 1),
        (query(NOT_ISSUED), "expired", 1),
        (query(BANK_FAILS), "failed", 0),
    ] {
        let (world, process, holder) = start().await;
        let id = one_of(&process, &holder, row.clone(), 0).await;
        world.until(&process, id, BatchState::Finished).await;
        assert_eq!(process.outcomes(&holder, id).await, [state]);
        deliver(&world, &process, &holder, id, &row).await;
        world.charged(&holder, charged).await;
    }
}

#[tokio::test]
async fn many_proofs_are_delivered_over_chunks() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(250)).await;
    let files = (0..250).rev().map(|number| file(&payment(number)));
    let report = process.import(&holder, id, files.collect()).await;
    assert_eq!(delivered(&report), (0..250).collect::<Vec<_>>());
    world.until(&process, id, BatchState::Finished).await;
    world.charged(&holder, 0).await;
    assert_eq!(world.bank.times_asked(), 0);
}

#[tokio::test]
async fn an_import_beside_the_feeder_neither_loses_nor_doubles_a_row() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, ready(600)).await;
    process.feed().await;
    let files = (200..400).map(|number| file(&payment(number)));
    let report = process.import(&holder, id, files.collect()).await;
    assert_eq!(delivered(&report), (200..400).collect::<Vec<_>>());
    world.until(&process, id, BatchState::Finished).await;
    assert_eq!(process.begun(id).await, (0..600).collect::<Vec<_>>());
    world.charged(&holder, 400).await;
    assert_eq!(world.bank.times_asked(), 400);
}

#[tokio::test]
async fn a_paused_batch_whose_next_row_is_imported_stays_paused() {
    let (world, process, holder) = start_with(limits(1_000, Some(7))).await;
    let id = process.create(&holder, ready(12)).await;
    process.feed().await;
    process.work().await;
    let paused = process.view(&holder, id).await;
    let report = process.import(&holder, id, vec![file(&payment(7))]).await;
    assert_eq!(delivered(&report), [7]);
    world.pass(seconds(60)).await;
    assert_eq!(process.feed().await, 1);
    let still = process.view(&holder, id).await;
    assert_eq!(
        (still.state, still.updated_at),
        (BatchState::Paused, paused.updated_at)
    );
}

#[tokio::test]
async fn the_pdf_is_kept_where_it_was_asked_for() {
    let (_world, process, holder) = start().await;
    let both = BatchDraft {
        files: domain::file::RequestedFiles::Both,
        ..draft(ready(1))
    };
    for (draft, has_pdf) in [(draft(ready(1)), false), (both, true)] {
        let created = process.try_create(&access(&holder), draft).await.unwrap();
        let id = created.batch.found.unwrap().id;
        process.import(&holder, id, vec![file(&payment(0))]).await;
        let rows = process.rows(&holder, id, 0).await;
        let RowOutcome::Lookup(lookup) = &rows[0].outcome else {
            panic!("{rows:?}");
        };
        let delivery = lookup.delivery.as_ref().unwrap();
        assert_eq!(matches!(delivery.files, Files::Both { .. }), has_pdf);
    }
}

#[tokio::test]
async fn a_file_that_answers_no_row_is_rejected_and_the_others_are_delivered() {
    let (world, process, holder) = start().await;
    let mut all = vec![faulty(2)];
    all.extend(rows([payment(0), payment(0)]));
    let id = process.create(&holder, all).await;
    let row = payment(0);
    let another_amount = ImportFile {
        xml: file(&payment(1)).xml,
        ..file(&row)
    };
    let rejection = process.rejection(&holder, id, another_amount).await;
    assert_eq!(rejection, Rejection::Differs);
    let of_another_key = process
        .rejection(&holder, id, file(&with_key(row.clone())))
        .await;
    assert_eq!(of_another_key, Rejection::NoRow);
    let no_proof = ImportFile {
        xml: Bytes::from_static(b"<html/>"),
        ..file(&row)
    };
    let rejection = process.rejection(&holder, id, no_proof).await;
    assert_eq!(rejection, Rejection::NotAProof);
    let mixed = vec![file(&with_key(row.clone())), file(&row)];
    let report = process.import(&holder, id, mixed).await;
    assert_eq!(report.delivered.len(), 1);
    assert_eq!(report.rejected[0].reason, Rejection::NoRow);
    assert_eq!(report.rejected[0].tracking_key.as_str(), OTHER_KEY);
    world.charged(&holder, 0).await;
    let outcomes = process.outcomes(&holder, id).await;
    assert_eq!(
        outcomes,
        ["faulty: monto", "delivered", "duplicate of 1 in 2"]
    );
}

#[tokio::test]
async fn the_account_of_the_proof_is_compared() {
    let (_world, process, holder) = start().await;
    let id = process.create(&holder, ready(1)).await;
    let xml = file(&payment(0)).xml;
    let xml = String::from_utf8(xml.to_vec()).unwrap();
    let another = ImportFile {
        xml: xml
            .replace("002010077777777771", "002180077777777779")
            .into(),
        ..file(&payment(0))
    };
    let rejection = process.rejection(&holder, id, another).await;
    assert_eq!(rejection, Rejection::Differs);
}

#[tokio::test]
async fn a_proof_with_a_wrong_seal_is_rejected() {
    let (world, process, holder) = start().await;
    let all = rows([payment(0), payment(1)]);
    let id = process.create(&holder, all).await;
    world.seals.find_all_wrong();
    let rejection = process.rejection(&holder, id, file(&payment(0))).await;
    assert_eq!(rejection, Rejection::WrongSeal);
    assert!(process.begun(id).await.is_empty());
}

#[tokio::test]
async fn two_payments_with_one_tracking_key_each_get_their_own_proof() {
    let (_world, process, holder) = start().await;
    let all = rows([payment(0), payment(1), payment(2)]);
    let id = process.create(&holder, all).await;
    let files = vec![file(&payment(2)), file(&payment(0)), file(&payment(9))];
    let report = process.import(&holder, id, files).await;
    assert_eq!(report.delivered.len(), 2);
    assert_eq!(report.rejected[0].reason, Rejection::Differs);
    let outcomes = process.outcomes(&holder, id).await;
    assert_eq!(outcomes, ["delivered", "not begun", "delivered"]);
}

#[tokio::test]
async fn a_row_whose_lookup_was_canceled_gets_no_proof() {
    let (_world, process, holder) = start().await;
    let id = process.create(&holder, ready(1)).await;
    process.feed().await;
    let lookup = process.lookups_of(id).await[0].facts.id;
    let BatchAccess::Key(key) = access(&holder) else {
        panic!("it is a key");
    };
    process.lookups.remove(key, lookup).await.unwrap();
    let rejection = process.rejection(&holder, id, file(&payment(0))).await;
    assert_eq!(rejection, Rejection::NoRow);
    assert_eq!(process.outcomes(&holder, id).await, ["canceled"]);
}

#[tokio::test]
async fn nothing_is_imported_into_a_canceled_batch() {
    let (_world, process, holder) = start().await;
    let id = process.create(&holder, ready(1)).await;
    process.batches.cancel(&access(&holder), id).await.unwrap();
    for files in [vec![file(&payment(0))], Vec::new()] {
        let refused = process.batches.import(&access(&holder), id, files).await;
        assert!(matches!(refused, Err(BatchError::Canceled)), "{refused:?}");
    }
}
