//! Stored lookups over HTTP.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use application::{
    DeliveryHistory, GatekeeperService, LookupEncryption, LookupReader, LookupService,
    LookupSignals, LookupWorker, ProofService, WorkerParts,
};
use async_trait::async_trait;
use chrono::TimeDelta;
use cipher_aes::AesCipher;
use domain::key::HashGeneration;
use domain::lookup::{LookupSecrets, RetryScale};
use domain::pacing::Pacing;
use domain::participant::Catalogue;
use ports::outbound::Timer;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use testkit::fakes::NoSealKeys;
use testkit::people::PeopleServices;
use tokio_util::task::TaskTracker;

use crate::data::GOOD_KEY;
use crate::harness::{Harness, body};

/// The runtime's timer.
struct RuntimeTimer;

#[async_trait]
impl Timer for RuntimeTimer {
    async fn pause(&self, span: Duration) {
        tokio::time::sleep(span).await;
    }
}

/// The service of stored lookups, and their worker, over the same adapters.
pub(crate) fn service(
    services: &PeopleServices,
    gatekeeper: &Arc<GatekeeperService>,
    proofs: &Arc<ProofService>,
    history: &Arc<DeliveryHistory>,
    tasks: &TaskTracker,
) -> (Arc<LookupService>, Arc<LookupWorker>) {
    let secrets = LookupSecrets::new(vec![(HashGeneration(1), vec![7; 32])]).unwrap();
    let encryption = Arc::new(LookupEncryption::new(Arc::new(AesCipher), secrets));
    let (signals, store) = (Arc::<LookupSignals>::default(), services.store.clone());
    let reader = LookupReader::new(
        encryption.clone(),
        Arc::new(Catalogue::embedded().clone()),
        Arc::new(NoSealKeys),
        TimeDelta::days(7),
    );
    let service = LookupService::new(
        Arc::new(store.clone()),
        reader,
        gatekeeper.clone(),
        signals.clone(),
        services.clock.clone(),
        Arc::new(RuntimeTimer),
        Pacing::new(NonZeroU32::MIN),
    );
    let tasks = tasks.clone();
    let worker = LookupWorker::new(WorkerParts {
        store: Arc::new(store),
        encryption,
        proofs: proofs.clone(),
        gatekeeper: gatekeeper.clone(),
        history: history.clone(),
        signals,
        clock: services.clock.clone(),
        timer: Arc::new(RuntimeTimer),
        random: services.random.clone(),
        spawn: Box::new(move |task| drop(tasks.spawn(task))),
        places: 4,
        test_scale: RetryScale::NONE,
    });
    (Arc::new(service), Arc::new(worker))
}

impl Harness {
    async fn create(&self, body: String, prefer: Option<&str>) -> Response {
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
    async fn lookups(&self, method: &Method, path: &str) -> Response {
        let request = self.request(method.as_str(), &format!("/v1/cep/lookups{path}"));
        let request = request.header("x-api-key", GOOD_KEY);
        request.send().await.unwrap()
    }

    async fn read(&self, path: &str) -> Response {
        self.lookups(&Method::GET, path).await
    }
}

/// The JSON of an answer with this status.
async fn json_of(answer: Response, status: u16) -> Value {
    assert_eq!(answer.status(), status);
    serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap()
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    let value = answer.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

/// The body of a request with options beside the fields of a proof.
fn with(amount: &str, options: &Value) -> String {
    let mut fields: Value = serde_json::from_str(&body(&[("monto", amount)])).unwrap();
    let options = options.as_object().unwrap().clone();
    fields.as_object_mut().unwrap().extend(options);
    fields.to_string()
}

#[tokio::test]
async fn a_lookup_is_delivered_while_its_creator_waits() {
    let harness = Harness::start().await;
    let worker = tokio::spawn(harness.gateway.worker.clone().run());
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
    let worker = tokio::spawn(harness.gateway.worker.clone().run());
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
