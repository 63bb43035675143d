//! Rotation gives nobody another minute or another month: a successor continues its predecessor's.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::fleet::Fleet;
use crate::gateway::{Gateway, Key};
use crate::person::{Demo, Person};

const ROTATE: &str = "mutation($id: ID!, $grace: Int!) { \
    rotateKey(input: { id: $id, graceHours: $grace }) { \
    apiKey newKey { id prefix } userErrors { code message } } }";

/// An admin's new key with these limits.
pub(crate) async fn limited_key(admin: &Person, per_minute: u32, quota: u32) -> Key {
    let key = admin.create_key("caja 4", "test").await;
    let limits = json!({ "per_minute": per_minute, "monthly_quota": quota });
    let path = format!("/admin/keys/{}", key.id);
    admin.send(Method::PATCH, &path, &limits, 200).await;
    key
}

/// The successor of a key, which is good for so many hours of grace beside it.
pub(crate) async fn rotated(person: &Person, key: &Key, grace: u32) -> Key {
    let variables = json!({ "id": key.id, "grace": grace });
    let rotated = person.ask(ROTATE, variables).await;
    assert_eq!(rotated["rotateKey"]["userErrors"], json!([]));
    secret_key(&rotated["rotateKey"], "newKey")
}

/// The key in the payload of a mutation, in this member.
pub(crate) fn secret_key(payload: &Value, member: &str) -> Key {
    let [id, prefix] = ["id", "prefix"].map(|name| payload[member][name].clone());
    Key::read(&json!({ "id": id, "prefix": prefix, "api_key": payload["apiKey"] }))
}

/// Uses up a minute and a month through all replicas, and rotates at their limits.
async fn no_rotation_evades_a_limit(replicas: &[Gateway]) {
    let admin = Person::signed_in(&replicas[0], Demo::Admin).await;
    for (per_minute, quota, refusal) in [(3, 1_000, 429), (1_000, 3, 402)] {
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
                let of_old = if grace == 0 { 401 } else { refusal };
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
    let Some((_redis, fleet)) = Fleet::of_three() else {
        return;
    };
    no_rotation_evades_a_limit(&fleet.replicas).await;
    both_keys_have_one_limit(&fleet.replicas).await;
}
