//! Files of a person's own lookups.

use domain::people::customer::Role;
use serde_json::{Value, json};

use super::ask;
use super::data::{ADMIN, MEMBER, UNKNOWN};
use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, header, json_of};
use crate::lookups::with;

/// A session of the person whose key it is.
const OWNER: &str = "the-owners-token";

/// A gateway and the id of a delivered lookup with these formats.
async fn delivered(formats: Value) -> (Harness, String) {
    let harness = Harness::start().await;
    let services = &harness.gateway.services;
    services.sign_in(OWNER, "machine", Role::Member);
    services.sign_in(MEMBER, "member", Role::Member);
    services.sign_in(ADMIN, "admin", Role::Admin);
    let worker = tokio::spawn(harness.gateway.lookups.worker.clone().run());
    let body = with("10.00", &json!({ "formats": formats }));
    let lookup = json_of(harness.create(body, Some("wait=20")).await, 200).await;
    worker.abort();
    let id = lookup["id"].as_str().unwrap().to_owned();
    (harness, id)
}

#[tokio::test]
async fn the_owner_of_the_key_gets_the_files_of_the_api() {
    let (harness, id) = delivered(json!(["xml", "pdf"])).await;
    for prefix in ["", "/api"] {
        for format in ["xml", "pdf", "zip"] {
            let path = format!("{prefix}/lookups/{id}/{format}");
            let file = ask(&harness, OWNER, "GET", &path).response().await;
            assert_eq!(file.status(), 200, "{path}");
            let of_key = harness.read(&format!("/{id}/{format}")).await;
            for name in [
                "content-type",
                "content-disposition",
                "content-security-policy",
                "cache-control",
                "x-content-type-options",
                "x-seal",
                "x-origin",
            ] {
                assert_eq!(header(&file, name), header(&of_key, name), "{name}");
                assert_ne!(header(&file, name), "", "{name}");
            }
            assert_eq!(header(&file, "cache-control"), "no-store");
            assert_eq!(header(&file, "ratelimit"), "", "no key was used");
            let (file, of_key) = (file.bytes().await, of_key.bytes().await);
            assert_eq!(file.unwrap(), of_key.unwrap(), "{path}");
        }
    }
}

#[tokio::test]
async fn nobody_else_gets_them() {
    let (harness, id) = delivered(json!(["xml", "pdf"])).await;
    let xml = format!("/lookups/{id}/xml");
    let unknown = format!("/lookups/{UNKNOWN}/xml");
    let reference = ask(&harness, OWNER, "GET", &unknown).transcript().await;
    assert!(reference.starts_with("404"), "{reference}");
    for token in [MEMBER, ADMIN] {
        for format in ["xml", "pdf", "zip"] {
            let path = format!("/lookups/{id}/{format}");
            let answer = ask(&harness, token, "GET", &path).transcript().await;
            assert_eq!(answer, reference, "{token} {format}");
        }
    }
    let foreign = ask(&harness, OWNER, "GET", &xml).header("sec-fetch-site", "cross-site");
    assert_eq!(harness.request("GET", &xml).status().await, 401);
    assert_eq!(harness.keyed(GOOD_KEY, "GET", &xml).status().await, 401);
    assert_eq!(foreign.status().await, 403);
}

#[tokio::test]
async fn a_file_that_is_not_kept_or_not_there_yet_is_said_to_be_so() {
    let (harness, id) = delivered(json!(["xml"])).await;
    for format in ["pdf", "zip"] {
        let path = format!("/lookups/{id}/{format}");
        let problem = ask(&harness, OWNER, "GET", &path).json_of(404).await;
        assert_eq!(problem["details"]["reason"], "file_not_kept");
    }
    let queued = harness.create(with("404.02", &json!({})), None).await;
    let queued = json_of(queued, 202).await;
    let path = format!("/lookups/{}/xml", queued["id"].as_str().unwrap());
    let problem = ask(&harness, OWNER, "GET", &path).json_of(409).await;
    assert_eq!(problem["details"]["reason"], "not_delivered");
    let with_a_query = ask(&harness, OWNER, "GET", &format!("{path}?key=1"));
    assert_eq!(with_a_query.status().await, 400);
    let no_id = ask(&harness, OWNER, "GET", "/lookups/x/xml");
    assert_eq!(no_id.status().await, 404);
}
