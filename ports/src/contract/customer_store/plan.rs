//! Plans of customers, and their keys' limits.

use super::*;

async fn set_plan(
    stores: &Stores,
    plan: Plan,
    existing: ExistingKeys,
    number: u16,
) -> (Customer, Vec<KeyId>) {
    let (customers, act) = (&stores.customers, act(number));
    let (customer, mut keys) = ok(customers.set_plan(customer(1).id, plan, existing, &act)).await;
    keys.sort_unstable();
    (customer, keys.into_iter().map(|key| key.id).collect())
}

/// The first customer with two keys, and a neighbour with one.
async fn three_keys(stores: &Stores) -> [ApiKey; 3] {
    let (one, two) = (stores.enrolled(1).await, stores.enrolled(2).await);
    [
        stores.insert(record_of(&one, 1), 1).await,
        stores.insert(record_of(&one, 2), 2).await,
        stores.insert(record_of(&two, 3), 3).await,
    ]
}

pub(super) async fn a_plan_is_the_last_one_set(Pair { here, .. }: Pair) {
    let (one, two) = (here.enrolled(1).await, here.enrolled(2).await);
    for (number, plan) in (1..).zip([Plan::Enterprise, Plan::Startup, Plan::Enterprise]) {
        let (set, keys) = set_plan(&here, plan, ExistingKeys::Follow, number).await;
        let expected = Customer {
            plan,
            ..one.clone()
        };
        assert_eq!((&set, keys), (&expected, vec![]));
        assert_eq!(known(&here, &one.owner).await, Some(expected));
    }
    assert_eq!(known(&here, &two.owner).await, Some(two));
}

pub(super) async fn keys_that_keep_their_limits_keep_them(Pair { here, .. }: Pair) {
    let keys = three_keys(&here).await;
    let before = here.newest_change().await;
    let (_, changed) = set_plan(&here, Plan::Enterprise, ExistingKeys::Keep, 4).await;
    assert_eq!(changed, []);
    for key in keys {
        assert_eq!(here.found(key.id).await, key);
    }
    assert_eq!(here.newest_change().await, before);
}

pub(super) async fn active_keys_that_follow_take_the_plans_limits(Pair { here, elsewhere }: Pair) {
    let [one, two, neighbours] = three_keys(&here).await;
    let revoked = here.added(4).await.id;
    let revoked = here.changed(revoked, KeyChange::Revoke, 5).await;
    let version = here.state(one.id).await.version;
    let before = here.newest_change().await;
    let (_, changed) = set_plan(&here, Plan::Enterprise, ExistingKeys::Follow, 6).await;
    assert_eq!(changed, [one.id, two.id]);
    let limits = Plan::Enterprise.limits();
    for key in [one.clone(), two.clone()] {
        let expected = ApiKey { limits, ..key };
        assert_eq!(here.found(expected.id).await, expected);
        assert_eq!(here.state(expected.id).await.limits, limits);
    }
    for unchanged in [neighbours, revoked] {
        assert_eq!(here.found(unchanged.id).await, unchanged);
    }
    // Other processes are told of the change.
    let told = elsewhere.changes(before).await;
    let mut keys = keys_of(&told);
    keys.sort_unstable();
    assert_eq!(keys, [one.id, two.id]);
    assert!(told.iter().all(|change| change.state.limits == limits));
    assert!(here.state(one.id).await.version > version);
}

pub(super) async fn keys_follow_a_plan_that_was_set_before(Pair { here, .. }: Pair) {
    let [one, two, _] = three_keys(&here).await;
    let own = KeyChange::SetLimits(limits(7, Some(7)).into());
    here.changed(two.id, own, 4).await;
    let (_, changed) = set_plan(&here, Plan::Startup, ExistingKeys::Follow, 5).await;
    assert_eq!(changed, [two.id], "the other one follows already");
    assert_eq!(here.found(one.id).await, one);
    assert_eq!(here.found(two.id).await, two);
    let newest = &here.written(&AuditFilter::default()).await[0];
    assert_eq!(newest.action, Action::LimitsSet);
    assert_eq!(newest.act, act(5), "the plan itself left no entry");
}

pub(super) async fn a_plan_writes_an_entry_and_so_does_each_key_that_follows(under_test: Pair) {
    let Pair { here, .. } = under_test;
    let [one, two, _] = three_keys(&here).await;
    let before = customer(1);
    let (after, _) = set_plan(&here, Plan::Enterprise, ExistingKeys::Follow, 4).await;
    let filter = AuditFilter {
        from: Some(act(4).at),
        ..AuditFilter::default()
    };
    let mut written = here.written(&filter).await;
    written.sort_by_key(|entry| entry.key);
    let ids: BTreeSet<_> = written.iter().map(|entry| entry.act.id).collect();
    assert_eq!(ids.len(), 3, "each entry has an id of its own");
    assert!(ids.contains(&act(4).id), "the act's id is one of them");

    let of_key = |key: &ApiKey| {
        let mut after = key.clone();
        after.limits = Plan::Enterprise.limits();
        (Action::LimitsSet, Some(key.id), difference(key, &after))
    };
    let plan = customer_difference(&before, &after);
    let expected = [(Action::PlanSet, None, plan), of_key(&one), of_key(&two)];
    let expected = (0..).zip(expected).map(|(place, (action, key, changes))| {
        let id = written[place].act.id;
        AuditEntry {
            act: AuditContext { id, ..act(4) },
            action,
            customer: before.id,
            key,
            changes,
        }
    });
    assert!(expected.eq(written.iter().cloned()), "{written:?}");
}

pub(super) async fn a_plan_that_is_set_or_of_nobody_changes_nothing(Pair { here, .. }: Pair) {
    three_keys(&here).await;
    let before = here.contents().await;
    for existing in [ExistingKeys::Keep, ExistingKeys::Follow] {
        let (set, changed) = set_plan(&here, Plan::Startup, existing, 4).await;
        assert_eq!((set, changed), (customer(1), vec![]));
        let (id, act, customers) = (customer(9).id, act(4), &here.customers);
        let refused = customers.set_plan(id, Plan::Enterprise, existing, &act);
        assert!(matches!(refused.await, Err(UpdateError::NotFound)));
    }
    assert_eq!(here.contents().await, before);
}
