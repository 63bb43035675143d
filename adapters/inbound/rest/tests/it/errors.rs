//! Every error, in both languages: body, headers, and what it is settled as.

use domain::outcome::Outcome;
use rstest::rstest;

use crate::fakes::{BLIND_KEY, CURSED_KEY, FAST_KEY, FORGOTTEN_KEY, GOOD_KEY, SPENT_KEY};
use crate::harness::{Harness, body, transcript};

/// Snapshots the Spanish and the English answer; returns what was settled for the two.
async fn in_both_languages(name: &str, key: &str, path: &str, body: &str) -> Vec<Outcome> {
    let harness = Harness::start().await;
    let mut transcripts = Vec::new();
    for language in ["es-MX,es;q=0.9", "en-GB,en;q=0.9,es;q=0.1"] {
        let request = harness
            .request("POST", path)
            .header("x-api-key", key)
            .header("x-request-id", "test-1")
            .header("content-type", "application/json")
            .header("accept-language", language)
            .body(body.to_owned());
        transcripts.push(transcript(request.send().await.unwrap()).await);
    }
    insta::assert_snapshot!(name, transcripts.join("\n\n"));
    harness.outcomes()
}

#[rstest]
#[case("not_in_spei", "404.00", Outcome::NotFound)]
#[case("proof_not_issued_yet", "404.02", Outcome::NotIssued)]
#[case("proof_never_issued", "404.03", Outcome::NotIssued)]
#[case("bank_throttled", "429.00", Outcome::BankThrottled)]
#[case("panic_in_the_use_case", "500.00", Outcome::InternalError)]
#[case("a_file_that_was_not_wanted", "500.01", Outcome::InternalError)]
#[case("bank_protocol", "502.00", Outcome::BankProtocolError)]
#[case("bank_unavailable", "503.00", Outcome::BankUnavailable)]
#[case("bank_timeout", "504.00", Outcome::BankTimeout)]
#[tokio::test]
async fn each_outcome_of_a_lookup_has_its_answer(
    #[case] name: &str,
    #[case] amount: &str,
    #[case] outcome: Outcome,
) {
    let body = body(&[("monto", amount)]);
    let settled = in_both_languages(name, GOOD_KEY, "/v1/cep/xml", &body).await;
    assert_eq!(settled, [outcome; 2]);
}

#[rstest]
#[tokio::test]
async fn each_outcome_is_the_same_on_every_endpoint(
    #[values(
        "xml_auto",
        "xml",
        "pdf",
        "pdf_auto",
        "zip_auto",
        "base64",
        "xml_base64"
    )]
    endpoint: &str,
) {
    let harness = Harness::start().await;
    let cases = [
        ("404.00", 404, Outcome::NotFound),
        ("404.02", 404, Outcome::NotIssued),
        ("429.00", 503, Outcome::BankThrottled),
        ("500.00", 500, Outcome::InternalError),
        ("500.01", 500, Outcome::InternalError),
        ("502.00", 502, Outcome::BankProtocolError),
        ("503.00", 503, Outcome::BankUnavailable),
        ("504.00", 504, Outcome::BankTimeout),
    ];
    for (amount, status, _) in cases {
        let path = format!("/v1/cep/{endpoint}");
        let request = harness.post(&path, body(&[("monto", amount)]));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), status, "{amount}");
        assert!(response.headers().contains_key("ratelimit"), "{amount}");
    }
    assert_eq!(harness.outcomes(), cases.map(|(_, _, outcome)| outcome));
}

#[rstest]
#[case("rate_limited", FAST_KEY)]
#[case("quota_exceeded", SPENT_KEY)]
#[case("service_unavailable", BLIND_KEY)]
#[case("invalid_api_key", "cep_test_AbCd1234.wrong")]
#[case("panic_in_the_gatekeeper", CURSED_KEY)]
#[tokio::test]
async fn what_is_not_admitted_is_not_settled(#[case] name: &str, #[case] key: &str) {
    let settled = in_both_languages(name, key, "/v1/cep/xml", &body(&[])).await;
    assert_eq!(settled, []);
}

#[tokio::test]
async fn a_proof_whose_count_is_not_durable_is_not_delivered() {
    let settled = in_both_languages("not_durable", FORGOTTEN_KEY, "/v1/cep/xml", &body(&[])).await;
    assert_eq!(settled, [Outcome::Delivered; 2]);
}

#[rstest]
#[case(
    "inference_of_the_issuer_failed",
    "xml_auto",
    "\"X Y\"",
    "\"002010077777777771\""
)]
#[case(
    "inference_of_the_receiver_failed",
    "pdf_auto",
    "\"MBAN01002611200001234567\"",
    "\"999010077777777771\""
)]
#[case(
    "inference_of_both_failed",
    "zip_auto",
    "\"X Y\"",
    "\"0000000000000000\""
)]
#[tokio::test]
async fn a_failed_inference_names_the_way_out(
    #[case] name: &str,
    #[case] endpoint: &str,
    #[case] tracking_key: &str,
    #[case] account: &str,
) {
    let body = body(&[
        ("clave_rastreo", tracking_key),
        ("cuenta", account),
        ("emisor", ""),
        ("receptor", ""),
    ]);
    let settled = in_both_languages(name, GOOD_KEY, &format!("/v1/cep/{endpoint}"), &body).await;
    assert_eq!(settled, [Outcome::InferenceFailed; 2]);
}

#[tokio::test]
async fn one_institution_on_both_sides_is_refused() {
    let body = body(&[("emisor", "\"40002\"")]);
    let settled = in_both_languages("same_institution", GOOD_KEY, "/v1/cep/xml", &body).await;
    assert_eq!(settled, [Outcome::InvalidRequest; 2]);
}

#[rstest]
#[case("all_fields_missing", "{}")]
#[case(
    "all_fields_of_a_wrong_type",
    r#"{"fecha":1,"clave_rastreo":true,"cuenta":[],"monto":{},"emisor":false,"receptor":2}"#
)]
#[case("all_fields_malformed", r#"{"fecha":"3/2/25","clave_rastreo":"аbc","cuenta":"12","monto":"1,0","emisor":"1","receptor":"99999"}"#)]
#[case("all_fields_out_of_range", r#"{"fecha":"2026-11-21","clave_rastreo":"1234567890123456789012345678901","cuenta":"x","monto":0.001,"emisor":"40012","receptor":"40002"}"#)]
#[case("empty_body", "")]
#[case("malformed_json", "{\"fecha\":")]
#[case("not_an_object", "[1]")]
#[case("duplicate_field", r#"{"monto":1,"m\u006fnto":2}"#)]
#[case("duplicate_unknown_key", r#"{"x":1,"x":2}"#)]
#[case("too_deep", r#"{"x":[[[[[[[[1]]]]]]]]}"#)]
#[tokio::test]
async fn a_faulty_body_is_told_all_that_is_wrong_with_it(#[case] name: &str, #[case] body: &str) {
    let settled = in_both_languages(name, GOOD_KEY, "/v1/cep/xml", body).await;
    assert_eq!(settled, [Outcome::InvalidRequest; 2]);
}
