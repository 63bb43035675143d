//! Repeated requests to create a batch.

use application::{RepeatError, RepeatableBatch};
use domain::idempotency::IdempotencyKey;

use super::*;

fn repeatable(content: &str) -> RepeatableBatch {
    RepeatableBatch {
        key: IdempotencyKey::parse("nomina-47").unwrap(),
        content: content.into(),
    }
}

async fn repeat(
    process: &Process,
    holder: &Holder,
    content: &str,
) -> Result<CreatedBatch, BatchError> {
    let (rows, access) = (draft(ready(2)), access(holder));
    let repeatable = Some(repeatable(content));
    process.batches.create(&access, rows, repeatable).await
}

fn id(created: &CreatedBatch) -> BatchId {
    created.batch.found.as_ref().unwrap().id
}

#[tokio::test]
async fn the_same_request_gives_the_same_batch_and_another_one_with_its_key_is_refused_for_a_day() {
    let (world, process, holder) = start().await;
    let first = repeat(&process, &holder, "POST a").await.unwrap();
    assert!(!first.repeated);
    for _ in 0..2 {
        let again = repeat(&process, &holder, "POST a").await.unwrap();
        assert!(again.repeated);
        assert_eq!(id(&again), id(&first));
    }
    let refused = repeat(&process, &holder, "POST b").await;
    let Err(BatchError::NotRepeated(RepeatError::KeyReused)) = refused else {
        panic!("{refused:?}");
    };
    world.until(&process, id(&first), Finished).await;
    assert_eq!(process.feed().await, 0);
    world.charged(&holder, 2).await;
    world.pass(seconds(24 * 3_600 + 1)).await;
    let second = repeat(&process, &holder, "POST b").await.unwrap();
    assert!(!second.repeated);
    assert_ne!(id(&second), id(&first));
}

#[tokio::test]
async fn a_repetition_is_refused_while_the_first_request_runs() {
    let (_world, process, holder) = start().await;
    process.faults().inject_into("add_batch", Fault::Hangs);
    let (batches, access) = (process.batches.clone(), access(&holder));
    let first = tokio::spawn(async move {
        let rows = draft(ready(2));
        let first = Some(repeatable("POST a"));
        batches.create(&access, rows, first).await
    });
    settle().await;
    let refused = repeat(&process, &holder, "POST a").await;
    let Err(BatchError::NotRepeated(RepeatError::InProgress { .. })) = refused else {
        panic!("{refused:?}");
    };
    process.faults().clear();
    let first = first.await.unwrap().unwrap();
    let again = repeat(&process, &holder, "POST a").await.unwrap();
    assert_eq!(id(&again), id(&first));
}

#[tokio::test]
async fn a_request_that_was_refused_or_failed_leaves_its_key_free_for_another_one() {
    let (_world, process, holder) = start().await;
    let nothing = draft(vec![faulty(2)]);
    let (access, other) = (access(&holder), Some(repeatable("POST c")));
    let refused = process.batches.create(&access, nothing, other).await;
    assert!(matches!(refused, Err(BatchError::NothingToDo(_))));
    process.faults().inject_into("add_batch", Fault::Fails);
    assert!(repeat(&process, &holder, "POST b").await.is_err());
    process.faults().clear();
    assert!(!repeat(&process, &holder, "POST a").await.unwrap().repeated);
}

#[tokio::test]
async fn a_repetition_after_the_removal_of_the_batch_creates_none() {
    let (_world, process, holder) = start().await;
    let first = id(&repeat(&process, &holder, "POST a").await.unwrap());
    process.cancel(&holder, first).await.unwrap();
    process.erase(&holder, first).await.unwrap();
    let again = repeat(&process, &holder, "POST a").await.unwrap();
    assert!(again.repeated && again.batch.found.is_none());
}
