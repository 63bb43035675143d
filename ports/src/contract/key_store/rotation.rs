//! Rotation of keys.

use super::*;

/// A successor, as the `number`th key.
pub(super) fn successor(number: u16) -> Successor {
    successor_of(&customer(1), number)
}

/// A successor of another customer's key.
pub(super) fn successor_of(customer: &Customer, number: u16) -> Successor {
    Successor {
        prefix: prefix(number),
        credential: record_of(customer, number).credential,
    }
}

/// Retires a key, with the `number`th key as its successor.
pub(in crate::contract) async fn rotated(
    stores: &Stores,
    id: KeyId,
    number: u16,
    retires_at: DateTime<Utc>,
) -> Rotation {
    ok(rotate(stores, id, number, retires_at)).await
}

/// Rotates a key within the bounds of its customer's plan.
pub(super) async fn rotate_within_plan(
    stores: &Stores,
    scope: Scope,
    id: KeyId,
    successor: &Successor,
    retires_at: DateTime<Utc>,
    act: &AuditContext,
) -> Result<Rotation, RotateError> {
    let (keys, bounds) = (&stores.keys, KeyBounds::OfPlan);
    keys.rotate(scope, id, successor, retires_at, bounds, act)
        .await
}

/// Rotates a key without bounds, in everybody's scope.
async fn rotate(
    stores: &Stores,
    id: KeyId,
    number: u16,
    retires_at: DateTime<Utc>,
) -> Result<Rotation, RotateError> {
    let (successor, act, bounds) = (successor(number), act(number), KeyBounds::Unbounded);
    let keys = &stores.keys;
    keys.rotate(Scope::Everybody, id, &successor, retires_at, bounds, &act)
        .await
}

async fn due(stores: &Stores, now: DateTime<Utc>) -> Vec<KeyId> {
    let due = ok(stores.keys.due(now)).await;
    due.into_iter().map(|key| key.id).collect()
}

/// A day after noon.
fn tomorrow() -> DateTime<Utc> {
    instant(0) + TimeDelta::days(1)
}

pub(super) async fn a_successor_has_the_name_and_the_limits(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    let limits = limits(7, Some(70));
    let limited = KeyChange::SetLimits(limits.into());
    let key = here.changed(key.id, limited, 2).await;
    let Rotation { old, new } = rotated(&here, key.id, 3, tomorrow()).await;
    let successor = ApiKey {
        id: record(3).key.id,
        prefix: prefix(3),
        created_at: act(3).at,
        ..key.clone()
    };
    let retiring = ApiKey {
        retires_at: Some(tomorrow()),
        ..key.clone()
    };
    assert_eq!([&old, &new], [&retiring, &successor]);
    for key in [retiring, successor] {
        assert_eq!(here.found(key.id).await, key);
    }
    let credential = ok(here.keys.credential(&new.prefix)).await;
    let expected = Credential {
        counters: key.counters,
        ..record(3).credential
    };
    assert_eq!(credential, Some(expected));
    let state = here.state(new.id).await;
    assert_eq!((state.revoked, state.limits), (false, limits));
}

pub(super) async fn a_retiring_key_works_until_it_is_due(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    let before = here.state(key.id).await;
    let Rotation { old, new } = rotated(&here, key.id, 2, tomorrow()).await;
    assert_eq!(old.status(), KeyStatus::Retiring);
    assert_eq!(here.state(key.id).await, before);
    let changed = here.changes(ChangeNumber(0)).await;
    assert_eq!(keys_of(&changed), [key.id, new.id], "added, both of them");
    let active = ok(here.keys.credentials(10)).await;
    assert_eq!(active.len(), 2);

    let early = tomorrow() - TimeDelta::milliseconds(1);
    assert_eq!(due(&here, early).await, []);
    for late in [0, 1] {
        let now = tomorrow() + TimeDelta::milliseconds(late);
        assert_eq!(due(&here, now).await, [key.id]);
    }
    let revoked = here.changed(key.id, KeyChange::Revoke, 3).await;
    assert_eq!(revoked.status(), KeyStatus::Revoked);
    assert_eq!(revoked.retires_at, Some(tomorrow()));
    assert_eq!(due(&here, tomorrow()).await, []);
}

pub(super) async fn a_key_without_grace_is_revoked_in_the_same_step(Pair { here, .. }: Pair) {
    let one = here.added(1).await.id;
    let two = here.added(2).await.id;
    let before = act(4).at - TimeDelta::days(1);
    for (id, number, retires_at) in [(one, 3, act(3).at), (two, 4, before)] {
        let before_rotation = here.newest_change().await;
        let Rotation { old, new } = rotated(&here, id, number, retires_at).await;
        assert_eq!(old.revoked_at, Some(act(number).at));
        assert_eq!(here.found(id).await, old);
        assert!(here.state(id).await.revoked);
        assert_eq!(new.status(), KeyStatus::Active);
        let mut changed = keys_of(&here.changes(before_rotation).await);
        // One step, whose order nobody sees.
        changed.sort_unstable();
        let mut both = [new.id, id];
        both.sort_unstable();
        assert_eq!(changed, both);
    }
    assert_eq!(due(&here, tomorrow()).await, []);
}

/// The entries of one mutation that writes several, without their ids.
fn without_ids(entries: &[AuditEntry; 2]) -> [AuditEntry; 2] {
    entries.clone().map(|mut entry| {
        entry.act.id = Uuid::nil();
        entry
    })
}

pub(super) async fn a_rotation_writes_an_entry_for_each_of_the_two(Pair { here, .. }: Pair) {
    for (number, retires_at, fields) in [
        (2, tomorrow(), &["retires_at"][..]),
        // Rotating and revoking is one step.
        (4, act(4).at, &["retires_at", "revoked_at"]),
    ] {
        let key = here.added(number - 1).await;
        let Rotation { old, new } = rotated(&here, key.id, number, retires_at).await;
        let of_old = here.written_about(old.id).await;
        let of_new = here.written_about(new.id).await;
        assert_eq!((of_old.len(), of_new.len()), (2, 1));
        let written = [of_old[0].clone(), of_new[0].clone()];
        let (act, difference) = (act(number), difference(&key, &old));
        let expected = [
            entry(act.clone(), Action::KeyRotated, &old, difference),
            entry(act.clone(), Action::KeyCreated, &new, creation(&new)),
        ];
        assert_eq!(without_ids(&written), without_ids(&expected));
        let changed = written[0].changes.iter().map(|it| it.field.as_str());
        assert_eq!(changed.collect::<Vec<_>>(), fields);
        let ids = [written[0].act.id, written[1].act.id];
        assert_ne!(ids[0], ids[1]);
        assert!(ids.contains(&act.id), "the act's id is one of the two");
    }
}

pub(super) async fn a_hundred_keys_are_due_at_once_and_the_rest_after(Pair { here, .. }: Pair) {
    let mut expected = Vec::new();
    for number in 1..=101 {
        let key = here.added(number).await.id;
        rotated(&here, key, 200 + number, tomorrow()).await;
        expected.push(key);
    }
    let mut told = due(&here, tomorrow()).await;
    assert_eq!(told.len(), 100);
    for (number, key) in (500..).zip(&told) {
        here.changed(*key, KeyChange::Revoke, number).await;
    }
    let rest = due(&here, tomorrow()).await;
    assert_eq!(rest.len(), 1);
    told.extend(rest);
    told.sort_unstable();
    assert_eq!(told, expected);
}

pub(super) async fn a_key_has_one_successor_and_a_revoked_one_none(Pair { here, .. }: Pair) {
    let rotated_once = here.added(1).await.id;
    let new = rotated(&here, rotated_once, 2, tomorrow()).await.new;
    let next = rotated(&here, new.id, 3, tomorrow()).await;
    assert_eq!(next.old.id, new.id, "a successor may have one too");
    let never_rotated = here.added(4).await.id;
    here.changed(never_rotated, KeyChange::Revoke, 5).await;
    let without_grace = here.added(6).await.id;
    rotated(&here, without_grace, 7, instant(7)).await;
    let before = here.contents().await;
    let again = rotate(&here, rotated_once, 8, instant(8)).await;
    assert!(
        matches!(again, Err(RotateError::AlreadyRotated)),
        "{again:?}"
    );
    for key in [never_rotated, without_grace] {
        let refused = rotate(&here, key, 8, tomorrow()).await;
        assert!(matches!(refused, Err(RotateError::Revoked)), "{refused:?}");
    }
    assert_eq!(here.contents().await, before);
}

pub(super) async fn of_many_concurrent_rotations_of_one_key_one_succeeds(pair: Pair) {
    let key = pair.here.added(100).await.id;
    let rotate = async |stores: &Stores, number| {
        let rotated = rotate(stores, key, number, tomorrow()).await;
        succeeds(rotated, |error| {
            matches!(error, RotateError::AlreadyRotated)
        })
    };
    assert_eq!(pair.succeeding(0..20, rotate).await, 1);
    let all = listed(&pair.here, Scope::Everybody, &everything()).await;
    assert_eq!(all.len(), 2);
}

pub(super) async fn a_taken_prefix_leaves_the_old_key_as_it_was(Pair { here, .. }: Pair) {
    let key = here.added(1).await.id;
    let taken = here.added(2).await.prefix;
    let before = here.contents().await;
    let successor = Successor {
        prefix: taken,
        ..successor(3)
    };
    let (everybody, act) = (Scope::Everybody, act(3));
    for retires_at in [tomorrow(), act.at] {
        let refused = rotate_within_plan(&here, everybody, key, &successor, retires_at, &act).await;
        assert!(
            matches!(refused, Err(RotateError::PrefixTaken)),
            "{refused:?}"
        );
        assert_eq!(here.contents().await, before);
    }
}
