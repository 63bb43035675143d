//! Endpoints: settings, secrets, removal.

use super::*;

pub(super) async fn an_endpoint_comes_back_to_its_customer_alone(Pair { here, elsewhere }: Pair) {
    let other = customer(2).id;
    here.add_webhook(&endpoint(2), 1).await;
    here.add_webhook(&endpoint(1), 2).await;
    here.add_webhook(&endpoint_of(other, 3), 3).await;
    let own = ok(elsewhere.webhooks.endpoints(customer(1).id)).await;
    assert_eq!(own, [endpoint(1), endpoint(2)]);
    assert_eq!(elsewhere.webhook(&endpoint(1)).await, Some(endpoint(1)));
    assert_eq!(elsewhere.webhook(&endpoint_of(other, 1)).await, None);
    let (id, act) = (endpoint(1).id, act(4));
    let disable = settings(by_owner(act.at));
    let changed = ok(here.webhooks.change_endpoint(other, id, &disable, &act)).await;
    assert_eq!(changed, None);
    assert!(!ok(here.webhooks.remove_endpoint(other, id, &act)).await);
    assert_eq!(here.webhook(&endpoint(1)).await, Some(endpoint(1)));
}

pub(super) async fn a_customer_has_a_bounded_number_of_endpoints(Pair { here, .. }: Pair) {
    here.enrolled(1).await;
    for number in 1..=u16::try_from(MAX_ENDPOINTS).expect("a small number") {
        here.add_webhook(&endpoint(number), number).await;
    }
    let refused = here.webhooks.add_endpoint(&endpoint(50), &act(50)).await;
    assert!(matches!(refused, Err(AddEndpointError::TooMany)));
    here.add_webhook(&endpoint_of(customer(2).id, 51), 51).await;
}

pub(super) async fn changes_are_kept_and_logged(Pair { here, elsewhere }: Pair) {
    here.add_webhook(&endpoint(1), 1).await;
    let url = WebhookUrl::from_stored("https://other.example/").expect("an address of the suite");
    let events = event_types(&[EventType::BatchPaused]);
    let change = EndpointChange::Settings {
        url: Some(url.clone()),
        events: Some(events.clone()),
        state: Some(by_owner(act(2).at)),
    };
    let changed = here.change_webhook(&endpoint(1), &change, 2).await;
    let expected = StoredEndpoint {
        url,
        events,
        state: by_owner(act(2).at),
        updated_at: act(2).at,
        ..endpoint(1)
    };
    assert_eq!(changed, expected);
    assert_eq!(elsewhere.webhook(&endpoint(1)).await, Some(expected));
    let enabled = settings(EndpointState::Enabled);
    let enabled = here.change_webhook(&endpoint(1), &enabled, 3).await;
    assert_eq!(enabled.state, EndpointState::Enabled);
    let logged = here.written(&AuditFilter::default()).await;
    let actions: Vec<_> = logged.iter().map(|entry| entry.action).collect();
    let (changed, added) = (Action::WebhookChanged, Action::WebhookAdded);
    assert_eq!(actions, [changed, changed, added]);
    let fields = logged[1].changes.iter().map(|change| change.field.as_str());
    assert!(fields.eq(["webhook", "host", "events", "state"]));
}

pub(super) async fn a_rotated_secret_keeps_the_one_before(Pair { here, elsewhere }: Pair) {
    here.add_webhook(&endpoint(1), 1).await;
    let rotation = EndpointChange::RotateSecret(secret(2));
    here.change_webhook(&endpoint(1), &rotation, 2).await;
    let expected = RotatedSecrets {
        current: secret(2),
        previous: Some((secret(1), act(2).at + TimeDelta::hours(24))),
    };
    let kept = elsewhere.kept_webhook(&endpoint(1)).await;
    assert_eq!(kept.secrets, expected);
}

pub(super) async fn a_removed_endpoint_takes_its_deliveries_along(Pair { here, elsewhere }: Pair) {
    here.with_told(1).await;
    let claimed = here.claim_soon(1).await;
    let (customer, id) = (endpoint(1).customer, endpoint(1).id);
    assert!(ok(here.webhooks.remove_endpoint(customer, id, &act(2))).await);
    assert_eq!(elsewhere.webhook(&endpoint(1)).await, None);
    assert_eq!(elsewhere.told(&endpoint(1)).await, []);
    let late = accepted(&claimed[0], 1, soon());
    assert_eq!(here.end_told(&late).await, None);
    assert_eq!(ok(here.webhooks.add_delivery(id, &event(2))).await, None);
}

pub(super) async fn all_endpoints_are_disabled_for_a_reason(Pair { here, elsewhere }: Pair) {
    here.with_told(2).await;
    let other = endpoint_of(customer(2).id, 2);
    here.add_webhook(&other, 3).await;
    let change = settings(by_owner(act(4).at));
    here.change_webhook(&other, &change, 4).await;
    let restored = |number| (DisabledReason::Restored, act(number).at);
    for (number, count) in [(5, 1), (6, 0)] {
        let (reason, at) = restored(number);
        let disabled = here.webhooks.disable_all_endpoints(reason, at);
        assert_eq!(ok(disabled).await, count);
        let (reason, at) = restored(5);
        let state = elsewhere.kept_webhook(&endpoint(1)).await.state;
        assert_eq!(state, EndpointState::Disabled { reason, at });
        let state = elsewhere.kept_webhook(&other).await.state;
        assert_eq!(state, by_owner(act(4).at));
    }
    let told = elsewhere.told(&endpoint(1)).await;
    let states: Vec<_> = told.iter().map(|it| it.state).collect();
    assert_eq!(states, [DeliveryState::Discarded; 2]);
}

pub(super) async fn secrets_of_older_generations_are_found_and_replaced(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let of = |number: u8, generation| EncryptedSecret {
        generation: HashGeneration(generation),
        ..secret(number)
    };
    let until = act(9).at;
    let kinds = [
        (of(1, 2), None),
        (of(2, 1), None),
        (of(3, 2), Some((of(4, 1), until))),
        (of(5, 2), Some((of(6, 2), until))),
        (of(7, 1), Some((of(8, 1), until))),
    ];
    let mut endpoints = Vec::new();
    for (number, (current, previous)) in (1..).zip(kinds) {
        let endpoint = StoredEndpoint {
            secrets: RotatedSecrets { current, previous },
            ..endpoint(number)
        };
        here.add_webhook(&endpoint, number).await;
        endpoints.push(endpoint);
    }
    let older = async |after, most| {
        let (webhooks, newest) = (&elsewhere.webhooks, HashGeneration(2));
        ok(webhooks.endpoints_to_reencrypt(newest, after, most)).await
    };
    let [second, third, fifth] = [1, 2, 4].map(|place: usize| endpoints[place].clone());
    let all = [second, third.clone(), fifth.clone()];
    assert_eq!(older(None, 9).await, all);
    assert_eq!(older(None, 2).await, all[..2]);
    assert_eq!(older(Some(third.id), 9).await, std::slice::from_ref(&fifth));
    let secrets = RotatedSecrets {
        current: of(7, 2),
        previous: None,
    };
    assert!(ok(here.webhooks.reencrypt_endpoint(&fifth, &secrets)).await);
    assert_eq!(elsewhere.kept_webhook(&fifth).await.secrets, secrets);
    let audited = here.written(&AuditFilter::default()).await.len();
    assert_eq!(audited, endpoints.len(), "no change of its owner's");
    // Of what was read before somebody rotated, or another process was first, nothing is replaced.
    let before_rotation = StoredEndpoint {
        secrets: RotatedSecrets {
            current: of(3, 2),
            previous: None,
        },
        ..third.clone()
    };
    for stale in [fifth, before_rotation] {
        assert!(!ok(here.webhooks.reencrypt_endpoint(&stale, &secrets)).await);
    }
    assert_eq!(elsewhere.webhook(&third).await, Some(third));
}
