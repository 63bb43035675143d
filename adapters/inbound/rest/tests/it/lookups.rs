//! Stored lookups over HTTP.

use std::time::Duration;

use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body, faults, header, json_of};

impl Harness {
    pub(crate) async fn create(&self, body: String, prefer: Option<&str>) -> Response {
        let request = self.post("/v1/cep/lookups", body);
        let request = match prefer {
            Some(preference) => request.header("prefer", preference),
            None => request,
        };
        request.response().await
    }

    /// Sends a request for lookups without a body.
    pub(crate) async fn lookups(&self, method: &Method, path: &str) -> Response {
        let path = format!("/v1/cep/lookups{path}");
        let request = self.keyed(GOOD_KEY, method.as_str(), &path);
        request.response().await
    }

    /// The error that a faulty request to create a lookup gets.
    async fn refused(&self, body: impl Into<String>) -> Value {
        json_of(self.create(body.into(), None).await, 400).await
    }

    pub(crate) async fn read(&self, path: &str) -> Response {
        self.lookups(&Method::GET, path).await
    }
}

/// The body of a request with options beside the fields of a proof.
pub(crate) fn with(amount: &str, options: &Value) -> String {
    let mut fields: Value = serde_json::from_str(&body(&[("monto", amount)])).unwrap();
    let options = options.as_object().unwrap().clone();
    fields.as_object_mut().unwrap().extend(options);
    fields.to_string()
}

#[tokio::test]
async fn a_lookup_is_delivered_while_its_creator_waits() {
    let harness = Harness::start().await;
    let worker = tokio::spawn(harness.gateway.lookups.worker.clone().run());
    let options = json!({ "formats": ["xml", "pdf"], "metadata": { "pedido": "A-1" } });
    let body = with("10.00", &options);
    let answer = harness.create(body, Some("wait=20")).await;
    assert_eq!(header(&answer, "preference-applied"), "wait=20");
    assert!(header(&answer, "ratelimit").starts_with("\"minute\""));
    let location = header(&answer, "location").to_owned();
    let lookup = json_of(answer, 200).await;
    let id = lookup["id"].as_str().unwrap();
    assert_eq!(location, format!("/v1/cep/lookups/{id}"));
    assert_eq!(lookup["state"], "delivered");
    assert_eq!(lookup["reason"], Value::Null);
    assert_eq!(lookup["metadata"], json!({ "pedido": "A-1" }));
    assert_eq!(lookup["cep"]["monto"], "10.00");
    assert_eq!(lookup["sello"]["estado"], "not_checked");
    assert_eq!(lookup["visto"]["veces"], 0);
    assert_eq!(lookup["attempt_count"], 1);
    assert_eq!(lookup["attempts"][0]["outcome"], "delivered");
    for format in ["xml", "pdf", "zip"] {
        let path = lookup["files"][format].as_str().unwrap();
        let file = harness.keyed(GOOD_KEY, "GET", path).response().await;
        assert_eq!(file.status(), 200, "{format}");
        let media_type = format!("application/{format}");
        assert_eq!(header(&file, "content-type"), media_type);
        assert_eq!(header(&file, "x-seal"), "not_checked");
        assert_eq!(header(&file, "x-origin"), "fetched");
    }
    let listed = json_of(harness.read("?state=delivered").await, 200).await;
    assert_eq!(listed["items"][0]["id"], lookup["id"]);
    assert_eq!(listed["items"][0]["cep"], Value::Null);
    assert_eq!(listed["items"][0]["attempts"], Value::Null);
    worker.abort();
}

#[tokio::test]
async fn a_lookup_without_a_proof_yet_goes_on_and_can_be_canceled() {
    let harness = Harness::start().await;
    let answer = harness.create(with("404.02", &json!({})), None).await;
    assert_eq!(header(&answer, "preference-applied"), "");
    assert_eq!(header(&answer, "retry-after"), "2");
    let lookup = json_of(answer, 202).await;
    assert_eq!(lookup["state"], "queued");
    assert_eq!(lookup["files"], json!({}));
    let path = format!("/{}", lookup["id"].as_str().unwrap());
    let worker = tokio::spawn(harness.gateway.lookups.worker.clone().run());
    let lookup = loop {
        let lookup = json_of(harness.read(&path).await, 200).await;
        if lookup["state"] == "waiting" {
            break lookup;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(lookup["reason"], "proof_not_issued");
    assert_eq!(lookup["attempt_count"], 1);
    let xml = harness.read(&format!("{path}/xml")).await;
    let problem = json_of(xml, 409).await;
    assert_eq!(problem["details"]["reason"], "not_delivered");
    let canceled = harness.lookups(&Method::DELETE, &path).await;
    assert_eq!(json_of(canceled, 200).await["state"], "canceled");
    let erased = harness.lookups(&Method::DELETE, &path).await;
    assert_eq!(erased.status(), 204);
    assert_eq!(harness.read(&path).await.status(), 404);
    worker.abort();
}

const UNKNOWN_TRANSFER: &str = include_str!("../../../../../tests/cases/lookup-no-hints.json");

impl Harness {
    /// A stored lookup after its first attempt, in a language.
    async fn attempted(&self, body: String, language: &str) -> Value {
        let lookup = json_of(self.create(body, None).await, 202).await;
        assert_eq!(lookup["hints"], json!([]));
        while self.gateway.lookups.worker.round().await.unwrap() > 0 {
            self.all_ended().await;
        }
        let path = format!("/v1/cep/lookups/{}", lookup["id"].as_str().unwrap());
        let request = self.keyed(GOOD_KEY, "GET", &path);
        let request = request.header("accept-language", language);
        request.json_of(200).await
    }

    /// The details of an immediate answer without a proof.
    async fn details(&self, body: String) -> Value {
        let request = self.post("/v1/cep/xml_auto", body);
        request.json_of(404).await["details"].clone()
    }
}

#[tokio::test]
async fn a_lookup_tells_what_an_immediate_answer_tells() {
    let harness = Harness::start().await;
    let as_given = UNKNOWN_TRANSFER.to_owned();
    let inferred = |amount| body(&[("monto", amount), ("emisor", ""), ("receptor", "")]);
    for question in [as_given, inferred("404.00"), inferred("404.02")] {
        let details = harness.details(question.clone()).await;
        let lookup = harness.attempted(question.clone(), "es").await;
        for member in ["reason", "hints", "inferred", "payment"] {
            assert_eq!(lookup[member], details[member], "{member}: {question}");
        }
    }
}

#[tokio::test]
async fn a_lookup_says_what_was_asked_and_what_to_do() {
    let harness = Harness::start().await;
    for language in ["es", "en"] {
        let lookup = harness.attempted(UNKNOWN_TRANSFER.to_owned(), language);
        let lookup = lookup.await;
        assert_eq!(lookup["state"], "not_found");
        assert_eq!(lookup["hints"][0]["code"], "check_digit");
        assert_eq!(lookup["question"]["cuenta"], "002010077777777772");
        let told = json!({
            "question": lookup["question"], "inferred": lookup["inferred"], "payment": lookup["payment"],
            "hints": lookup["hints"], "what_to_do": lookup["what_to_do"],
        });
        insta::assert_json_snapshot!(format!("told_{language}"), told);
    }
}

#[tokio::test]
async fn every_faulty_member_is_named_and_nothing_is_stored() {
    let harness = Harness::start().await;
    for (member, value, problem) in [
        ("formats", json!([]), "not_one_of"),
        ("formats", json!(["xml", "zip"]), "not_one_of"),
        ("formats", json!("xml"), "wrong_type"),
        ("formats", json!([1]), "not_texts"),
        ("retry_for", json!(-1), "out_of_range"),
        ("retry_for", json!(1.5), "out_of_range"),
        ("retry_for", json!(259_201), "out_of_range"),
        ("retry_for", json!("60"), "wrong_type"),
        ("metadata", json!([]), "wrong_type"),
        ("metadata", json!({ "a": 1 }), "not_texts"),
        ("metadata", json!({ "": "" }), "metadata_name"),
    ] {
        let body = with("10.00", &json!({ member: value }));
        let answer = harness.refused(body).await;
        assert_eq!(faults(&answer), [(member, problem)], "{value}");
    }
    let both = with("-1", &json!({ "retry_for": "x", "fecha": "x" }));
    let answer = harness.refused(both).await;
    let fields = faults(&answer).into_iter().map(|(field, _)| field);
    assert!(fields.eq(["fecha", "monto", "retry_for"]), "{answer}");
    let listed = json_of(harness.read("").await, 200).await;
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn misspelt_and_unknown_members_are_named_and_nothing_is_stored() {
    let harness = Harness::start().await;
    let body = include_str!("../../../../../tests/cases/typo-members.json");
    let answer = harness.refused(body).await;
    let faults = answer["details"]["fields"].as_array().unwrap().iter();
    let faults: Vec<_> = faults
        .map(|fault| json!([fault["field"], fault["problem"], fault["meant"]]))
        .collect();
    let expected = [
        json!(["retryFor", "misspelt", "retry_for"]),
        json!(["format", "misspelt", "formats"]),
        json!(["meta", "unknown", null]),
    ];
    assert_eq!(faults, expected);
    let listed = json_of(harness.read("").await, 200).await;
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn a_format_in_place_of_a_list_is_told_to_be_one() {
    let harness = Harness::start().await;
    let body = include_str!("../../../../../tests/cases/formats-string.json");
    let answer = harness.refused(body).await;
    assert_eq!(faults(&answer), [("formats", "wrong_type")]);
    let message = &answer["details"]["fields"][0]["message"];
    let message = message.as_str().unwrap();
    assert!(message.contains("una lista de formatos"), "{message}");
}

#[tokio::test]
async fn a_prefix_that_nobody_has_names_itself_and_the_list_and_a_named_receiver_is_asked() {
    let harness = Harness::start().await;
    let newcomer = json!({ "cuenta": "846180000000000000", "receptor": null });
    let answer = harness.refused(with("10.00", &newcomer)).await;
    assert_eq!(answer["error"], "INFERENCE_FAILED");
    assert_eq!(answer["details"]["participants_list_date"], "2026-09-11");
    let message = &answer["details"]["reasons"]["receptor"]["message"];
    for told in ["846", "2026-09-11"] {
        assert!(message.as_str().unwrap().contains(told), "{message}");
    }
    let named = json!({ "cuenta": "846180000000000000", "receptor": "90846" });
    json_of(harness.create(with("10.00", &named), None).await, 202).await;
}

#[tokio::test]
async fn one_bank_on_both_sides_is_told_once_also_when_both_were_inferred() {
    let harness = Harness::start().await;
    let key = "085912345678932412";
    let inferred = json!({ "clave_rastreo": key, "emisor": null, "receptor": null });
    let answer = harness.refused(with("10.00", &inferred)).await;
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("no hay CEP"), "{message}");
    assert_eq!(answer["details"]["reason"], "same_institution");
    assert_eq!(answer["details"]["fields"], Value::Null);
    assert_eq!(answer["details"]["inferred"]["emisor"]["code"], "40002");
}

#[tokio::test]
async fn reads_need_a_good_key_and_an_id() {
    let harness = Harness::start().await;
    let nobody = harness.request("GET", "/v1/cep/lookups").response().await;
    assert_eq!(nobody.status(), 401);
    for path in ["/x", "/019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1", "/x/xml"] {
        let answer = json_of(harness.read(path).await, 404).await;
        assert_eq!(answer["error"], "NOT_FOUND", "{path}");
    }
    for query in ["?state=lost", "?wait=1", "?limit=0", "?created_from=today"] {
        let answer = json_of(harness.read(query).await, 400).await;
        assert_eq!(answer["error"], "INVALID_REQUEST", "{query}");
    }
    let id = "/019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1?wait=26";
    assert_eq!(harness.read(id).await.status(), 400);
}
