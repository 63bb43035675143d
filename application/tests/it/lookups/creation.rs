//! Creation: admission, the stored lookup, the charge.

use domain::lookups::Metadata;
use rstest::rstest;

use super::*;
use crate::support::disk_full;

#[tokio::test]
async fn a_lookup_is_charged_once_and_queued_under_the_id_of_its_request() {
    let (world, process, holder) = start().await;
    let answer = process.ask(&holder, lookup("10.00")).await;
    assert_eq!((answer.charge, answer.key), (Charge::Open, holder.id));
    assert_eq!(answer.limit_status.month.unwrap().used, 1);
    assert!(answer.details.banks.is_some());
    let created = created(answer);
    assert_eq!(created.state, Queued);
    assert_eq!((created.attempts, created.erase_at), (0, None));
    let until = created.retry_until - created.created_at;
    assert_eq!(until.num_hours(), 24);
    assert_eq!(world.charges(&holder).await, (1, 0));
    assert_eq!(world.outcomes(), [], "it was settled before its end");
    // The end is recorded under the same id.
    process.work().await;
    let [ended] = &world.ended()[..] else {
        panic!("{:?}", world.ended());
    };
    let under = (ended.id, ended.endpoint);
    assert_eq!(under, (created.id.0, Endpoint::Lookups));
    assert_eq!(world.charges(&holder).await, (1, 0));
    assert_eq!(world.counted(&holder).await, 1);
}

#[tokio::test]
async fn neither_the_question_nor_the_proof_can_be_read_in_the_store() {
    let (world, process, holder) = start().await;
    let pair = ("folio".to_owned(), "F-4711".to_owned());
    let request = LookupRequest {
        metadata: Metadata::new(vec![pair.clone()]).unwrap(),
        files: BOTH,
        ..lookup("1234.56")
    };
    let id = process.create(&holder, request).await.id;
    process.work().await;
    let stored = world.stored(&holder, id).await;
    let proof = stored.proof.unwrap();
    assert!(proof.len() > 300, "the proof isn't stored: {}", proof.len());
    let account = "002010077777777771";
    let personal = [TRACKING_KEY, account, "123456", "1234.56", "2026-11-18"];
    let others = ["F-4711", "folio", "SPEI_Tercero", "%PDF"];
    for text in personal.iter().chain(&others) {
        for bytes in [&stored.question, &proof] {
            let mut windows = bytes.windows(text.len());
            assert!(!windows.any(|part| part == text.as_bytes()), "{text}");
        }
    }
    // The same question is encrypted differently each time.
    let again = process.queue(&holder, "1234.56").await;
    let twin = process.queue(&holder, "1234.56").await;
    let question = async |id| world.stored(&holder, id).await.question;
    assert_ne!(question(again).await, question(twin).await);
    let metadata = process.view(&holder, id).await.metadata;
    assert_eq!(metadata.pairs(), [pair]);
}

/// Why a lookup isn't created.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    InvalidQuestion,
    UnknownIssuer,
    QuestionPanics,
    StoreFails,
    AdmissionNotDurable,
}

#[rstest]
#[case::invalid_question(Trouble::InvalidQuestion, Outcome::InvalidRequest)]
#[case::unknown_issuer(Trouble::UnknownIssuer, Outcome::InferenceFailed)]
#[case::question_panics(Trouble::QuestionPanics, Outcome::InternalError)]
#[case::store_fails(Trouble::StoreFails, Outcome::InternalError)]
#[case::admission_not_durable(Trouble::AdmissionNotDurable, Outcome::InternalError)]
#[tokio::test]
async fn a_lookup_that_is_not_created_is_settled_at_once_stores_nothing_and_is_refunded_for_our_failure(
    #[case] trouble: Trouble,
    #[case] outcome: Outcome,
) {
    let (world, process, holder) = start().await;
    world.counted(&holder).await;
    let question = match trouble {
        Trouble::InvalidQuestion => Asked::Invalid,
        // The tracking key has the shape of no bank's.
        Trouble::UnknownIssuer => Asked::from(LookupRequest {
            query: with_key("Z", query_of("10.00")).into(),
            ..lookup("10.00")
        }),
        Trouble::QuestionPanics => Asked::Panics,
        Trouble::StoreFails => {
            process.faults().inject_into("add_lookup", Fault::Fails);
            lookup("10.00").into()
        }
        Trouble::AdmissionNotDurable => {
            world.base.journal.fail_with(Some(disk_full()));
            awaited("10.00").into()
        }
    };
    let answer = process.ask(&holder, question).await;
    let is_told = match answer.reply {
        Reply::Faulty(Invalid) => trouble == Trouble::InvalidQuestion,
        Reply::Answer(Err(FetchError::InferenceFailed { .. })) => trouble == Trouble::UnknownIssuer,
        Reply::Failed => trouble == Trouble::QuestionPanics,
        Reply::NotDurable(_) => {
            matches!(trouble, Trouble::StoreFails | Trouble::AdmissionNotDurable)
        }
        Reply::Answer(_) => false,
    };
    assert!(is_told, "{:?}", answer.reply);
    world.base.journal.fail_with(None);
    assert!(world.all_stored(&holder).await.is_empty());
    assert_eq!(process.work().await, 0);
    assert_eq!(answer.charge, Charge::Settled(outcome));
    assert_eq!(world.outcomes(), [outcome]);
    let refunded = u64::from(outcome.is_refunded());
    assert_eq!(answer.limit_status.month.unwrap().used, 1 - refunded);
    assert_eq!(world.charges(&holder).await, (1, refunded));
    assert_eq!(world.counted(&holder).await, 1 - refunded);
}

#[tokio::test]
async fn a_creator_who_waits_is_answered_at_the_end_of_work_that_begins_with_a_durable_charge() {
    let (world, process, holder) = start().await;
    world.counted(&holder).await;
    let worker = process.run_worker().await;
    world.base.journal.hold();
    world.bank.hold();
    let answer = process.begin(&holder, awaited("10.00"));
    settle().await;
    assert_eq!(world.all_stored(&holder).await.len(), 1);
    assert_eq!(world.bank.times_asked(), 0, "the bank was asked too early");
    world.base.journal.release();
    settle().await;
    assert_eq!(world.bank.times_asked(), 1, "the worker wasn't signalled");
    world.pass(seconds(3)).await;
    world.bank.release();
    let created = created(answer.await.unwrap());
    assert_eq!(created.state, Delivered);
    assert!(created.delivery.is_some());
    assert_eq!(world.elapsed(), 3);
    worker.abort();
}

#[tokio::test]
async fn a_creator_waits_no_longer_than_told() {
    let (world, process, holder) = start().await;
    let answer = process.begin(&holder, awaited("10.00"));
    settle().await;
    world.pass(seconds(24)).await;
    assert!(!answer.is_finished(), "it was answered too early");
    world.pass(seconds(1)).await;
    let created = created(answer.await.unwrap());
    assert_eq!(created.state, Queued);
    // A caller who hung up doesn't stop it.
    process.work().await;
    assert_eq!(process.state(&holder, created.id).await, Delivered);
}
