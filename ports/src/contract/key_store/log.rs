//! Audit entries of keys, written in the transaction that changes them.

use super::rotation::{rotate, rotated};
use super::*;

fn entry(act: AuditContext, action: Action, key: &ApiKey, changes: Vec<FieldChange>) -> AuditEntry {
    AuditEntry {
        act,
        action,
        customer: key.customer,
        key: Some(key.id),
        changes,
    }
}

/// The entries of one mutation that writes several, without their ids.
fn without_ids(entries: &[AuditEntry]) -> Vec<AuditEntry> {
    let without_id = |entry: &AuditEntry| {
        let mut entry = entry.clone();
        entry.act.id = Uuid::nil();
        entry
    };
    entries.iter().map(without_id).collect()
}

pub(super) async fn a_new_key_writes_an_entry(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    let expected = entry(act(1), Action::KeyCreated, &key, creation(&key));
    assert_eq!(here.written(&AuditFilter::default()).await, [expected]);
}

pub(super) async fn each_change_writes_an_entry_with_the_changed_fields(Pair { here, .. }: Pair) {
    let mut before = here.added(1).await;
    here.added(2).await;
    let new_limits = KeyChange::SetLimits(limits(7, None).into());
    let changes = [
        (KeyChange::Rename(name("Caja «4» 🔑")), Action::KeyRenamed),
        (new_limits, Action::LimitsSet),
        (KeyChange::Revoke, Action::KeyRevoked),
    ];
    for (number, (change, action)) in (3..).zip(changes) {
        let after = here.changed(before.id, change, number).await;
        let difference = difference(&before, &after);
        assert!(!difference.is_empty());
        let expected = entry(act(number), action, &before, difference);
        assert_eq!(here.written_about(before.id).await[0], expected);
        before = after;
    }
    assert_eq!(here.written_about(before.id).await.len(), 4);
    assert_eq!(here.written(&AuditFilter::default()).await.len(), 5);
}

pub(super) async fn a_call_that_changes_nothing_writes_no_entry(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    here.changed(key.id, KeyChange::Revoke, 2).await;
    for change in [
        KeyChange::Revoke,
        KeyChange::Rename(key.name.clone()),
        KeyChange::SetLimits(key.limits.into()),
    ] {
        here.changed(key.id, change, 3).await;
    }
    assert_eq!(here.written(&AuditFilter::default()).await.len(), 2);
}

pub(super) async fn a_refused_call_writes_no_entry(Pair { here, .. }: Pair) {
    here.added(1).await;
    let mut same_prefix = record(2);
    same_prefix.key.prefix = record(1).key.prefix;
    let bounds = KeyBounds::Unbounded;
    let refused = here.keys.insert(same_prefix, bounds, &act(2)).await;
    refused.expect_err("the prefix is taken");
    for number in 10..19 {
        here.added(number).await;
    }
    let bounds = KeyBounds::OfPlan;
    let refused = here.keys.insert(record(3), bounds, &act(3)).await;
    refused.expect_err("there is no room");
    let unknown = record(4).key.id;
    let refused = here.change(unknown, KeyChange::Revoke, 4).await;
    refused.expect_err("there is no such key");
    let refused = rotate(&here, unknown, 5, instant(9)).await;
    refused.expect_err("there is no such key");
    assert_eq!(here.written(&AuditFilter::default()).await.len(), 10);
}

pub(super) async fn a_rotation_writes_an_entry_for_each_of_the_two(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    let Rotation { old, new } = rotated(&here, key.id, 2, instant(100)).await;
    let of_old = here.written_about(old.id).await;
    let of_new = here.written_about(new.id).await;
    assert_eq!((of_old.len(), of_new.len()), (2, 1));
    let written = [of_old[0].clone(), of_new[0].clone()];
    let expected = [
        entry(act(2), Action::KeyRotated, &old, difference(&key, &old)),
        entry(act(2), Action::KeyCreated, &new, creation(&new)),
    ];
    assert_eq!(without_ids(&written), without_ids(&expected));
    let ids = [written[0].act.id, written[1].act.id];
    assert_ne!(ids[0], ids[1]);
    assert!(ids.contains(&act(2).id), "the act's id is one of the two");
}

pub(super) async fn a_rotation_without_grace_records_the_revocation_of_the_old_key(
    Pair { here, .. }: Pair,
) {
    let key = here.added(1).await;
    let Rotation { old, .. } = rotated(&here, key.id, 2, instant(2)).await;
    let written = here.written_about(old.id).await;
    let expected = entry(act(2), Action::KeyRotated, &old, difference(&key, &old));
    assert_eq!(without_ids(&written[..1]), without_ids(&[expected]));
    let fields = written[0].changes.iter().map(|it| it.field.as_str());
    assert_eq!(fields.collect::<Vec<_>>(), ["retires_at", "revoked_at"]);
    assert_eq!(written.len(), 2, "rotating and revoking is one step");
}
