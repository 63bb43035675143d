//! Creation of batches, and the check before it.

use application::{AdmissionError, Files};
use domain::account::Account;
use domain::calendar::parse_date;
use domain::keys::KeyId;
use domain::own_accounts::Destination;
use domain::proofs::file::RequestedFiles;
use domain::transfer::Transfer;
use ports::outbound::{BatchAddition, BatchBounds, Lease, NewBatch};
use testkit::fakes::{Script, unsealed_proof};
use uuid::Uuid;

use super::*;
use crate::support::limits;

#[tokio::test]
async fn a_preview_tells_what_would_happen_and_changes_nothing() {
    let (world, process, holder) = start_with(limits(60, Some(100))).await;
    let mut all_rows = vec![faulty(2)];
    all_rows.extend(rows([payment(1), unresolvable(), payment(1)]));
    all_rows.extend(rows((10..130).map(payment)));
    // A person is told the same of the key that it names.
    let named = BatchDraft {
        key: Some(holder.id),
        ..draft(all_rows.clone())
    };
    let person = BatchAccess::Person(operator());
    let of_person = process.batches.preview(&person, named).await;
    let of_person = of_person.unwrap().found;
    assert_eq!((of_person.quota_left, of_person.seconds), (Some(100), 61));
    let access = access(&holder);
    let preview = process.batches.preview(&access, draft(all_rows)).await;
    let read = preview.unwrap();
    assert_eq!(read.key, Some((holder.id, Environment::Test)));
    let preview = read.found;
    let counts = RowCounts {
        rows: 124,
        faulty: 2,
        duplicates: 1,
    };
    assert_eq!(preview.counts, counts);
    let rejected: Vec<_> = preview.rejected.iter().map(|row| row.row.0).collect();
    assert_eq!(rejected, [0, 2, 3]);
    let outcome = &preview.rejected[1].outcome;
    assert!(matches!(outcome, RowOutcome::Unresolved(_)));
    assert_eq!((preview.quota_left, preview.seconds), (Some(100), 61));
    assert_eq!(process.feed().await, 0);
    assert_eq!(listed(&process, &access, &all()).await, []);
    world.charged(&holder, 0).await;
}

#[tokio::test]
async fn a_preview_warns_of_rows_that_contradict_themselves_and_are_looked_up_all_the_same() {
    let (_world, process, holder) = start().await;
    let with_account = |account, query| ProofQuery {
        account: Account::parse(account).unwrap(),
        ..query
    };
    let wrong_clabe = with_account("002010077777777772", payment(1));
    let wrong_card = with_account("4037070000000011", payment(2));
    let date = parse_date("2026-11-13").unwrap();
    let another_day = ProofQuery { date, ..payment(3) };
    let sound = payment(4);
    // Neither is a row that isn't looked up.
    let repeated = wrong_clabe.clone();
    let all_rows = rows([sound, wrong_clabe, repeated, wrong_card, another_day]);
    let access = access(&holder);
    let preview = process.batches.preview(&access, draft(all_rows));
    let preview = preview.await.unwrap().found;
    assert_eq!((preview.counts.ready(), preview.counts.duplicates), (4, 1));
    let warnings = preview.warnings.iter().map(|warning| {
        let fields = warning.contradictions.iter();
        let fields: Vec<_> = fields.map(|(field, _)| field.name()).collect();
        (warning.row.0, warning.line, fields)
    });
    let expected = [
        (1, 3, vec!["cuenta"]),
        (3, 5, vec!["cuenta"]),
        (4, 6, vec!["fecha"]),
    ];
    assert_eq!(warnings.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_preview_of_a_live_batch_knows_the_banks_budget() {
    let (world, process, _) = start().await;
    let live = world.live_holder().await;
    let access = access(&live);
    let preview = process.batches.preview(&access, draft(ready(120))).await;
    let seconds = preview.unwrap().found.seconds;
    assert!((120..=130).contains(&seconds), "{seconds}");
}

#[tokio::test]
async fn a_batch_without_a_row_to_look_up_is_refused() {
    let (world, process, holder) = start().await;
    let mut all_rows = vec![faulty(2)];
    all_rows.extend(rows([unresolvable()]));
    for all_rows in [all_rows, Vec::new()] {
        let number = all_rows.len();
        let refused = process.try_create(&access(&holder), draft(all_rows)).await;
        let Err(BatchError::NothingToDo(preview)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(preview.rejected.len(), number);
    }
    assert_eq!(listed(&process, &access(&holder), &all()).await, []);
    world.charged(&holder, 0).await;
}

#[tokio::test]
async fn a_customer_has_twenty_open_batches_at_most() {
    let (world, process, holder) = start().await;
    let live = world.live_holder().await;
    let mut first = None;
    for number in 0..20 {
        world.pass(seconds(1)).await;
        let owner = if number % 2 == 0 { &holder } else { &live };
        let id = process.create(owner, ready(1)).await;
        first.get_or_insert(id);
    }
    let refused = process.try_create(&access(&holder), draft(ready(1))).await;
    assert!(matches!(
        refused,
        Err(BatchError::TooManyOpen { limit: 20 })
    ));
    // Another customer has its own.
    let ana = person("ana", Role::Admin);
    let of_ana = world.holder(&ana, Environment::Test).await;
    process.create(&of_ana, ready(1)).await;
    world.until(&process, first.unwrap(), Finished).await;
    process.create(&holder, ready(1)).await;
}

#[tokio::test]
async fn a_customer_has_a_million_stored_rows_at_most() {
    let (world, process, holder) = start().await;
    process.create(&holder, ready(1)).await;
    let (store, now) = (&process.process().store, world.base.clock.now());
    let lease = Lease {
        token: Uuid::from_u128(1),
        until: now + chrono::TimeDelta::minutes(1),
    };
    let one = store.claim_batches(1, now, lease).await.unwrap().remove(0);
    let mut facts = one.batch.facts;
    facts.id = BatchId(Uuid::from_u128(1));
    facts.counts.rows = 999_998;
    let large = NewBatch {
        facts,
        content: Vec::new(),
        chunks: Vec::new(),
        claim: None,
    };
    let added = store.add_batch(&large, BatchBounds::NONE).await;
    assert_eq!(added.unwrap(), BatchAddition::Added);
    let refused = process.try_create(&access(&holder), draft(ready(2))).await;
    let limit = 1_000_000;
    assert!(matches!(refused, Err(BatchError::TooManyRows { limit: it }) if it == limit));
    process.create(&holder, ready(1)).await;
}

#[tokio::test]
async fn a_batch_keeps_what_its_creator_said() {
    let (world, process, holder) = start().await;
    let draft = BatchDraft {
        name: None,
        files: RequestedFiles::Both,
        ..retried_for(90, ready(1))
    };
    let created = process.create_of(&access(&holder), draft).await;
    assert_eq!((created.name, created.files), (None, RequestedFiles::Both));
    assert_eq!(created.retry_for.duration(), seconds(90));
    world.until(&process, created.id, Finished).await;
    let rows = process.rows(&holder, created.id, 0).await;
    let RowOutcome::Lookup(lookup) = &rows[0].outcome else {
        panic!("{rows:?}");
    };
    let retried_for = lookup.retry_until - lookup.created_at;
    assert_eq!(retried_for.num_seconds(), 90);
    let delivery = lookup.delivery.as_ref().unwrap();
    assert!(matches!(delivery.files, Files::Both { .. }));
    assert_eq!(lookup.batch, Some(created.id));
}

#[tokio::test]
async fn a_person_creates_a_batch_for_a_key_of_the_own_account() {
    let (world, process, _) = start().await;
    let live = world.live_holder().await;
    let draft = BatchDraft {
        key: Some(live.id),
        ..draft(ready(3))
    };
    let operator = BatchAccess::Person(operator());
    let created = process.create_of(&operator, draft).await;
    let with = (created.key, created.environment);
    assert_eq!(with, (live.id, Environment::Live));
    world.until(&process, created.id, Finished).await;
    world.charged(&live, 3).await;
    assert_eq!(world.live_bank.times_asked(), 3);
}

#[tokio::test]
async fn a_person_must_name_a_key_that_can_be_used() {
    let (world, process, holder) = start().await;
    let revoked = world.base.holder(ample()).await;
    world.base.revoke(&revoked).await;
    let unknown = KeyId(Uuid::from_u128(9));
    for (caller, key) in [
        (operator(), None),
        (operator(), Some(unknown)),
        (operator(), Some(revoked.id)),
        // Somebody without an account has no key.
        (person("ben", Role::Admin), Some(holder.id)),
    ] {
        let draft = BatchDraft {
            key,
            ..draft(ready(1))
        };
        let access = BatchAccess::Person(caller);
        let refused = process.batches.preview(&access, draft.clone()).await;
        assert!(matches!(refused, Err(BatchError::NoSuchKey)), "{refused:?}");
        let refused = process.try_create(&access, draft).await;
        assert!(matches!(refused, Err(BatchError::NoSuchKey)), "{refused:?}");
    }
}

#[tokio::test]
async fn a_batch_is_not_created_while_the_store_fails() {
    let (_world, process, holder) = start().await;
    process.faults().inject_into("add_batch", Fault::Fails);
    let refused = process.try_create(&access(&holder), draft(ready(1))).await;
    let Err(BatchError::Refused(AdmissionError::Unavailable { .. })) = refused else {
        panic!("{refused:?}");
    };
    process.faults().clear();
    assert_eq!(process.feed().await, 0);
}

#[tokio::test]
async fn a_row_tells_which_of_several_own_accounts_was_credited() {
    let (world, process, holder) = start().await;
    let first = payment(0).account;
    let second = Account::parse("072180012345678907").unwrap();
    let credited = second.clone();
    world.bank.answer_by(move |transfer: &Transfer| {
        if *transfer.account() == credited {
            return Script::Issue(unsealed_proof(transfer));
        }
        Script::KnowNothing
    });
    let other = Destination {
        account: second.clone(),
        receiver: None,
    };
    let query = ProofQuery {
        others: vec![other],
        ..payment(0)
    };
    let id = process.create(&holder, rows([query])).await;
    world.until(&process, id, Finished).await;
    let row = process.rows(&holder, id, 0).await.remove(0);
    let query = row.query.unwrap();
    assert_eq!(query.account, second);
    assert_eq!(query.others.len(), 1);
    assert_eq!(query.others[0].account, first);
}
