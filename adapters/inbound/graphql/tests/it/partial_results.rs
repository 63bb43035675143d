//! Partial results: the siblings of a failed field keep their values.

use domain::keys::FullKey;
use serde_json::json;
use testkit::fakes::Fault;

use crate::data::key_id;
use crate::harness::Harness;

/// The library leaves a failed field that can't be null out of its object, where the specification
/// (October 2021, 6.4.4) nulls the parent (compare async-graphql's issue 1449).
#[tokio::test]
async fn a_failed_field_is_null_where_it_may_be_and_left_out_where_it_may_not() {
    let harness = Harness::new().await;
    harness.services.store.faults().inject(Fault::Fails);
    harness.services.limiter.faults().inject(Fault::Fails);
    let viewer = json!({ "viewer": { "role": "ADMIN" } });
    let with_key = json!({ "viewer": { "role": "ADMIN" }, "key": null });
    let key = format!(
        "{{ viewer {{ role }} key(id: \"{}\") {{ id }} }}",
        key_id(1)
    );
    for (query, data) in [
        ("{ viewer { role } keys { totalCount } }", &viewer),
        ("{ viewer { role account { id } } }", &viewer),
        (&key, &with_key),
        ("{ keys { totalCount } }", &json!(null)),
    ] {
        let json = harness.admin(query).await.json();
        assert_eq!(json["data"], *data, "{query}: {json:#}");
        assert_eq!(json["errors"].as_array().unwrap().len(), 1, "{json:#}");
    }
}

#[tokio::test]
async fn a_failed_mutation_does_not_hide_the_result_of_its_sibling() {
    let harness = Harness::new().await;
    harness.services.limiter.faults().inject(Fault::Fails);
    let rename = format!("renameKey(input: {{ id: \"{}\", name: \"x\" }})", key_id(1));
    let query = format!(
        "mutation {{ a: {rename} {{ key {{ name }} }} \
         b: {rename} {{ key {{ name window {{ remaining }} }} }} }}"
    );
    let json = harness.member(&query).await.json();
    let data = json!({ "a": { "key": { "name": "x" } }, "b": { "key": { "name": "x" } } });
    assert_eq!(json["data"], data, "{json:#}");
    let path = json!(["b", "key", "window"]);
    assert_eq!(json["errors"][0]["path"], path, "{json:#}");
}

/// The secret of the first one is shown once only.
#[tokio::test]
async fn of_two_aliased_mutations_one_fails_and_the_other_shows_its_secret() {
    let harness = Harness::with_room().await;
    let faults = harness.services.store.faults();
    faults.inject_into("rotate", Fault::Fails);
    let query = format!(
        "mutation {{ made: createKey(input: {{ name: \"x\" }}) {{ apiKey }} \
         failed: rotateKey(input: {{ id: \"{}\" }}) {{ apiKey }} \
         after: renameKey(input: {{ id: \"{}\", name: \"y\" }}) {{ key {{ name }} }} }}",
        key_id(1),
        key_id(2)
    );
    let answer = harness.member(&query).await;
    let json = answer.json();
    assert_eq!(answer.status, 200);
    let secret = json["data"]["made"]["apiKey"].as_str();
    let secret = secret.unwrap_or_else(|| panic!("{json:#}"));
    assert!(FullKey::parse(secret).is_some(), "{secret}");
    assert_eq!(json["data"]["failed"], json!(null), "{json:#}");
    assert!(json["data"].as_object().unwrap().contains_key("failed"));
    assert_eq!(json["data"]["after"]["key"]["name"], "y", "{json:#}");
    let errors = json["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{json:#}");
    assert_eq!(errors[0]["path"], json!(["failed"]));
    assert_eq!(errors[0]["extensions"]["code"], "INTERNAL_ERROR");
}
