//! Imports of the bank's own batches.

use application::{FileUse, Files, ImportReport, UnusedReason};
use bytes::Bytes;
use domain::amount::Amount;
use domain::participants::Catalogue;
use domain::participants::inference;
use domain::payment::PaymentState;
use domain::proofs::Mismatch;
use domain::proofs::notice::NoticeCode;
use domain::seals::Verdict;
use rstest::rstest;
use testkit::fakes::{KNOWN_CERTIFICATE, plain_pdf, unsealed_proof};

use super::*;

mod pdfs;

const OTHER_KEY: &str = "MBAN01002611180000000002";
const UNKNOWN_CERTIFICATE: &str = "00001000000500000001";

/// The bank's XML about a payment, sealed with the known key.
pub(super) fn file(query: &ProofQuery) -> Bytes {
    let known = [(UNKNOWN_CERTIFICATE, KNOWN_CERTIFICATE)];
    edited(&unsealed(query), &known)
}

/// The same with a certificate that nobody knows.
fn unsealed(query: &ProofQuery) -> Bytes {
    let resolved = inference::resolve(query.clone(), Catalogue::embedded());
    unsealed_proof(&resolved.transfer.unwrap()).xml.unwrap()
}

/// An XML with other texts in place of some.
fn edited(xml: &Bytes, edits: &[(&str, &str)]) -> Bytes {
    let mut xml = String::from_utf8(xml.to_vec()).unwrap();
    for (from, to) in edits {
        assert!(xml.contains(from), "{from}");
        xml = xml.replace(from, to);
    }
    xml.into()
}

/// The same about a beneficiary whose name is no label of the page.
fn named_file(query: &ProofQuery) -> Bytes {
    edited(&file(query), &[("BENEFICIARIO", "LUISA PRUEBA")])
}

pub(super) async fn import(
    process: &Process,
    holder: &Holder,
    id: BatchId,
    files: Vec<Bytes>,
) -> ImportReport {
    let imported = process.batches.import(&access(holder), id, files).await;
    imported.unwrap().found
}

/// Imports one file; returns the reason why it wasn't used.
async fn unused(process: &Process, holder: &Holder, id: BatchId, file: Bytes) -> UnusedReason {
    let report = import(process, holder, id, vec![file]).await;
    assert!(report.delivered.is_empty(), "{report:?}");
    let [FileUse::Unused(reason)] = &report.files[..] else {
        panic!("{report:?}");
    };
    reason.clone()
}

/// The rows that were delivered, by an import that used each file.
pub(super) fn delivered(report: &ImportReport) -> Vec<u32> {
    let is_used = |used: &FileUse| matches!(used, FileUse::Delivered(_));
    assert!(report.files.iter().all(is_used), "{report:?}");
    numbers(report)
}

/// The rows that were delivered.
fn numbers(report: &ImportReport) -> Vec<u32> {
    let rows = report.delivered.iter();
    rows.map(|delivered| delivered.row.0).collect()
}

/// The refusal of a file that differs from a row in one way.
fn differs(row: u32, mismatch: Mismatch) -> UnusedReason {
    UnusedReason::Differs {
        row: RowNumber(row),
        mismatches: vec![mismatch],
    }
}

/// A batch of one row, which is tried again for so many seconds.
async fn one_of(process: &Process, holder: &Holder, row: ProofQuery, retry_for: u64) -> BatchId {
    let draft = retried_for(retry_for, rows([row]));
    process.create_of(&access(holder), draft).await.id
}

/// Imports the row's proof, and finishes the batch.
async fn deliver(world: &World, process: &Process, holder: &Holder, id: BatchId, row: &ProofQuery) {
    let report = import(process, holder, id, vec![file(row)]).await;
    assert_eq!(delivered(&report), [0]);
    let seen = process.rows(holder, id, 0).await;
    let RowOutcome::Lookup(lookup) = &seen[0].outcome else {
        panic!("{seen:?}");
    };
    assert!(lookup.is_imported());
    let delivery = lookup.delivery.as_ref().unwrap();
    assert!(matches!(&delivery.files, Files::Xml(xml) if *xml == file(row)));
    world.until(process, id, Finished).await;
    assert_eq!(process.outcomes(holder, id).await, ["delivered"]);
    assert_eq!(lookup.reason(), None, "a delivered lookup has no reason");
    let again = unused(process, holder, id, file(row)).await;
    assert_eq!(again, UnusedReason::AlreadyDelivered(RowNumber(0)));
}

/// Which rounds a row went through before its import.
enum Before {
    Nothing,
    Fed,
    Running,
    Tried,
    Ended,
}

#[rstest]
#[case::not_begun(payment(0), 60, Before::Nothing, "not begun", 0)]
#[case::queued_and_refunded(payment(0), 60, Before::Fed, "queued", 0)]
#[case::running(query(UNKNOWN_PAYMENT), 60, Before::Running, "running", 1)]
#[case::waiting(query(NOT_ISSUED), 3_600, Before::Tried, "waiting", 1)]
#[case::not_found(query(UNKNOWN_PAYMENT), 0, Before::Ended, "not_found", 1)]
#[case::expired(query(NOT_ISSUED), 0, Before::Ended, "expired", 1)]
#[case::failed_and_refunded(query(BANK_FAILS), 0, Before::Ended, "failed", 0)]
#[tokio::test]
async fn a_row_without_a_proof_is_delivered_and_charged_if_the_bank_was_asked(
    #[case] row: ProofQuery,
    #[case] retry_for: u64,
    #[case] before: Before,
    #[case] state: &str,
    #[case] charged: u64,
) {
    let (world, process, holder) = start().await;
    let id = one_of(&process, &holder, row.clone(), retry_for).await;
    match before {
        Before::Nothing => {}
        Before::Fed => {
            process.feed().await;
            world.charged(&holder, 1).await;
        }
        Before::Running => {
            process.feed().await;
            world.bank.hold();
            assert_eq!(process.work().await, 1);
        }
        Before::Tried => process.feed_and_work().await,
        Before::Ended => world.until(&process, id, Finished).await,
    }
    assert_eq!(process.outcomes(&holder, id).await, [state]);
    let asked = world.bank.times_asked();
    deliver(&world, &process, &holder, id, &row).await;
    world.release_bank().await;
    assert_eq!(process.outcomes(&holder, id).await, ["delivered"]);
    world.charged(&holder, charged).await;
    assert_eq!(world.bank.times_asked(), asked);
}

#[tokio::test]
async fn an_imported_proof_was_seen_before_by_whoever_is_given_it_next() {
    let (_world, process, holder) = start().await;
    let row = payment(0);
    for times in [0, 1] {
        let id = one_of(&process, &holder, row.clone(), 60).await;
        let report = import(&process, &holder, id, vec![file(&row)]).await;
        assert_eq!(delivered(&report), [0]);
        let rows = process.rows(&holder, id, 0).await;
        let RowOutcome::Lookup(lookup) = &rows[0].outcome else {
            panic!("{rows:?}");
        };
        let seen = lookup.delivery.as_ref().unwrap().seen;
        assert_eq!(seen.unwrap().times, times);
        assert_eq!(report.delivered[0].seen, seen);
        let notices = report.delivered[0].notices.iter();
        let notices: Vec<_> = notices.map(|notice| notice.code).collect();
        let expected = [NoticeCode::Imported, NoticeCode::UnsealedNotCompared];
        assert_eq!(notices, expected);
    }
}

#[tokio::test]
async fn many_proofs_are_delivered_over_chunks() {
    let (world, process, holder, id) = start_batch(ready(250)).await;
    let files = (0..250).rev().map(|number| file(&payment(number)));
    let report = import(&process, &holder, id, files.collect()).await;
    assert_eq!(delivered(&report), (0..250).collect::<Vec<_>>());
    world.until(&process, id, Finished).await;
    world.charged(&holder, 0).await;
    assert_eq!(world.bank.times_asked(), 0);
}

#[tokio::test]
async fn an_import_beside_the_feeder_neither_loses_nor_doubles_a_row() {
    let (world, process, holder, id) = start_batch(ready(600)).await;
    process.feed().await;
    let files = (200..400).map(|number| file(&payment(number)));
    let report = import(&process, &holder, id, files.collect()).await;
    assert_eq!(delivered(&report), (200..400).collect::<Vec<_>>());
    world.until(&process, id, Finished).await;
    assert_eq!(process.begun(id).await, (0..600).collect::<Vec<_>>());
    world.charged(&holder, 400).await;
    assert_eq!(world.bank.times_asked(), 400);
}

#[tokio::test]
async fn one_payment_is_no_answer_to_two_rows() {
    let (_world, process, holder) = start().await;
    let both = rows([payment(1), with_key(OTHER_KEY, payment(1))]);
    let id = process.create(&holder, both).await;
    let xml = file(&payment(1));
    let same = edited(
        &xml,
        &[
            (&*payment(1).criterion.to_string(), OTHER_KEY),
            // Blanks make no other payment of it.
            ("|BENEFICIARIO|", "| BENEFICIARIO|"),
        ],
    );
    let report = import(&process, &holder, id, vec![xml, same.clone()]).await;
    assert_eq!(numbers(&report), [0]);
    let repeated = UnusedReason::AnswersAnotherRow(RowNumber(0));
    assert_eq!(report.files[1], FileUse::Unused(repeated.clone()));
    // Neither with another import.
    assert_eq!(unused(&process, &holder, id, same).await, repeated);
}

#[tokio::test]
async fn a_file_that_answers_no_row_is_not_used_and_the_others_are_delivered() {
    let mut all = vec![faulty(2)];
    all.extend(rows([payment(0), payment(0)]));
    let (world, process, holder, id) = start_batch(all).await;
    let row = payment(0);
    let another_amount = unused(&process, &holder, id, file(&payment(1))).await;
    assert_eq!(another_amount, differs(1, Mismatch::Amount));
    let account = ("002010077777777771", "002180077777777779");
    let another_account = edited(&file(&row), &[account]);
    let another_account = unused(&process, &holder, id, another_account).await;
    assert_eq!(another_account, differs(1, Mismatch::Account));
    let of_another_key = file(&with_key(OTHER_KEY, row.clone()));
    let no_proof = Bytes::from_static(b"<html/>");
    let mixed = vec![of_another_key, no_proof, file(&row), file(&row)];
    let report = import(&process, &holder, id, mixed).await;
    let expected = [
        FileUse::Unused(UnusedReason::NoRow),
        FileUse::Unused(UnusedReason::NotAProof),
        FileUse::Delivered(RowNumber(1)),
        FileUse::Unused(UnusedReason::AlreadyDelivered(RowNumber(1))),
    ];
    assert_eq!(report.files, expected);
    world.charged(&holder, 0).await;
    let expected = ["faulty: monto", "delivered", "duplicate of 1 in 2"];
    assert_eq!(process.outcomes(&holder, id).await, expected);
}

#[tokio::test]
async fn a_proof_with_an_invalid_seal_is_not_used() {
    let all = rows([payment(0), payment(1)]);
    let (world, process, holder, id) = start_batch(all).await;
    world.seals.find_all(Verdict::Invalid);
    let refusal = unused(&process, &holder, id, file(&payment(0))).await;
    assert_eq!(refusal, UnusedReason::SealInvalid(RowNumber(0)));
    assert!(process.begun(id).await.is_empty());
}

#[tokio::test]
async fn a_proof_whose_seal_cannot_be_checked_is_not_used_and_keeps_no_true_one_out() {
    let (_world, process, holder, id) = start_batch(ready(1)).await;
    let refusal = unused(&process, &holder, id, unsealed(&payment(0))).await;
    assert_eq!(refusal, UnusedReason::SealNotChecked(RowNumber(0)));
    assert_eq!(process.outcomes(&holder, id).await, ["not begun"]);
    let both = vec![unsealed(&payment(0)), file(&payment(0))];
    let report = import(&process, &holder, id, both).await;
    assert_eq!(report.files[1], FileUse::Delivered(RowNumber(0)));
}

#[rstest]
#[case::the_amount(r#"MontoPago=""#, r#"MontoPago="9"#)]
#[case::the_name(r#"Nombre="BENEFICIARIO""#, r#"Nombre="TIENDA""#)]
#[case::the_account(r#"Cuenta="002010077777777771""#, r#"Cuenta="002180077777777779""#)]
#[case::the_certificate(
    r#"numeroCertificado="00001000000500000002""#,
    r#"numeroCertificado="00001000000500000001""#
)]
#[tokio::test]
async fn a_proof_with_a_field_that_its_chain_contradicts_is_not_used(
    #[case] from: &str,
    #[case] to: &str,
) {
    let (_world, process, holder, id) = start_batch(ready(1)).await;
    let altered = edited(&file(&payment(0)), &[(from, to)]);
    let refusal = unused(&process, &holder, id, altered).await;
    assert_eq!(refusal, UnusedReason::Altered(RowNumber(0)));
}

#[tokio::test]
async fn a_proof_whose_chain_can_be_read_in_several_ways_is_not_used() {
    let (_world, process, holder, id) = start_batch(ready(1)).await;
    // A payment of one peso, whose payer wrote the rest of a chain into its concept.
    let amount = payment(0).amount;
    let concept = format!("|PRUEBA|0.00|{amount}||||||0.00|1.00|0000");
    let lie = [(&*format!("|PRUEBA|0.00|{amount}|0000"), &*concept)];
    let refusal = unused(&process, &holder, id, edited(&file(&payment(0)), &lie)).await;
    assert_eq!(refusal, UnusedReason::Ambiguous(RowNumber(0)));
}

#[rstest]
#[case::returned(40_403, PaymentState::Returned)]
#[case::canceled(40_405, PaymentState::Canceled)]
#[case::rejected(40_406, PaymentState::Rejected)]
#[case::return_in_process(40_407, PaymentState::ReturnInProcess)]
#[case::not_settled(40_408, PaymentState::NotSettled)]
#[case::sent_back(40_410, PaymentState::SentBack)]
#[tokio::test]
async fn no_import_contradicts_the_bank(#[case] centavos: u64, #[case] state: PaymentState) {
    let (world, process, holder) = start().await;
    let row = query(centavos);
    let id = one_of(&process, &holder, row.clone(), 0).await;
    world.until(&process, id, Finished).await;
    let before = process.outcomes(&holder, id).await;
    let refusal = unused(&process, &holder, id, file(&row)).await;
    let UnusedReason::BankSaysOtherwise { row, payment } = refusal else {
        panic!("{refusal:?}");
    };
    assert_eq!((row, payment.state), (RowNumber(0), state));
    assert_eq!(process.outcomes(&holder, id).await, before);
}

#[tokio::test]
async fn two_payments_with_one_tracking_key_each_get_their_own_proof() {
    let all = rows([payment(0), payment(1), payment(2)]);
    let (_world, process, holder, id) = start_batch(all).await;
    let files = vec![file(&payment(2)), file(&payment(0)), file(&payment(9))];
    let report = import(&process, &holder, id, files).await;
    assert_eq!(numbers(&report), [0, 2]);
    let FileUse::Unused(UnusedReason::Differs { mismatches, .. }) = &report.files[2] else {
        panic!("{report:?}");
    };
    assert_eq!(mismatches[..], [Mismatch::Amount]);
    let outcomes = process.outcomes(&holder, id).await;
    assert_eq!(outcomes, ["delivered", "not begun", "delivered"]);
}

#[tokio::test]
async fn payments_of_two_days_that_are_alike_each_get_the_proof_of_their_day() {
    let (_world, process, holder) = start().await;
    let first = payment(0);
    let second = ProofQuery {
        date: first.date.succ_opt().unwrap(),
        ..first.clone()
    };
    let both = rows([first.clone(), second.clone()]);
    let id = process.create(&holder, both).await;
    let files = vec![file(&second), file(&first)];
    let report = import(&process, &holder, id, files).await;
    assert_eq!(delivered(&report), [0, 1]);
    assert_eq!(report.files[0], FileUse::Delivered(RowNumber(1)));
}

#[tokio::test]
async fn nothing_is_imported_into_a_row_whose_lookup_was_canceled_and_a_canceled_batch() {
    let (_world, process, holder, id) = start_batch(ready(1)).await;
    process.feed().await;
    let lookup = process.lookups_of(id).await[0].facts.id;
    let key = fixture::access(&holder);
    process.lookups.remove(key, lookup).await.unwrap();
    let refusal = unused(&process, &holder, id, file(&payment(0))).await;
    assert_eq!(refusal, UnusedReason::RowCanceled(RowNumber(0)));
    assert_eq!(process.outcomes(&holder, id).await, ["canceled"]);
    process.cancel(&holder, id).await.unwrap();
    for files in [vec![file(&payment(0))], Vec::new()] {
        let refused = process.batches.import(&access(&holder), id, files).await;
        assert!(matches!(refused, Err(BatchError::Canceled)), "{refused:?}");
    }
}

#[tokio::test]
async fn many_rows_and_files_with_one_tracking_key_check_a_seal_for_each_match_alone() {
    const ROWS: u64 = 2_000;
    let (world, process, holder) = start().await;
    let with_amount = |number: u64| ProofQuery {
        amount: Amount::from_centavos(100_000 + number).unwrap(),
        ..payment(0)
    };
    let all = rows((0..ROWS).map(with_amount));
    let id = process.create(&holder, all).await;
    let before = world.seals.checked().len();
    // Half of them answer a row.
    let files = (ROWS - 500..ROWS + 500).map(|number| file(&with_amount(number)));
    let report = import(&process, &holder, id, files.collect()).await;
    assert_eq!(report.delivered.len(), 500);
    assert_eq!(world.seals.checked().len() - before, 500);
    let differs = |used: &&_| matches!(used, FileUse::Unused(UnusedReason::Differs { .. }));
    assert_eq!(report.files[500..].iter().filter(differs).count(), 500);
}
