//! Every outcome on every path: nothing says less than the direct answer.
//!
//! A line of [`OUTCOMES`] is an outcome, a [`Path`] a way by which its owner hears of it. The direct answer and
//! the table say what there is to tell; a cell fails that lacks any of it.

mod paths;
mod told;

use std::time::Duration;

use serde_json::{Value, json};

use crate::batches::{cells, post};
use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, Key, Plan, eventually, json_of, request};
use crate::person::{Demo, Person};
use crate::webhooks::receiver::Receiver;
use paths::Path;
use told::{Told, of_direct, of_lookup};

/// Longest time until all lookups have ended.
const PATIENCE: Duration = Duration::from_mins(2);

/// An outcome: the transfer that has it, and what the table says of its lookup.
#[derive(Clone, Copy)]
struct Outcome {
    name: &'static str,
    amount: &'static str,
    /// Another member of the question.
    change: Option<(&'static str, &'static str)>,
    /// State of the lookup, which is tried once; `None` when none is made.
    state: Option<&'static str>,
    reason: Option<&'static str>,
    payment: Option<&'static str>,
    seal: Option<&'static str>,
}

/// What the table says of an outcome's lookup.
type Lookup = (&'static str, &'static str);

type Text = &'static str;

const fn delivered(name: Text, amount: Text, seal: Text) -> Outcome {
    Outcome {
        state: Some("delivered"),
        seal: Some(seal),
        ..lookup(name, amount)
    }
}

const fn without(name: Text, amount: Text, found: Lookup, payment: Option<Text>) -> Outcome {
    Outcome {
        state: Some(found.0),
        reason: Some(found.1),
        payment,
        ..lookup(name, amount)
    }
}

const fn failed(name: Text, amount: Text, reason: Text) -> Outcome {
    without(name, amount, ("failed", reason), None)
}

const fn refused(name: Text, reason: Text, change: (Text, Text)) -> Outcome {
    Outcome {
        reason: Some(reason),
        change: Some(change),
        ..lookup(name, "10.00")
    }
}

const fn lookup(name: Text, amount: Text) -> Outcome {
    Outcome {
        name,
        amount,
        change: None,
        state: None,
        reason: None,
        payment: None,
        seal: None,
    }
}

const SEVERAL: Lookup = ("ambiguous", "ambiguous");
const UNKNOWN: Lookup = ("not_found", "not_in_spei");
const RETURNED: Lookup = ("not_found", "payment_returned");
const REJECTED: Lookup = ("not_found", "payment_rejected");
const CANCELED: Lookup = ("not_found", "payment_canceled");
const UNDER_WAY: Lookup = ("expired", "payment_in_process");
const NO_PROOF: Lookup = ("expired", "proof_not_issued");

/// Outcomes of a bank that answers.
const OUTCOMES: [Outcome; 17] = [
    delivered("a proof", "10.00", "valid"),
    delivered("a proof with another seal", "600.00", "invalid"),
    delivered("a proof of an unknown certificate", "600.01", "not_checked"),
    without("no such payment", "404.00", UNKNOWN, None),
    without("several transfers", "300.00", SEVERAL, None),
    without("settled", "404.02", NO_PROOF, Some("settled")),
    without("returned", "404.03", RETURNED, Some("returned")),
    without("in process", "404.04", UNDER_WAY, Some("in_process")),
    without("canceled", "404.05", CANCELED, Some("canceled")),
    without("rejected", "404.06", REJECTED, Some("rejected")),
    without(
        "being returned",
        "404.07",
        UNDER_WAY,
        Some("return_in_process"),
    ),
    without("not settled", "404.08", REJECTED, Some("not_settled")),
    without("not found in a table", "404.09", UNKNOWN, Some("not_found")),
    without("sent back", "404.10", RETURNED, Some("sent_back")),
    refused(
        "an unknown issuer",
        "inference_failed",
        ("clave_rastreo", "X1"),
    ),
    refused(
        "one bank",
        "same_institution",
        ("cuenta", "012180000118359719"),
    ),
    // The last one: the account of a transfer whose check digit is wrong has hints of its own.
    Outcome {
        change: Some(("cuenta", "002010077777777772")),
        ..without("a wrong check digit", "404.01", UNKNOWN, None)
    },
];

/// Failures of the bank, each of which has a gateway of its own: the portal is left alone after one.
const FAILURES: [Outcome; 4] = [
    failed("too many queries", "429.00", "bank_throttled"),
    failed("the portal fails", "500.00", "bank_unavailable"),
    failed("an unknown page", "502.00", "bank_protocol_error"),
    failed("never answers", "504.00", "bank_timeout"),
];

impl Outcome {
    fn question(&self, number: u32) -> Value {
        let mut question = request(number, self.amount);
        for side in ["emisor", "receptor"] {
            question.as_object_mut().unwrap().remove(side);
        }
        if let Some((member, value)) = self.change {
            question[member] = json!(value);
        }
        if self.is_by_reference() {
            question.as_object_mut().unwrap().remove("clave_rastreo");
            question["numero_referencia"] = json!("4600001");
            question["emisor"] = json!("40012");
        }
        question
    }

    /// Returns `true` if its transfers are asked for by a reference number, which no direct answer takes.
    fn is_by_reference(&self) -> bool {
        self.state == Some(SEVERAL.0)
    }

    /// Facts of the direct answer, with what the table says of the lookup.
    fn first(&self, direct: &Value) -> Told {
        let mut told = if self.is_by_reference() {
            of_lookup(direct)
        } else {
            of_direct(direct)
        };
        let expected = [
            ("reason", self.reason),
            ("payment.state", self.payment),
            ("seal", self.seal),
        ];
        for (fact, value) in expected {
            let said = told.get(fact).map(String::as_str);
            assert_eq!(said, value, "{}: {fact} of {direct:#}", self.name);
        }
        if let Some(state) = self.state {
            told.insert("state", state.to_owned());
        }
        told
    }
}

/// A gateway, a person, its key, a webhook and, if there is one, a browser.
struct Scene {
    gateway: Gateway,
    person: Person,
    key: Key,
    receiver: Receiver,
    browser: Option<Browser>,
}

impl Scene {
    async fn start(plan: Plan) -> Self {
        let gateway = plan.with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on").start();
        let person = Person::signed_in(&gateway, Demo::Member).await;
        let key = person.create_key("caja 4", "test").await;
        let receiver = Receiver::start().await;
        let ends = [
            "lookup.delivered",
            "lookup.ambiguous",
            "lookup.not_found",
            "lookup.failed",
            "lookup.expired",
        ];
        person.add_webhook(&receiver.url(), &ends).await;
        let browser = Browser::start(Look::DESKTOP).await;
        if let Some(browser) = &browser {
            crate::dashboard::sign_in(browser, &gateway, Demo::Member).await;
        }
        Self {
            gateway,
            person,
            key,
            receiver,
            browser,
        }
    }

    async fn read(&self, path: &str) -> Value {
        json_of(self.gateway.read(path, &self.key).await, 200).await
    }

    async fn text(&self, path: &str) -> Vec<u8> {
        let answer = self.gateway.read(path, &self.key).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.bytes().await.unwrap().to_vec()
    }

    /// The direct answer to a question.
    async fn direct(&self, question: &Value) -> Value {
        let answer = self.gateway.post("json_auto", &self.key, question).await;
        serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap()
    }

    /// A stored lookup of a question, or the refusal to make one.
    async fn stored(&self, question: &Value) -> Value {
        let mut body = question.clone();
        body["retry_for"] = json!(0);
        let asking = self.gateway.asking("lookups", &self.key);
        let asking = asking.header("prefer", "wait=20").body(body.to_string());
        let answer = asking.send().await.unwrap().bytes().await.unwrap();
        serde_json::from_slice(&answer).unwrap()
    }

    /// A batch of these questions, once it has ended; returns its path.
    async fn batch(&self, questions: &[Value]) -> String {
        let more = ["emisor", "numero_referencia"];
        let mut table = "fecha,clave_rastreo,cuenta,monto,emisor,numero_referencia\n".to_owned();
        table.extend(
            questions
                .iter()
                .map(|question| cells(question, &more, "\n")),
        );
        let posted = post(&self.gateway, &self.key, "?retry_for=0", table).await;
        let batch = json_of(posted, 202).await;
        let path = format!("/v1/cep/batches/{}", batch["id"].as_str().unwrap());
        let has_ended = async || self.read(&path).await["state"] == "finished";
        eventually("the batch has ended", PATIENCE, has_ended).await;
        path
    }

    /// Asserts that a batch counts no file with an invalid seal, or with one that nobody could check, as a success.
    async fn counts_seals_apart(&self, batch: &str, outcomes: &[Outcome]) {
        let id = batch.rsplit('/').next().unwrap();
        let query = "query($id: ID!) {
            batch(id: $id) { counts { delivered deliveredSealInvalid deliveredSealNotChecked } } }";
        let by_graphql = self.person.ask(query, json!({ "id": id })).await;
        let by_graphql = &by_graphql["batch"]["counts"];
        let by_rest = self.read(batch).await;
        let by_rest = &by_rest["counts"];
        let with = |seal| outcomes.iter().filter(|it| it.seal == Some(seal)).count();
        let expected = [with("valid"), with("invalid"), with("not_checked")];
        let names = ["", "_seal_invalid", "_seal_not_checked"];
        let found = names.map(|name| by_rest[format!("delivered{name}")].clone());
        assert_eq!(found, expected);
        let names = ["", "SealInvalid", "SealNotChecked"];
        let found = names.map(|name| by_graphql[format!("delivered{name}")].clone());
        assert_eq!(found, expected);
    }
}

/// Asserts every cell of a table of outcomes.
async fn assert_told(plan: Plan, outcomes: &[Outcome]) {
    let scene = Scene::start(plan).await;
    let mut numbers = 1..;
    let mut questions = || -> Vec<Value> {
        let numbered = outcomes.iter().zip(&mut numbers);
        let questions = numbered.map(|(outcome, number)| outcome.question(number));
        questions.collect()
    };
    let mut first = Vec::new();
    for (outcome, question) in outcomes.iter().zip(questions()) {
        let direct = if outcome.is_by_reference() {
            scene.stored(&question).await
        } else {
            scene.direct(&question).await
        };
        first.push(outcome.first(&direct));
    }
    let mut stored = Vec::new();
    for question in questions() {
        stored.push(scene.stored(&question).await);
    }
    let batch = scene.batch(&questions()).await;
    scene.counts_seals_apart(&batch, outcomes).await;
    let seen = paths::Seen::read(&scene, &stored, &batch).await;
    let mut lacking = Vec::new();
    for (place, (outcome, first)) in outcomes.iter().zip(&first).enumerate() {
        let first = with_advice(first, &stored[place]);
        for path in Path::ALL {
            let Some(told) = seen.told(&scene, path, place).await else {
                continue;
            };
            let missing = path.lacks(&first, &told);
            if !missing.is_empty() {
                let name = outcome.name;
                lacking.push(format!("{name} × {path:?}: {missing:?} of {told:?}"));
            }
        }
    }
    assert!(lacking.is_empty(), "\n{}", lacking.join("\n"));
}

/// The facts with what to do, which is told of lookups alone; of one that is delivered with a good seal
/// there is nothing to do.
fn with_advice(first: &Told, stored: &Value) -> Told {
    let mut first = first.clone();
    if first.contains_key("state") {
        let advice = stored["what_to_do"].as_str().map(str::to_owned);
        let is_good = first.get("seal").is_some_and(|seal| seal == "valid");
        assert_eq!(advice.is_none(), is_good, "{stored:#}");
        first.extend(advice.map(|advice| ("what_to_do", advice)));
    }
    first
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_tells_of_an_outcome_what_the_direct_answer_tells() {
    assert_told(Plan::new(), &OUTCOMES).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_tells_of_a_failure_of_the_bank_what_the_direct_answer_tells() {
    for failure in FAILURES {
        let plan = Plan::new().with("CEP_BANK_TIMEOUT", "1.5");
        assert_told(plan, &[failure]).await;
    }
}

#[test]
fn a_cell_that_says_less_is_found() {
    let facts = [
        ("state", "not_found"),
        ("reason", "payment_returned"),
        ("payment.text", "Devuelto"),
        ("hints", "a\nb"),
    ];
    let first = Told::from(facts.map(|(fact, value)| (fact, value.to_owned())));
    for path in Path::ALL {
        let missing = path.lacks(&first, &Told::new());
        assert!(missing.starts_with(&["state", "reason"]), "{path:?}");
        assert_eq!(path.lacks(&first, &first), Vec::<&str>::new(), "{path:?}");
    }
}
