//! Deliveries that are added with what they tell of.

use super::*;

pub(super) async fn a_lookups_end_is_told_to_those_who_want_it(Pair { here, elsewhere }: Pair) {
    let live = StoredEndpoint {
        environment: Environment::Live,
        ..endpoint(2)
    };
    let disabled = StoredEndpoint {
        state: by_owner(soon()),
        ..endpoint(3)
    };
    let events = EventTypes::new(&[EventType::BatchFinished]).expect("events of the suite");
    let batches = StoredEndpoint {
        events,
        ..endpoint(4)
    };
    let others = endpoint_of(customer(2).id, 5);
    let all = [endpoint(1), live, disabled, batches, others];
    for (number, endpoint) in (1..).zip(&all) {
        here.add_webhook(endpoint, number).await;
    }
    let wait = wait(seconds(3_600));
    assert!(here.run_to(1, Environment::Test, wait).await);
    let expired = LookupChange::End {
        state: LookupState::Expired,
        refund: false,
    };
    assert!(here.run_to(2, Environment::Test, expired).await);
    for endpoint in &all {
        assert_eq!(elsewhere.told(endpoint).await, []);
    }
    assert!(here.run_to(3, Environment::Test, deliver()).await);
    let id = lookup_of(&record(1).key, 3).facts.id;
    let event = WebhookEvent {
        subject: id.0,
        at: soon(),
        ..event(3)
    };
    let expected = StoredDelivery::of(endpoint(1).id, &event);
    assert_eq!(elsewhere.told(&endpoint(1)).await, [expected]);
    for endpoint in &all[1..] {
        assert_eq!(elsewhere.told(endpoint).await, []);
    }
}

pub(super) async fn an_end_that_comes_too_late_is_not_told(Pair { here, .. }: Pair) {
    here.add_webhook(&endpoint(1), 1).await;
    assert!(here.run_to(1, Environment::Test, deliver()).await);
    let id = lookup_of(&record(1).key, 1).facts.id;
    assert!(!here.ends(id, 9, seconds(1), deliver()).await);
    assert_eq!(here.told(&endpoint(1)).await.len(), 1);
}
