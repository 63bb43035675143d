//! `/v1/accounts`.

use serde_json::json;

use super::data::{MEMBER, OTHER_MEMBER};
use super::{ask, json as good, with_json};
use crate::harness::{Exchange, Harness};

const PATH: &str = "/v1/accounts";

#[tokio::test]
async fn own_accounts_are_added_listed_and_removed() {
    let harness = Harness::of_people().await;
    let body = json!({ "name": "Ventas", "cuenta": "002 010 07777777777 1" });
    let adding = with_json(ask(&harness, MEMBER, "POST", PATH), body.to_string());
    let added = adding.json_of(201).await;
    let shown = ["name", "cuenta", "receptor", "banco"].map(|member| added[member].clone());
    let expected = json!(["Ventas", "002010077777777771", "40002", "BANAMEX"]);
    assert_eq!(json!(shown), expected);
    assert_eq!(
        good(ask(&harness, MEMBER, "GET", PATH)).await,
        json!([added])
    );
    assert_eq!(
        good(ask(&harness, OTHER_MEMBER, "GET", PATH)).await,
        json!([])
    );
    let path = format!("{PATH}/{}", added["id"].as_str().unwrap());
    let others = ask(&harness, OTHER_MEMBER, "DELETE", &path)
        .response()
        .await;
    assert_eq!(others.status(), 404);
    assert_eq!(good(ask(&harness, MEMBER, "DELETE", &path)).await, added);
    assert_eq!(good(ask(&harness, MEMBER, "GET", PATH)).await, json!([]));
}

#[tokio::test]
async fn what_is_wrong_with_a_new_account_is_told_at_its_member() {
    let harness = Harness::of_people().await;
    let good = json!({ "name": "Ventas", "cuenta": "5512345678", "receptor": "BBVA" });
    for (member, value, problem) in [
        ("name", json!("\u{200b}"), "malformed_name"),
        ("cuenta", json!("123"), "wrong_length"),
        ("cuenta", json!("002010077777777772"), "wrong_check_digit"),
        ("receptor", json!("Banco de Nadie"), "unknown_name"),
        ("receptor", json!(null), "missing"),
    ] {
        let mut body = good.clone();
        body[member] = value;
        let adding = with_json(ask(&harness, MEMBER, "POST", PATH), body.to_string());
        let refused = adding.json_of(400).await;
        let fault = &refused["details"]["fields"][0];
        assert_eq!(
            (&fault["field"], &fault["problem"]),
            (&json!(member), &json!(problem))
        );
    }
    let twice = [201, 400].map(|status| (status, good.to_string()));
    for (status, body) in twice {
        with_json(ask(&harness, MEMBER, "POST", PATH), body)
            .json_of(status)
            .await;
    }
}
