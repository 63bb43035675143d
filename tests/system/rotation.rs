//! Rotation gives nobody another minute or another month: a successor continues its predecessor's.

use reqwest::{Method, StatusCode};
use serde_json::json;
use testkit::redis::Redis;

use crate::fleet::Fleet;
use crate::gateway::{Gateway, Key, json_of};
use crate::person::{Demo, Person};

const ROTATE: &str = "mutation($id: ID!, $grace: Int!) { \
    rotateKey(input: { id: $id, graceHours: $grace }) { \
    secret newKey { id } userErrors { code message } } }";

/// An admin's new key with these limits.
async fn limited_key(admin: &Person, per_minute: u32, quota: u32) -> Key {
    let key = admin.create_key("caja 4", "test").await;
    let limits = json!({ "per_minute": per_minute, "monthly_quota": quota });
    let path = format!("/admin/keys/{}", key.id);
    admin.send(Method::PATCH, &path, &limits, 200).await;
    key
}

async fn rotated(person: &Person, key: &Key, grace: u32) -> Key {
    let variables = json!({ "id": key.id, "grace": grace });
    let rotated = person.ask(ROTATE, variables).await;
    let rotated = &rotated["rotateKey"];
    assert_eq!(rotated["userErrors"], json!([]));
    Key {
        id: rotated["newKey"]["id"].as_str().unwrap().to_owned(),
        full: rotated["secret"].as_str().unwrap().to_owned(),
        ..key.clone()
    }
}

/// Uses up a minute and a month through all replicas, and rotates at their limits.
async fn no_rotation_evades_a_limit(replicas: &[Gateway]) {
    let admin = Person::signed_in(&replicas[0], Demo::Admin).await;
    for (per_minute, quota, refusal) in [
        (3, 1_000, StatusCode::TOO_MANY_REQUESTS),
        (1_000, 3, StatusCode::PAYMENT_REQUIRED),
    ] {
        let mut key = limited_key(&admin, per_minute, quota).await;
        for number in 0..3 {
            let gateway = &replicas[number % replicas.len()];
            assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
        }
        assert_eq!(replicas[0].status_of(&key).await, refusal);
        for grace in [1, 0] {
            let old = key;
            key = rotated(&admin, &old, grace).await;
            for gateway in replicas {
                assert_eq!(gateway.status_of(&key).await, refusal, "{grace} h of grace");
                let of_old = if grace == 0 {
                    StatusCode::UNAUTHORIZED
                } else {
                    refusal
                };
                assert_eq!(gateway.status_of(&old).await, of_old, "{grace} h of grace");
            }
        }
    }
}

/// During its grace a key and its successor are admitted as one.
async fn both_keys_have_one_limit(replicas: &[Gateway]) {
    let admin = Person::signed_in(&replicas[0], Demo::Admin).await;
    let old = limited_key(&admin, 1_000, 6).await;
    assert_eq!(replicas[0].status_of(&old).await, StatusCode::OK);
    let new = rotated(&admin, &old, 1).await;
    let mut admitted = 0;
    for number in 0_usize..12 {
        let gateway = &replicas[number % replicas.len()];
        let key = if number.is_multiple_of(2) { &new } else { &old };
        admitted += u32::from(gateway.status_of(key).await == StatusCode::OK);
    }
    assert_eq!(admitted, 5);
}

#[tokio::test]
async fn on_one_process_a_key_at_its_limit_is_at_it_after_a_rotation() {
    let replicas = [Gateway::start()];
    no_rotation_evades_a_limit(&replicas).await;
    both_keys_have_one_limit(&replicas).await;
}

#[tokio::test]
async fn on_three_replicas_a_key_at_its_limit_is_at_it_after_a_rotation() {
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let Some(fleet) = Fleet::of_three(&redis) else {
        return;
    };
    no_rotation_evades_a_limit(&fleet.replicas).await;
    both_keys_have_one_limit(&fleet.replicas).await;
}

#[tokio::test]
async fn a_person_creates_or_rotates_twenty_keys_an_hour_and_has_ten() {
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let create = async || {
        let body = json!({ "name": "caja 4", "env": "test" });
        let made = member.sending(Method::POST, "/keys", &body).send().await;
        made.unwrap()
    };
    let mut keys = Vec::new();
    for _ in 0..10 {
        keys.push(json_of(create().await, 201).await);
    }
    let refused = json_of(create().await, 409).await;
    assert_eq!(refused["details"]["reason"], "too_many_keys");
    assert_eq!(refused["details"]["limit"], 10);
    let mut key = Key::read(&keys[0]);
    for _ in 0..10 {
        key = rotated(&member, &key, 0).await;
    }
    let again = json!({ "id": key.id, "grace": 0 });
    let again = member.ask(ROTATE, again).await;
    let code = &again["rotateKey"]["userErrors"][0]["code"];
    assert_eq!(code, "TOO_MANY_NEW_KEYS");
    let path = format!("/keys/{}", key.id);
    let revoked = member.request(Method::DELETE, &path).send().await;
    json_of(revoked.unwrap(), 200).await;
    let refused = create().await;
    let retry_after = refused.headers()["retry-after"].to_str().unwrap();
    let retry_after: u32 = retry_after.parse().unwrap();
    assert!((3_000..=3_600).contains(&retry_after), "{retry_after}");
    let refused = json_of(refused, 429).await;
    assert_eq!(refused["details"]["reason"], "too_many_new_keys");
    // The operator of the machine has no bound.
    for _ in 0..12 {
        gateway.key(&[]);
    }
}
