//! Generations of the store secret.

use super::*;

#[tokio::test]
async fn a_batch_goes_on_after_a_rotation_of_the_secret() {
    let (world, process, holder, id) = start_batch(ready(300)).await;
    process.feed().await;
    process.die();
    let rotated = world.process(secrets(&[2, 1]));
    world.pass(seconds(30)).await;
    world.until(&rotated, id, Finished).await;
    let outcomes = rotated.outcomes(&holder, id).await;
    assert!(outcomes.iter().all(|outcome| outcome == "delivered"));
    world.charged(&holder, 300).await;
}

#[tokio::test]
async fn a_batch_whose_secret_is_gone_is_unreadable() {
    let (world, _process, holder, id) = start_batch(ready(3)).await;
    let ignorant = world.process(secrets(&[2]));
    let unreadable = ignorant.find(&holder, id).await.unwrap_err();
    let BatchError::Unreadable { cause } = unreadable else {
        panic!("{unreadable:?}");
    };
    assert!(cause.to_string().contains("CEP_STORE_SECRET"), "{cause}");
    let access = access(&holder);
    let rows = ignorant.batches.rows(&access, id, RowNumber(0)).await;
    assert!(matches!(rows, Err(BatchError::Unreadable { .. })));
    let imported = ignorant.batches.import(&access, id, Vec::new()).await;
    assert!(matches!(imported, Err(BatchError::Unreadable { .. })));
}

#[tokio::test]
async fn a_batch_whose_secret_is_gone_is_listed_without_its_name() {
    let (world, process, holder, id) = start_batch(ready(3)).await;
    world.until(&process, id, Finished).await;
    let rotated = world.process(secrets(&[2]));
    let newer = rotated.create(&holder, ready(1)).await;
    let (lines, _guard) = testkit::log::listen();
    let listed = rotated.batches.list(&access(&holder), &all()).await;
    let listed = listed.unwrap().found.items.into_iter();
    let listed: Vec<_> = listed
        .map(|(_, batch)| (batch.id, batch.state, batch.name))
        .collect();
    let name = Some("Nómina".to_owned());
    let expected = [(newer, BatchState::Queued, name), (id, Finished, None)];
    assert_eq!(listed, expected);
    let log = lines.text();
    let warnings = log.matches("batches of a list can't be decrypted");
    assert_eq!(warnings.count(), 1);
    assert!(log.contains("CEP_STORE_SECRET"), "{log}");
}

#[tokio::test]
async fn a_feeder_without_the_secret_leaves_the_batch_for_ten_seconds() {
    let (world, process, holder, id) = start_batch(ready(3)).await;
    let ignorant = world.process(secrets(&[2]));
    for _ in 0..3 {
        assert_eq!(ignorant.feed().await, 1);
        assert!(!ignorant.is_feeding());
        for _ in 0..9 {
            world.pass(seconds(1)).await;
            assert_eq!(ignorant.feed().await, 0, "it spins");
        }
        world.pass(seconds(1)).await;
    }
    world.charged(&holder, 0).await;
    world.until(&process, id, Finished).await;
    world.charged(&holder, 3).await;
}

#[tokio::test]
async fn an_unreadable_batch_of_a_revoked_key_is_canceled() {
    let (world, process, holder, id) = start_batch(ready(3)).await;
    world.base.revoke(&holder).await;
    world.process(secrets(&[2])).feed().await;
    assert_eq!(process.state(id).await, BatchState::Canceled);
}

#[tokio::test]
async fn an_unreadable_batch_whose_rows_have_ended_finishes_and_can_be_erased() {
    let (world, process, holder, id) = start_batch(ready(3)).await;
    process.feed_and_work().await;
    world.pass(seconds(1)).await;
    let ignorant = world.process(secrets(&[2]));
    ignorant.feed().await;
    assert_eq!(process.state(id).await, Finished);
    ignorant.erase(&holder, id).await.unwrap();
    let gone = process.find(&holder, id).await;
    assert!(matches!(gone, Err(BatchError::Unknown)));
}
