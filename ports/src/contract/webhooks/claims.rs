//! Claims of due deliveries.

use super::*;

pub(super) async fn a_delivery_is_claimed_once_until_its_lease_ends(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let told = here.with_told(1).await.remove(0);
    let before = told.created_at - TimeDelta::milliseconds(1);
    assert_eq!(here.claim_told(9, before, lease(1, soon())).await, []);
    let claimed = here.claim_soon(9).await;
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
    let late = accepted(&claimed[0], 1, seconds(31));
    assert_eq!(here.end_told(&late).await, None);
    let ended = accepted(&again[0], 2, seconds(31));
    assert_eq!(here.end_told(&ended).await, Some(EndpointState::Enabled));
    let third = lease(3, seconds(120));
    assert_eq!(here.claim_told(9, seconds(99), third).await, []);
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
    let claimed = here.claim_soon(100).await;
    let of = |endpoint: &StoredEndpoint| {
        let own = claimed.iter().filter(|it| it.endpoint.id == endpoint.id);
        own.count()
    };
    let counts = [&endpoint(1), &endpoint(2), &endpoint(3), &others].map(of);
    assert_eq!(counts, [4, 4, 0, 1], "of an endpoint and of a customer");
    let second = lease(2, seconds(30));
    assert_eq!(here.claim_told(100, soon(), second).await, []);
    // After a failure one at a time.
    for claimed in &claimed {
        let ended = if claimed.endpoint.id == endpoint(1).id {
            let next = NextDelivery::Again { at: seconds(300) };
            end(claimed, 1, (seconds(1), 500), next)
        } else {
            accepted(claimed, 1, seconds(1))
        };
        here.end_told(&ended).await;
    }
    let third = lease(3, seconds(30));
    let next = here.claim_told(100, seconds(1), third).await;
    let of_first = next.iter().filter(|it| it.endpoint.id == endpoint(1).id);
    assert_eq!(of_first.count(), 1);
}

pub(super) async fn endpoints_take_turns(Pair { here, .. }: Pair) {
    let others = endpoint_of(customer(2).id, 2);
    here.with_told(3).await;
    here.add_webhook(&others, 2).await;
    here.tell(&others, 4).await;
    let mut turns = Vec::new();
    for number in 1..=3 {
        let now = seconds(number);
        let claimed = here.claim_told(1, now, lease(1, seconds(60))).await;
        turns.push(claimed[0].endpoint.id);
    }
    assert_eq!(turns, [endpoint(1).id, others.id, endpoint(1).id]);
}
