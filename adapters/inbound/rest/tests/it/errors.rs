//! Every error, in both languages: body, headers, and the outcome that is settled.

use domain::outcome::{Endpoint, Outcome};
use domain::query::Institutions;
use ports::outbound::JournalError;
use rest::Ending;
use testkit::fakes::Fault;

use crate::data::{FAST_KEY, SPENT_KEY};
use crate::harness::{Answers, Exchange, Harness, body, in_both_languages, inferred};

const XML: &str = "/v1/cep/xml";
const UNNAMED: [(&str, &str); 2] = [("emisor", ""), ("receptor", "")];

/// Snapshots the Spanish and the English answer of a gateway to a good request.
async fn assert_answers(harness: &Harness, name: &str) {
    insta::assert_snapshot!(
        name,
        in_both_languages(|| harness.post(XML, body(&[]))).await
    );
}

/// Adds the answers of a new gateway, which settles the two requests with this outcome.
async fn add_settled(answers: &mut Answers, path: &str, body: &str, outcome: Outcome) {
    let harness = Harness::start().await;
    let request = || harness.post(path, body.to_owned());
    answers.add(&format!("{path} {body}"), request).await;
    assert_eq!(harness.outcomes().await, [outcome; 2], "{path} {body}");
}

#[tokio::test]
async fn each_outcome_of_a_lookup_has_its_answer() {
    let mut answers = Answers::default();
    for (amount, outcome) in [
        ("404.00", Outcome::NotFound),
        ("404.02", Outcome::NotIssued),
        ("404.03", Outcome::PaymentReturned),
        ("404.04", Outcome::PaymentInProcess),
        ("404.05", Outcome::PaymentCanceled),
        ("404.06", Outcome::PaymentRejected),
        ("404.07", Outcome::PaymentInProcess),
        ("404.08", Outcome::PaymentRejected),
        ("404.09", Outcome::NotFound),
        ("404.10", Outcome::PaymentReturned),
        ("429.00", Outcome::BankThrottled),
        ("500.00", Outcome::InternalError),
        ("502.00", Outcome::BankProtocolError),
        ("503.00", Outcome::BankUnavailable),
        ("504.00", Outcome::BankTimeout),
    ] {
        let body = body(&[("monto", amount)]);
        add_settled(&mut answers, XML, &body, outcome).await;
    }
    insta::assert_snapshot!("outcomes", answers.0);
}

#[tokio::test]
async fn each_outcome_is_the_same_on_every_endpoint() {
    let cases = [
        ("404.00", 404, Outcome::NotFound),
        ("404.02", 404, Outcome::NotIssued),
        ("429.00", 503, Outcome::BankThrottled),
        ("500.00", 500, Outcome::InternalError),
        ("502.00", 502, Outcome::BankProtocolError),
        ("503.00", 503, Outcome::BankUnavailable),
        ("504.00", 504, Outcome::BankTimeout),
    ];
    for endpoint in Endpoint::immediate() {
        let harness = Harness::start().await;
        let path = format!("/v1/cep/{}", endpoint.name());
        for (amount, status, _) in cases {
            let request = harness.post(&path, body(&[("monto", amount)]));
            let response = request.response().await;
            assert_eq!(response.status(), status, "{amount}");
            assert!(response.headers().contains_key("ratelimit"), "{amount}");
        }
        let outcomes = cases.map(|(.., outcome)| outcome);
        assert_eq!(harness.outcomes().await, outcomes, "{path}");
    }
}

#[tokio::test]
async fn a_refused_request_is_not_settled() {
    let harness = Harness::start().await;
    let mut answers = Answers::default();
    for key in [FAST_KEY, SPENT_KEY, "cep_test_AbCd1234.wrong"] {
        let request = || harness.post_by(key, XML, body(&[]));
        answers.add(key, request).await;
    }
    insta::assert_snapshot!("refused", answers.0);
    assert_eq!(harness.outcomes().await, []);
}

#[tokio::test]
async fn while_keys_cannot_be_read_nothing_is_admitted() {
    for (name, fault) in [
        ("service_unavailable", Fault::Fails),
        ("panic_in_the_gatekeeper", Fault::Panics),
    ] {
        let harness = Harness::start().await;
        harness.store_faults().inject(fault);
        assert_answers(&harness, name).await;
        assert_eq!(harness.outcomes().await, [], "{name}");
    }
}

#[tokio::test]
async fn a_key_that_cannot_be_looked_up_is_not_called_invalid() {
    let harness = Harness::start().await;
    for number in 0..50 {
        let guess = format!("cep_test_Guess{number:03}.0123456789abcdefghijABCD");
        assert_eq!(harness.keyed(&guess, "POST", XML).status().await, 401);
    }
    assert_answers(&harness, "key_unchecked").await;
    let ended = harness.metrics_sink.ended.lock().unwrap();
    let ended = ended.iter().map(|(_, ending)| *ending);
    let unchecked = ended.filter(|ending| *ending == Ending::KeyUnchecked);
    assert_eq!(unchecked.count(), 2, "in both languages");
}

#[tokio::test]
async fn a_proof_whose_count_is_not_durable_is_not_delivered() {
    let harness = Harness::start().await;
    harness.journal().fail_with(Some(JournalError::Closed));
    assert_answers(&harness, "not_durable").await;
    assert_eq!(harness.bank().times_asked(), 1);
    assert_eq!(harness.outcomes().await, [Outcome::InternalError; 2]);
}

/// The institution of the issuer's code had another one on that day.
#[tokio::test]
async fn a_payment_that_is_not_found_gets_hints() {
    let mut answers = Answers::default();
    for a_banking_day_or_not in ["\"2026-08-04\"", "\"2026-08-01\""] {
        let body = body(&[
            ("fecha", a_banking_day_or_not),
            ("clave_rastreo", "\"XX20260803000YY\""),
            ("cuenta", "\"014027000005555551\""),
            ("monto", "20000"),
            ("emisor", "\"40638\""),
            ("receptor", "\"40072\""),
        ]);
        add_settled(&mut answers, XML, &body, Outcome::NotFound).await;
    }
    insta::assert_snapshot!("hints", answers.0);
}

#[tokio::test]
async fn a_failed_inference_names_the_way_out() {
    let key = "\"MBAN01002611200001234567\"";
    let card = "\"0000000000000000\"";
    let mut answers = Answers::default();
    for (endpoint, tracking_key, account) in [
        ("xml_auto", "\"X Y\"", "\"002010077777777771\""),
        ("pdf_auto", key, "\"999010077777777771\""),
        ("zip_auto", key, card),
        ("xml_auto", key, "\"5512345678\""),
        ("zip_auto", "\"X Y\"", card),
    ] {
        let given = [("clave_rastreo", tracking_key), ("cuenta", account)];
        let body = body(&[given, UNNAMED].concat());
        let path = format!("/v1/cep/{endpoint}");
        add_settled(&mut answers, &path, &body, Outcome::InferenceFailed).await;
    }
    insta::assert_snapshot!("inference_failed", answers.0);
}

#[tokio::test]
async fn one_institution_on_both_sides_is_refused_under_two_codes_too() {
    let mut answers = Answers::default();
    for (issuer, receiver) in [("\"40002\"", "\"40002\""), ("\"90638\"", "\"40638\"")] {
        let body = body(&[("emisor", issuer), ("receptor", receiver)]);
        add_settled(&mut answers, XML, &body, Outcome::InvalidRequest).await;
    }
    insta::assert_snapshot!("same_institution", answers.0);
}

/// A key of Mercado Pago's shape, which is of medium confidence, and a CLABE of Banamex.
#[tokio::test]
async fn a_payment_that_is_not_found_says_what_was_inferred() {
    let given = [
        ("clave_rastreo", "\"CPO000012345678\""),
        ("monto", "404.00"),
    ];
    let body = body(&[given, UNNAMED].concat());
    let mut answers = Answers::default();
    add_settled(&mut answers, "/v1/cep/xml_auto", &body, Outcome::NotFound).await;
    insta::assert_snapshot!("not_found_with_inferred_banks", answers.0);
}

#[tokio::test]
async fn inferred_banks_stand_on_every_answer_of_an_auto_endpoint() {
    let amounts = [
        "1234.56", "404.00", "404.02", "404.03", "429.00", "502.00", "503.00", "504.00",
    ];
    for endpoint in Endpoint::immediate() {
        let harness = Harness::start().await;
        let path = format!("/v1/cep/{}", endpoint.name());
        let (unnamed, expected) = match endpoint.institutions() {
            Institutions::Inferable => (&UNNAMED[..], ["40012", "40002"]),
            Institutions::Required => (&[][..], [""; 2]),
        };
        for amount in amounts {
            let body = body(&[unnamed, &[("monto", amount)]].concat());
            let answer = harness.post(&path, body).response().await;
            assert_eq!(inferred(&answer), expected, "{path} {amount}");
        }
        harness.journal().fail_with(Some(JournalError::Closed));
        let answer = harness.post(&path, body(unnamed)).response().await;
        assert_eq!(answer.status(), 503);
        assert_eq!(inferred(&answer), expected, "{path}, not durable");
    }
}

#[tokio::test]
async fn a_side_that_was_inferred_stands_on_a_refusal_of_the_other() {
    let harness = Harness::start().await;
    for (changes, inferred_banks) in [
        (
            [("clave_rastreo", "\"X Y\""), ("emisor", "")],
            ["", "40002"],
        ),
        (
            [("cuenta", "\"5512345678\""), ("emisor", "")],
            ["40012", ""],
        ),
        // The receiver of the CLABE is the issuer that was named.
        ([("emisor", "\"40002\""), ("monto", "1")], ["", "40002"]),
    ] {
        let body = body(&[&changes[..], &[("receptor", "")]].concat());
        let answer = harness.post("/v1/cep/xml_auto", body).response().await;
        assert_eq!(answer.status(), 400);
        assert_eq!(inferred(&answer), inferred_banks);
    }
}

#[tokio::test]
async fn all_faults_of_a_body_are_reported() {
    let mut answers = Answers::default();
    for body in [
        "{}",
        r#"{"fecha":1,"clave_rastreo":true,"cuenta":[],"monto":{},"emisor":false,"receptor":2}"#,
        r#"{"fecha":"3/2/25","clave_rastreo":"аbc","cuenta":"12","monto":"1,0","emisor":"1","receptor":"99999"}"#,
        r#"{"fecha":"2026-11-21","clave_rastreo":"1234567890123456789012345678901","cuenta":"x","monto":0.001,"emisor":"40012","receptor":"40002"}"#,
        r#"{"fecha":"2003-12-31","clave_rastreo":"X","cuenta":"5512345678","monto":1,"emisor":"40012","receptor":"40002"}"#,
        "",
        "{\"fecha\":",
        "[1]",
        r#"{"monto":1,"m\u006fnto":2}"#,
        r#"{"x":1,"x":2}"#,
        r#"{"x":[[[[[[[[1]]]]]]]]}"#,
        "\u{feff}{}",
    ] {
        add_settled(&mut answers, XML, body, Outcome::InvalidRequest).await;
    }
    insta::assert_snapshot!("faulty_bodies", answers.0);
}
