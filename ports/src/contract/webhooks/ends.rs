//! Ends of deliveries, and of endpoints that fail.

use super::*;

pub(super) async fn attempts_and_their_ends_are_kept(Pair { here, elsewhere }: Pair) {
    let mut expected = here.with_told(1).await.remove(0);
    let mut attempts = 0;
    let (unsigned, unreachable) = (SendFailure::NotSigned, SendFailure::Unreachable);
    for (failure, from, step, failing_since) in [
        (unsigned, 0, 0, None),
        (unreachable, 60, 1, Some(seconds(61))),
    ] {
        attempts += 1;
        let lease = lease(attempts.into(), seconds(from + 30));
        let claimed = here.claim_told(1, seconds(from), lease).await;
        let again = seconds(from + 60);
        let next = NextDelivery::Again { at: again };
        let failed = DeliveryEnd {
            attempt: attempt(seconds(from + 1), AttemptResult::Failed(failure)),
            ..end(&claimed[0], attempts.into(), (again, 0), next)
        };
        let state = here.end_told(&failed).await;
        assert_eq!(state, Some(EndpointState::Enabled));
        expected = StoredDelivery {
            due_at: Some(again),
            attempts,
            step,
            last_attempt: Some(failed.attempt),
            ..expected
        };
        let kept = elsewhere.told(&endpoint(1)).await;
        assert_eq!(kept, std::slice::from_ref(&expected));
        let kept = elsewhere.kept_webhook(&endpoint(1)).await;
        assert_eq!(kept.failing_since, failing_since);
    }
    let third = lease(3, seconds(150));
    let claimed = here.claim_told(1, seconds(120), third).await;
    let at = seconds(121);
    let accepted = end(&claimed[0], 3, (at, 204), NextDelivery::Delivered);
    here.end_told(&accepted).await;
    let delivered = StoredDelivery {
        state: DeliveryState::Delivered,
        due_at: None,
        attempts: 3,
        step: 2,
        last_attempt: Some(accepted.attempt),
        ..expected
    };
    assert_eq!(elsewhere.told(&endpoint(1)).await, [delivered]);
    let kept = elsewhere.kept_webhook(&endpoint(1)).await;
    assert_eq!(kept.failing_since, None);
}

pub(super) async fn a_receiver_that_is_gone_is_disabled(Pair { here, elsewhere }: Pair) {
    here.with_told(2).await;
    let claimed = here.claim_soon(1).await;
    let gone = end(&claimed[0], 1, (seconds(1), 410), NextDelivery::Disable);
    let disabled = EndpointState::Disabled {
        reason: DisabledReason::Gone,
        at: seconds(1),
    };
    assert_eq!(here.end_told(&gone).await, Some(disabled));
    let kept = elsewhere.kept_webhook(&endpoint(1)).await;
    assert_eq!(kept.state, disabled);
    let told = elsewhere.told(&endpoint(1)).await;
    let states: Vec<_> = told.iter().map(|delivery| delivery.state).collect();
    assert_eq!(states, [DeliveryState::Discarded, DeliveryState::Failed]);
    let second = lease(2, seconds(120));
    assert_eq!(here.claim_told(9, seconds(99), second).await, []);
}

pub(super) async fn a_receiver_that_fails_for_five_days_is_disabled(Pair { here, .. }: Pair) {
    here.add_webhook(&endpoint(1), 1).await;
    let disabled = EndpointState::Disabled {
        reason: DisabledReason::Failing,
        at: soon() + TimeDelta::hours(120),
    };
    for (number, hours, expected) in [
        (1, 0, EndpointState::Enabled),
        (2, 100, EndpointState::Enabled),
        (3, 119, EndpointState::Enabled),
        (4, 120, disabled),
    ] {
        here.tell(&endpoint(1), number).await;
        let now = soon() + TimeDelta::hours(hours);
        let until = now + TimeDelta::seconds(30);
        let claimed = here.claim_told(1, now, lease(1, until)).await;
        let failed = end(&claimed[0], 1, (now, 500), NextDelivery::GiveUp);
        assert_eq!(here.end_told(&failed).await, Some(expected), "{hours}");
    }
    let enabled = settings(EndpointState::Enabled);
    let enabled = here.change_webhook(&endpoint(1), &enabled, 2).await;
    assert_eq!(enabled.failing_since, None);
}

pub(super) async fn an_ended_delivery_is_sent_again(Pair { here, elsewhere }: Pair) {
    let told = here.with_told(1).await.remove(0);
    let resend = async |of, now| {
        let webhooks = &here.webhooks;
        ok(webhooks.resend(customer(of).id, endpoint(1).id, told.id, now)).await
    };
    assert_eq!(resend(1, soon()).await, Resending::AlreadyPending);
    let claimed = here.claim_soon(1).await;
    assert_eq!(resend(1, soon()).await, Resending::AlreadyPending);
    let accepted = accepted(&claimed[0], 1, soon());
    here.end_told(&accepted).await;
    assert_eq!(resend(2, soon()).await, Resending::Unknown);
    let pending = StoredDelivery {
        due_at: Some(seconds(60)),
        attempts: 1,
        last_attempt: Some(accepted.attempt),
        ..told.clone()
    };
    let again = resend(1, seconds(60)).await;
    assert_eq!(again, Resending::Pending(Box::new(pending)));
    let second = lease(2, seconds(90));
    let again = elsewhere.claim_told(1, seconds(60), second).await;
    assert_eq!(ids(&again), [told.id]);
    let change = settings(by_owner(seconds(61)));
    here.change_webhook(&endpoint(1), &change, 2).await;
    assert_eq!(resend(1, seconds(62)).await, Resending::Disabled);
}

pub(super) async fn a_disabled_endpoint_discards_what_is_pending(Pair { here, elsewhere }: Pair) {
    here.with_told(2).await;
    let claimed = here.claim_soon(1).await;
    let change = settings(by_owner(act(2).at));
    here.change_webhook(&endpoint(1), &change, 2).await;
    let told = elsewhere.told(&endpoint(1)).await;
    let is_discarded = |it: &StoredDelivery| it.state == DeliveryState::Discarded;
    assert!(told.iter().all(is_discarded), "{told:?}");
    let late = accepted(&claimed[0], 1, soon());
    assert_eq!(here.end_told(&late).await, None);
    // One that was added at the same moment, in another transaction.
    here.tell(&endpoint(1), 3).await;
    let claimed = here.claim_told(1, soon(), lease(2, seconds(30))).await;
    assert_eq!(claimed[0].endpoint.state, by_owner(act(2).at));
    let (id, token) = (claimed[0].delivery.id, Uuid::from_u128(2));
    ok(here.webhooks.discard_delivery(id, token, soon())).await;
    assert!(here.told(&endpoint(1)).await.iter().all(is_discarded));
}

pub(super) async fn old_deliveries_are_removed(Pair { here, elsewhere }: Pair) {
    here.with_told(3).await;
    let claimed = here.claim_soon(2).await;
    for (place, claimed) in (0..).zip(&claimed) {
        here.end_told(&accepted(claimed, 1, seconds(place))).await;
    }
    let queue = ok(elsewhere.webhooks.delivery_queue(soon())).await;
    assert_eq!((queue.due, queue.waiting), (1, 0));
    assert_eq!(queue.oldest, Some(event(3).at));
    assert_eq!(ok(elsewhere.webhooks.prune_deliveries(seconds(1))).await, 1);
    let (first, customer) = (page_of(1), endpoint(1).customer);
    let page = ok(here.webhooks.deliveries(customer, endpoint(1).id, &first)).await;
    assert!(page.has_next);
    assert_eq!(here.told(&endpoint(1)).await.len(), 2);
}
