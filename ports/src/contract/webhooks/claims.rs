//! Claims of due deliveries.

use chrono::TimeDelta;
use domain::webhook::{EndpointState, NextDelivery};

use super::super::fixture::customer;
use super::super::stores::Pair;
use super::{end, endpoint, endpoint_of, ids, lease, seconds, soon};
use crate::outbound::{ClaimedDelivery, StoredDelivery, StoredEndpoint};

pub(super) async fn a_delivery_is_claimed_once_until_its_lease_ends(
    Pair { here, elsewhere }: Pair,
) {
    here.add_webhook(&endpoint(1), 1).await;
    let told = here.tell(&endpoint(1), 1).await;
    let before = told.created_at - TimeDelta::milliseconds(1);
    assert_eq!(here.claim_told(9, before, lease(1, soon())).await, []);
    let claimed = here.claim_told(9, soon(), lease(1, seconds(30))).await;
    let expected = ClaimedDelivery {
        delivery: StoredDelivery {
            due_at: Some(seconds(30)),
            ..told.clone()
        },
        endpoint: endpoint(1),
    };
    assert_eq!(claimed, [expected]);
    let later = lease(2, seconds(60));
    assert_eq!(elsewhere.claim_told(9, seconds(29), later).await, []);
    let again = elsewhere.claim_told(9, seconds(30), later).await;
    assert_eq!(ids(&again), [told.id]);
    assert_eq!(again[0].delivery.body, told.body);
    let late = end(&claimed[0], 1, (seconds(31), 200), NextDelivery::Delivered);
    assert_eq!(here.end_told(&late).await, None);
    let ended = end(&again[0], 2, (seconds(31), 200), NextDelivery::Delivered);
    assert_eq!(here.end_told(&ended).await, Some(EndpointState::Enabled));
    assert_eq!(
        here.claim_told(9, seconds(99), lease(3, seconds(120)))
            .await,
        []
    );
}

pub(super) async fn a_slow_endpoint_takes_few_places(Pair { here, .. }: Pair) {
    let others = endpoint_of(customer(2).id, 4);
    for (number, endpoint) in (1..).zip([&endpoint(1), &endpoint(2), &endpoint(3), &others]) {
        here.add_webhook(endpoint, number).await;
    }
    for number in 1..=9 {
        for endpoint in [&endpoint(1), &endpoint(2), &endpoint(3)] {
            here.tell(endpoint, number).await;
        }
    }
    here.tell(&others, 1).await;
    let claimed = here.claim_told(100, soon(), lease(1, seconds(30))).await;
    let of = |endpoint: &StoredEndpoint| {
        let own = claimed.iter().filter(|it| it.endpoint.id == endpoint.id);
        own.count()
    };
    let counts = [&endpoint(1), &endpoint(2), &endpoint(3), &others].map(of);
    assert_eq!(counts, [4, 4, 0, 1], "of an endpoint and of a customer");
    assert_eq!(
        here.claim_told(100, soon(), lease(2, seconds(30))).await,
        []
    );
    // After a failure one at a time.
    for claimed in &claimed {
        let (status, next) = if claimed.endpoint.id == endpoint(1).id {
            (500, NextDelivery::Again { at: seconds(300) })
        } else {
            (200, NextDelivery::Delivered)
        };
        here.end_told(&end(claimed, 1, (seconds(1), status), next))
            .await;
    }
    let next = here
        .claim_told(100, seconds(1), lease(3, seconds(30)))
        .await;
    let of_first = next.iter().filter(|it| it.endpoint.id == endpoint(1).id);
    assert_eq!(of_first.count(), 1);
}

pub(super) async fn endpoints_take_turns(Pair { here, .. }: Pair) {
    let others = endpoint_of(customer(2).id, 2);
    here.add_webhook(&endpoint(1), 1).await;
    here.add_webhook(&others, 2).await;
    for number in 1..=3 {
        here.tell(&endpoint(1), number).await;
    }
    here.tell(&others, 4).await;
    let mut turns = Vec::new();
    for number in 1..=3 {
        let now = seconds(number);
        let claimed = here.claim_told(1, now, lease(1, seconds(60))).await;
        turns.push(claimed[0].endpoint.id);
    }
    assert_eq!(turns, [endpoint(1).id, others.id, endpoint(1).id]);
}
