//! Changes of keys are in the log, which a restore of the database doesn't take back.

use domain::keys::FullKey;
use serde_json::{Value, json};
use testkit::log::{Lines, listen};

use super::*;

/// The fields of the lines about keys.
fn of_keys(lines: &Lines) -> Vec<Value> {
    let of_keys = lines.of("cep::keys").into_iter();
    of_keys
        .map(|mut line| {
            assert_eq!(line["level"], "INFO");
            line["fields"].take()
        })
        .collect()
}

#[tokio::test]
async fn every_change_of_a_key_is_logged_with_its_actor() {
    let fixture = fixture();
    let (lines, _guard) = listen();
    let keys = &fixture.keys;
    let old = fixture.created_by(&ANA).await.key.key;
    let (id, customer) = (old.id, old.customer);
    let renamed = keys.rename(&ANA, OWN, id, name("canary"));
    renamed.await.unwrap();
    keys.set_limits(&ADMIN, id, ten_a_minute()).await.unwrap();
    let new = keys.rotate(&ANA, id, hours(1)).await.unwrap().new.key.key;
    // From now on the admin has an account, too.
    let own = fixture.created_by(&ADMIN).await.key.key;
    keys.revoke(&ADMIN, RequestedScope::All, id).await.unwrap();
    let (plan, follow) = (Plan::Enterprise, ExistingKeys::Follow);
    keys.set_plan(&ADMIN, customer, plan, follow).await.unwrap();

    let change = |action: &str, key: KeyId, owner: CustomerId, per_minute: u32| {
        json!({
            "message": "a key was changed",
            "action": action,
            "key": key.to_string(),
            "customer": owner.to_string(),
            "per_minute": per_minute,
            "monthly_quota": 1_000,
        })
    };
    let with = |mut line: Value, more: Value| {
        let Value::Object(more) = more else {
            panic!("{more} is no object");
        };
        line.as_object_mut().unwrap().extend(more);
        line
    };
    let ana = json!({
        "by": "member", "actor": customer.to_string(), "request_id": "request-of-ana",
    });
    let nobody = json!({ "by": "admin", "request_id": "request-of-root" });
    let admin = with(nobody.clone(), json!({ "actor": own.customer.to_string() }));
    let retires = json!({ "retires_at": "2026-11-20T13:00:00.000Z" });
    let revoked = json!({ "revoked_at": "2026-11-20T12:00:00.000Z" });
    let of_ana = |action: &str, key: KeyId, per_minute: u32| {
        with(change(action, key, customer, per_minute), ana.clone())
    };
    let expected = [
        of_ana("key_created", id, 60),
        of_ana("key_renamed", id, 60),
        with(change("limits_set", id, customer, 10), nobody),
        with(of_ana("key_rotated", id, 10), retires.clone()),
        of_ana("key_created", new.id, 10),
        with(
            change("key_created", own.id, own.customer, 60),
            admin.clone(),
        ),
        with(
            with(change("key_revoked", id, customer, 10), admin.clone()),
            with(retires, revoked),
        ),
        with(
            json!({
                "message": "a plan was set",
                "action": "plan_set",
                "customer": customer.to_string(),
                "plan": "enterprise",
                "keys": 1,
            }),
            admin,
        ),
    ];
    assert_eq!(of_keys(&lines), expected);
}

#[tokio::test]
async fn the_log_has_no_secret_no_name_and_no_person() {
    let fixture = fixture();
    let (lines, _guard) = listen();
    let mut somebody = ANA.clone();
    somebody.owner.subject = "somebody@canary.example".to_owned();
    let created = fixture.created_by(&somebody).await;
    let id = created.key.key.id;
    let keys = &fixture.keys;
    let renamed = keys.rename(&somebody, OWN, id, name("a canary"));
    renamed.await.unwrap();
    let rotated = keys.rotate(&somebody, id, hours(0)).await.unwrap();
    assert_eq!(of_keys(&lines).len(), 4);
    let secrets = [created.secret, rotated.new.secret];
    let secrets = secrets.each_ref().map(FullKey::reveal);
    let secrets = secrets.map(|secret| secret.split_once('.').unwrap().1);
    let text = lines.text();
    for told in ["canary", "identity.example", secrets[0], secrets[1]] {
        assert!(!text.contains(told), "{told} in {text}");
    }
}

#[tokio::test]
async fn a_change_that_failed_is_not_logged() {
    let (fixture, id) = start_with_id().await;
    let (lines, _guard) = listen();
    let keys = &fixture.keys;
    assert_not_found(fixture.revoke_own(&LUIS, id).await);
    assert_forbidden(keys.revoke(&LUIS, RequestedScope::All, id).await);
    fixture.store.go_down();
    let down = fixture.revoke_own(&ANA, id).await;
    assert!(matches!(down, Err(KeyError::Store(_))));
    assert_eq!(of_keys(&lines), Vec::<Value>::new());
}

#[tokio::test]
async fn a_revocation_that_no_process_can_follow_is_not_acknowledged_and_logged() {
    let (fixture, id) = start_with_id().await;
    let (lines, _guard) = listen();
    fixture.limiter.faults().inject(Fault::Fails);
    fixture.lose_the_store_after_a_commit();
    let revoked = fixture.revoke_own(&ANA, id).await;
    assert!(matches!(revoked, Err(KeyError::Store(_))));
    let [line] = &of_keys(&lines)[..] else {
        panic!("one thing was done");
    };
    assert_eq!(line["action"], "key_revoked");
}
