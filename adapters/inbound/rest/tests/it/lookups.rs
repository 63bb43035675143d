//! Stored lookups over HTTP.

use std::time::Duration;

use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::data::GOOD_KEY;
use crate::harness::{Harness, body};

impl Harness {
    pub(crate) async fn create(&self, body: String, prefer: Option<&str>) -> Response {
        let request = self.request("POST", "/v1/cep/lookups");
        let request = request.header("x-api-key", GOOD_KEY);
        let request = request.header("content-type", "application/json");
        let request = match prefer {
            Some(preference) => request.header("prefer", preference),
            None => request,
        };
        request.body(body).send().await.unwrap()
    }

    /// Sends a request for lookups without a body.
    pub(crate) async fn lookups(&self, method: &Method, path: &str) -> Response {
        let request = self.request(method.as_str(), &format!("/v1/cep/lookups{path}"));
        let request = request.header("x-api-key", GOOD_KEY);
        request.send().await.unwrap()
    }

    pub(crate) async fn read(&self, path: &str) -> Response {
        self.lookups(&Method::GET, path).await
    }
}

/// The JSON of an answer with this status.
pub(crate) async fn json_of(answer: Response, status: u16) -> Value {
    assert_eq!(answer.status(), status);
    serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap()
}

pub(crate) fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    let value = answer.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
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
    let body = with(
        "10.00",
        &json!({ "formats": ["xml", "pdf"], "metadata": { "pedido": "A-1" } }),
    );
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
    assert_eq!(lookup["attempts"], 1);
    assert_eq!(lookup["history"][0]["outcome"], "delivered");
    for format in ["xml", "pdf", "zip"] {
        let path = lookup["files"][format].as_str().unwrap();
        let file = harness
            .read(path.trim_start_matches("/v1/cep/lookups"))
            .await;
        assert_eq!(file.status(), 200, "{format}");
        let media_type = format!("application/{format}");
        assert_eq!(header(&file, "content-type"), media_type);
        assert_eq!(header(&file, "x-seal"), "not_checked");
    }
    let listed = json_of(harness.read("?state=delivered").await, 200).await;
    assert_eq!(listed["items"][0]["id"], lookup["id"]);
    assert_eq!(listed["items"][0]["cep"], Value::Null);
    assert_eq!(listed["items"][0]["history"], Value::Null);
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
    assert_eq!(lookup["attempts"], 1);
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
        let request = self.request("GET", &path).header("x-api-key", GOOD_KEY);
        let request = request.header("accept-language", language);
        json_of(request.send().await.unwrap(), 200).await
    }

    /// The details of an immediate answer without a proof.
    async fn details(&self, body: String) -> Value {
        let request = self.request("POST", "/v1/cep/xml_auto");
        let request = request.header("x-api-key", GOOD_KEY);
        let request = request.header("content-type", "application/json");
        let answer = request.body(body).send().await.unwrap();
        json_of(answer, 404).await["details"].clone()
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
        assert_eq!(lookup["reason"], details["reason"], "{question}");
        assert_eq!(lookup["hints"], details["hints"], "{question}");
        assert_eq!(lookup["inferred"], details["inferred"], "{question}");
        assert_eq!(lookup["payment"], details["payment"], "{question}");
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
    for (options, field, problem) in [
        (json!({ "formats": [] }), "formats", "not_one_of"),
        (
            json!({ "formats": ["xml", "zip"] }),
            "formats",
            "not_one_of",
        ),
        (json!({ "formats": "xml" }), "formats", "wrong_type"),
        (json!({ "formats": [1] }), "formats", "not_texts"),
        (json!({ "retry_for": -1 }), "retry_for", "out_of_range"),
        (json!({ "retry_for": 1.5 }), "retry_for", "out_of_range"),
        (json!({ "retry_for": 259_201 }), "retry_for", "out_of_range"),
        (json!({ "retry_for": "60" }), "retry_for", "wrong_type"),
        (json!({ "metadata": [] }), "metadata", "wrong_type"),
        (json!({ "metadata": { "a": 1 } }), "metadata", "not_texts"),
        (
            json!({ "metadata": { "": "" } }),
            "metadata",
            "metadata_name",
        ),
    ] {
        let answer = harness.create(with("10.00", &options), None).await;
        let answer = json_of(answer, 400).await;
        let fault = &answer["details"]["fields"][0];
        assert_eq!(fault["field"], field, "{options}");
        assert_eq!(fault["problem"], problem, "{options}");
    }
    let both = with("-1", &json!({ "retry_for": "x", "fecha": "x" }));
    let answer = json_of(harness.create(both, None).await, 400).await;
    let faults = answer["details"]["fields"].as_array().unwrap();
    let fields: Vec<_> = faults.iter().map(|fault| &fault["field"]).collect();
    assert_eq!(fields, ["fecha", "monto", "retry_for"]);
    let listed = json_of(harness.read("").await, 200).await;
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn misspelt_and_unknown_members_are_named_and_nothing_is_stored() {
    let harness = Harness::start().await;
    let body = include_str!("../../../../../tests/cases/typo-members.json");
    let answer = json_of(harness.create(body.to_owned(), None).await, 400).await;
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
    let answer = json_of(harness.create(body.to_owned(), None).await, 400).await;
    let fault = &answer["details"]["fields"][0];
    assert_eq!(
        (&fault["field"], &fault["problem"]),
        (&json!("formats"), &json!("wrong_type"))
    );
    let message = fault["message"].as_str().unwrap();
    assert!(message.contains("una lista de formatos"), "{message}");
}

#[tokio::test]
async fn a_prefix_that_nobody_has_names_itself_and_the_list_and_a_named_receiver_is_asked() {
    let harness = Harness::start().await;
    let newcomer = json!({ "cuenta": "846180000000000000", "receptor": null });
    let answer = harness.create(with("10.00", &newcomer), None).await;
    let answer = json_of(answer, 400).await;
    assert_eq!(answer["error"], "INFERENCE_FAILED");
    assert_eq!(answer["details"]["participants_list_date"], "2026-09-11");
    let message = answer["details"]["reasons"]["receptor"]["message"].as_str();
    let message = message.unwrap();
    assert!(
        message.contains("846") && message.contains("2026-09-11"),
        "{message}"
    );
    let named = json!({ "cuenta": "846180000000000000", "receptor": "90846" });
    json_of(harness.create(with("10.00", &named), None).await, 202).await;
}

#[tokio::test]
async fn one_bank_on_both_sides_is_told_once_also_when_both_were_inferred() {
    let harness = Harness::start().await;
    let inferred = json!({
        "clave_rastreo": "085912345678932412",
        "emisor": null,
        "receptor": null,
    });
    let answer = json_of(harness.create(with("10.00", &inferred), None).await, 400).await;
    assert!(
        answer["message"].as_str().unwrap().contains("no hay CEP"),
        "{answer}"
    );
    assert_eq!(answer["details"]["reason"], "same_institution");
    assert_eq!(answer["details"]["fields"], Value::Null);
    assert_eq!(answer["details"]["inferred"]["emisor"]["code"], "40002");
}

#[tokio::test]
async fn reads_need_a_good_key_and_an_id() {
    let harness = Harness::start().await;
    let nobody = harness.request("GET", "/v1/cep/lookups").send().await;
    assert_eq!(nobody.unwrap().status(), 401);
    for path in ["/x", "/019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1", "/x/xml"] {
        let answer = json_of(harness.read(path).await, 404).await;
        assert_eq!(answer["error"], "NOT_FOUND", "{path}");
    }
    for query in ["?state=lost", "?wait=1", "?limit=0", "?created_after=today"] {
        let answer = json_of(harness.read(query).await, 400).await;
        assert_eq!(answer["error"], "INVALID_REQUEST", "{query}");
    }
    let id = "/019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1?wait=26";
    assert_eq!(harness.read(id).await.status(), 400);
    let again = harness.lookups(&Method::PUT, "").await;
    assert_eq!(again.status(), 405);
    assert_eq!(header(&again, "allow"), "GET,HEAD,POST");
}
