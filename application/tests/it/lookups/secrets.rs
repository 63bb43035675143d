//! Generations of the store secret.

use super::*;

fn secrets(secrets: &'static [u16]) -> Settings {
    Settings {
        secrets,
        ..Settings::default()
    }
}

#[tokio::test]
async fn a_lookup_opens_after_a_rotation_of_the_secret() {
    let (world, process, holder) = start().await;
    let delivered = process.queue(&holder, "10.00").await;
    process.work().await;
    let queued = process.queue(&holder, "10.00").await;
    let rotated = world.process(secrets(&[2, 1]));
    assert!(rotated.view(&holder, delivered).await.delivery.is_some());
    rotated.work().await;
    assert_eq!(rotated.state(&holder, queued).await, Delivered);
    // New ones are written with the new secret, which the old process doesn't know yet.
    let new = rotated.queue(&holder, "10.00").await;
    let found = process.find(&holder, new).await;
    assert!(matches!(found, Err(LookupError::Unreadable { .. })));
}

#[tokio::test]
async fn a_lookup_whose_secret_is_gone_is_unreadable() {
    let (world, _process, holder, id) = start_queued("10.00").await;
    let ignorant = world.process(secrets(&[2]));
    let unreadable = ignorant.find(&holder, id).await.unwrap_err();
    let LookupError::Unreadable { cause } = unreadable else {
        panic!("{unreadable:?}");
    };
    assert!(cause.to_string().contains("CEP_STORE_SECRET"), "{cause}");
    // It keeps nobody from the others.
    let readable = ignorant.queue(&holder, "20.00").await;
    let listed = ignorant.lookups.list(access(&holder), all()).await;
    let listed: Vec<_> = listed.unwrap().found.items;
    assert_eq!(
        listed
            .iter()
            .map(|(_, lookup)| lookup.id)
            .collect::<Vec<_>>(),
        [readable]
    );
}

#[tokio::test]
async fn a_worker_without_the_secret_tries_again_and_ends_with_a_refund() {
    let request = retried_for(15, lookup("10.00"));
    let (world, process, holder, id) = start_created(request).await;
    let ignorant = world.process(secrets(&[2]));
    for (state, wait) in [(Waiting, 10), (Waiting, 5), (Failed, 0)] {
        assert_eq!(ignorant.work().await, 1);
        assert_eq!(process.state(&holder, id).await, state);
        world.pass(seconds(wait)).await;
    }
    assert_eq!(world.bank.times_asked(), 0);
    assert_eq!(world.outcomes(), [Outcome::InternalError]);
    assert_eq!(world.charges(&holder).await, (1, 1));
    assert_eq!(world.counted(&holder).await, 0);
}

#[tokio::test]
async fn a_lookup_is_delivered_when_its_secret_is_listed_again() {
    let (world, process, holder, id) = start_queued("10.00").await;
    world.process(secrets(&[2])).work().await;
    assert_eq!(process.state(&holder, id).await, Waiting);
    world.pass(seconds(10)).await;
    world.process(secrets(&[2, 1])).work().await;
    assert_eq!(process.state(&holder, id).await, Delivered);
}

#[tokio::test]
async fn one_without_the_secret_can_cancel_a_lookup() {
    let (world, process, holder, id) = start_queued("10.00").await;
    let ignorant = world.process(secrets(&[2]));
    let removed = ignorant.remove(&holder, id).await;
    assert!(matches!(removed, Err(LookupError::Unreadable { .. })));
    assert_eq!(process.state(&holder, id).await, Canceled);
    assert_eq!(world.outcomes(), [Outcome::Canceled]);
    ignorant.remove(&holder, id).await.unwrap();
}
