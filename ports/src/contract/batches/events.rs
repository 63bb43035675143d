//! Deliveries that are added with the change of a batch that they tell of.

use super::*;

/// An endpoint of the environment of [`batch`].
pub(super) fn wanting(endpoint: StoredEndpoint, events: &[EventType]) -> StoredEndpoint {
    StoredEndpoint {
        environment: batch(1).facts.environment,
        events: event_types(events),
        ..endpoint
    }
}

/// The delivery of a change of a batch.
fn told_of(
    endpoint: &StoredEndpoint,
    new: &NewBatch,
    state: BatchState,
    at: DateTime<Utc>,
) -> StoredDelivery {
    let owner = (new.facts.customer, new.facts.environment);
    let event = WebhookEvent::of_batch(owner, new.facts.id, state, at);
    StoredDelivery::of(endpoint.id, &event.expect("it is told"))
}

async fn add_webhooks(stores: &Stores, endpoints: &[StoredEndpoint]) {
    for (number, endpoint) in (1..).zip(endpoints) {
        stores.add_webhook(endpoint, number).await;
    }
}

/// The instant a minute after this one.
fn after(minute: u8) -> DateTime<Utc> {
    minutes(i64::from(minute) + 1)
}

/// A pause of a minute from this one on.
fn pause(minute: u8) -> BatchChange {
    let due_at = after(minute);
    BatchChange::Pause { due_at }
}

/// A wait of a minute from this one on.
fn wait(minute: u8) -> BatchChange {
    let due_at = after(minute);
    BatchChange::Wait { due_at }
}

/// Claims a batch at this minute under a lease of its own, and ends the work on it with this change.
async fn worked_on(stores: &Stores, new: &NewBatch, minute: u8, change: BatchChange) {
    let (now, lease) = (minutes(minute.into()), minute.into());
    let claimed = stores.claim_batches(1, now, lease).await;
    assert_eq!(claimed.len(), 1, "at minute {minute}");
    assert!(stores.releases_batch_at(new, now, lease, change).await);
}

pub(super) async fn the_end_of_a_batch_is_told_once_to_those_who_want_it(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let first = wanting(endpoint(1), &[EventType::BatchFinished]);
    let both = [EventType::BatchPaused, EventType::BatchFinished];
    let second = wanting(endpoint(2), &both);
    add_webhooks(&here, &[first.clone(), second.clone()]).await;
    here.claimed_batch(&empty()).await;
    assert!(here.releases_batch(&empty(), 1, BatchChange::Finish).await);
    assert_eq!(here.standing(&empty()).await, (BatchState::Finished, 0, 0));
    // Again, by whoever doesn't know yet.
    assert!(!here.releases_batch(&empty(), 1, BatchChange::Finish).await);
    for endpoint in [first, second] {
        let expected = told_of(&endpoint, &empty(), BatchState::Finished, minutes(1));
        assert_eq!(elsewhere.told(&endpoint).await, [expected]);
    }
}

pub(super) async fn each_pause_of_a_batch_is_told_once_to_those_who_want_it(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let endpoint = wanting(endpoint(1), &[EventType::BatchPaused]);
    // The key has the first entry of the audit log.
    here.add_webhook(&endpoint, 2).await;
    here.with_key().await;
    here.add_batches(&[batch(1)]).await;
    let told = |minute| told_of(&endpoint, &batch(1), BatchState::Paused, minutes(minute));
    // It is looked at twice, and there is no quota yet. Then it could not be looked at, which is
    // neither a new pause nor its end.
    for (minute, change) in (1..).zip([pause(1), pause(2), wait(3), pause(4)]) {
        worked_on(&here, &batch(1), minute, change).await;
        assert_eq!(elsewhere.told(&endpoint).await, [told(1)]);
    }
    // It goes on, and is paused another time.
    assert_eq!(here.claim_batches(1, minutes(5), 5).await.len(), 1);
    assert!(here.feeds(&feed(&batch(1), 5, 0..1)).await);
    let (new, now) = (batch(1), minutes(5));
    assert!(here.releases_batch_at(&new, now, 5, wait(5)).await);
    worked_on(&elsewhere, &batch(1), 6, pause(6)).await;
    assert_eq!(elsewhere.told(&endpoint).await, [told(6), told(1)]);
}

pub(super) async fn what_nobody_asked_for_is_not_told(Pair { here, elsewhere }: Pair) {
    let environment = match batch(1).facts.environment {
        Environment::Live => Environment::Test,
        Environment::Test => Environment::Live,
    };
    let both = [EventType::BatchPaused, EventType::BatchFinished];
    let endpoints = [
        wanting(endpoint(1), &[EventType::LookupDelivered]),
        StoredEndpoint {
            environment,
            ..wanting(endpoint(2), &both)
        },
        StoredEndpoint {
            state: by_owner(minutes(0)),
            ..wanting(endpoint(3), &both)
        },
        wanting(endpoint_of(customer(2).id, 4), &both),
        wanting(endpoint(5), &[EventType::BatchPaused]),
        wanting(endpoint(6), &[EventType::BatchFinished]),
    ];
    add_webhooks(&here, &endpoints).await;
    here.add_batches(&[empty()]).await;
    worked_on(&here, &empty(), 1, pause(1)).await;
    worked_on(&here, &empty(), 2, BatchChange::Finish).await;
    let paused = told_of(&endpoints[4], &empty(), BatchState::Paused, minutes(1));
    let finished = told_of(&endpoints[5], &empty(), BatchState::Finished, minutes(2));
    let expected = [vec![], vec![], vec![], vec![], vec![paused], vec![finished]];
    for (endpoint, told) in endpoints.iter().zip(expected) {
        assert_eq!(elsewhere.told(endpoint).await, told);
    }
}

pub(super) async fn a_change_that_is_not_made_is_not_told(Pair { here, elsewhere }: Pair) {
    let both = [EventType::BatchPaused, EventType::BatchFinished];
    let endpoint = wanting(endpoint(1), &both);
    // The key has the first entry of the audit log.
    here.add_webhook(&endpoint, 2).await;
    here.fed_batch(&batch(1)).await;
    // A row is queued.
    assert!(!here.releases_batch(&batch(1), 1, BatchChange::Finish).await);
    // Somebody else has the lease.
    assert!(!here.releases_batch(&batch(1), 2, pause(4)).await);
    // Whoever cancels it knows.
    here.cancels_batch(&batch(1)).await;
    assert_eq!(elsewhere.told(&endpoint).await, []);
}
