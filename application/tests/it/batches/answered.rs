//! Results that are sent again.

use domain::account::Account;
use domain::batches::sheet::{PassedOver, PassedOverRows};
use domain::lookups::LookupId;
use domain::seals::{SealHash, Verdict};
use uuid::Uuid;

use super::*;

/// Rows with the lookups of the rows of an earlier batch.
async fn again(process: &Process, id: BatchId, queries: &[ProofQuery]) -> Vec<DraftRow> {
    let lookups = process.lookups_of(id).await;
    let mut again = rows(queries.iter().cloned());
    for (row, lookup) in again.iter_mut().zip(lookups) {
        row.lookup = Some(lookup.facts.id);
    }
    again
}

fn told() -> Vec<PassedOverRows> {
    PassedOverRows::grouped(&[
        (2, PassedOver::Answered),
        (5, PassedOver::Answered),
        (9, PassedOver::AnsweredBefore),
    ])
}

#[tokio::test]
async fn what_is_answered_is_not_asked_again_and_everything_else_is() {
    let (world, process, holder) = start().await;
    world.seals.find_all(Verdict::Valid(SealHash::Sha512));
    let asked = [
        payment(0),
        payment(1),
        query(UNKNOWN_PAYMENT),
        query(RETURNED),
    ];
    let id = process
        .create_of(&access(&holder), retried_for(0, rows(asked.clone())))
        .await
        .id;
    world.until(&process, id, Finished).await;
    // The second row was corrected since.
    let mut corrected = asked.clone();
    corrected[1].account = Account::parse("5512345678").unwrap();
    corrected[1].receiver = payment(1).receiver;
    let mut sent = again(&process, id, &corrected).await;
    // What a repeated row asks is answered, too.
    sent.push(DraftRow {
        line: 9,
        lookup: None,
        ..sent[0].clone()
    });
    let preview = process
        .batches
        .preview(&access(&holder), draft(sent.clone()))
        .await
        .unwrap()
        .found;
    assert_eq!((preview.passed_over, preview.counts.rows), (told(), 2));
    let created = process
        .batches
        .create(&access(&holder), draft(sent.clone()), None)
        .await
        .unwrap();
    let rest = created.batch.found.unwrap();
    assert_eq!((rest.counts.rows, &rest.passed_over), (2, &told()));
    assert_eq!(process.view(&holder, rest.id).await.passed_over, told());
    // Of a stranger, of another bank, and of a lookup that doesn't exist.
    let stranger = world
        .holder(&person("ana", Role::Admin), Environment::Test)
        .await;
    let mut unknown = sent.clone();
    unknown[0].lookup = Some(LookupId(Uuid::from_u128(7)));
    for (holder, rows) in [(&stranger, sent.clone()), (&holder, unknown)] {
        let preview = process
            .batches
            .preview(&access(holder), draft(rows))
            .await
            .unwrap()
            .found;
        assert!(preview.counts.rows > 2, "{preview:?}");
    }
    let mut answered = sent;
    answered.retain(|row| [2, 5, 9].contains(&row.line));
    let nothing = process
        .batches
        .create(&access(&holder), draft(answered), None)
        .await;
    let Err(BatchError::NothingToDo(preview)) = nothing else {
        panic!("{nothing:?}");
    };
    assert_eq!((preview.passed_over, preview.counts.rows), (told(), 0));
}

/// A file is believed of lookups that aren't stored any more, and on request alone.
#[tokio::test]
async fn the_word_of_a_file_counts_for_nothing_where_the_lookup_is_stored() {
    let (world, process, holder) = start().await;
    let id = process
        .create_of(
            &access(&holder),
            retried_for(0, rows([query(UNKNOWN_PAYMENT), payment(0)])),
        )
        .await
        .id;
    world.until(&process, id, Finished).await;
    let mut sent = again(&process, id, &[query(UNKNOWN_PAYMENT), payment(0)]).await;
    sent.extend(rows([payment(1), payment(2)]));
    sent[2].lookup = Some(LookupId(Uuid::from_u128(7)));
    for row in &mut sent {
        row.is_called_answered = true;
    }
    for (skips_answered, expected) in [
        (true, vec![(2, PassedOver::CalledAnswered)]),
        (false, vec![]),
    ] {
        let draft = BatchDraft {
            skips_answered,
            ..draft(sent.clone())
        };
        let preview = process.batches.preview(&access(&holder), draft).await;
        let expected = PassedOverRows::grouped(&expected);
        assert_eq!(preview.unwrap().found.passed_over, expected);
    }
}
