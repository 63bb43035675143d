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
    let batches = StoredEndpoint {
        events: event_types(&[EventType::BatchFinished]),
        ..endpoint(4)
    };
    let others = endpoint_of(customer(2).id, 5);
    let all = [endpoint(1), live, disabled, batches, others];
    for (number, endpoint) in (1..).zip(&all) {
        here.add_webhook(endpoint, number).await;
    }
    let expired = ended(LookupState::Expired);
    for (number, change) in [(1, wait(seconds(3_600))), (2, expired), (3, deliver())] {
        for endpoint in &all {
            assert_eq!(elsewhere.told(endpoint).await, []);
        }
        assert!(here.run_to(number, change).await);
    }
    let id = lookup_of(&record(1).key, 3).facts.id;
    // Again, too late.
    assert!(!here.ends(id, 9, seconds(1), deliver()).await);
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
