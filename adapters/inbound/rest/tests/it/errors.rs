//! Every error, in both languages: body, headers, and the outcome that is settled.

use std::sync::Arc;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::file::FileStem;
use domain::hints::Hint;
use domain::notice::ProofOrigin;
use domain::outcome::{Endpoint, Outcome};
use domain::participant::ParticipantCode;
use domain::proof::Proof;
use domain::query::Institutions;
use domain::seal::{CheckedSeal, Verdict};
use domain::tracking_key::TrackingKey;
use ports::inbound::{Delivery, FetchError, Files};
use ports::outbound::JournalError;
use rest::Ending;
use rstest::rstest;
use testkit::fakes::{Fault, unsealed_proof};

use crate::data::{FAST_KEY, GOOD_KEY, SPENT_KEY};
use crate::harness::{Exchange, Harness, body, in_both_languages, inferred};
use crate::stub::StubbedRequests;

/// Snapshots the Spanish and the English answer of a gateway.
async fn assert_answers(harness: &Harness, name: &str, key: &str, path: &str, body: &str) {
    let request = || {
        let request = harness.post_by(key, path, body.to_owned());
        request.header("x-request-id", "test-1")
    };
    insta::assert_snapshot!(name, in_both_languages(request).await);
}

/// Snapshots the answers of a new gateway; returns what was settled for the two.
async fn settled(name: &str, key: &str, path: &str, body: &str) -> Vec<Outcome> {
    let harness = Harness::start().await;
    assert_answers(&harness, name, key, path, body).await;
    harness.outcomes().await
}

#[rstest]
#[case("not_in_spei", "404.00", Outcome::NotFound)]
#[case("proof_not_issued_yet", "404.02", Outcome::NotIssued)]
#[case("payment_returned", "404.03", Outcome::PaymentReturned)]
#[case("payment_in_process", "404.04", Outcome::PaymentInProcess)]
#[case("payment_canceled", "404.05", Outcome::PaymentCanceled)]
#[case("payment_rejected", "404.06", Outcome::PaymentRejected)]
#[case("return_in_process", "404.07", Outcome::PaymentInProcess)]
#[case("payment_not_settled", "404.08", Outcome::PaymentRejected)]
#[case("not_found_in_a_table", "404.09", Outcome::NotFound)]
#[case("payment_sent_back", "404.10", Outcome::PaymentReturned)]
#[case("bank_throttled", "429.00", Outcome::BankThrottled)]
#[case("panic_in_the_use_case", "500.00", Outcome::InternalError)]
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
    let settled = settled(name, GOOD_KEY, "/v1/cep/xml", &body).await;
    assert_eq!(settled, [outcome; 2]);
}

#[tokio::test]
async fn each_outcome_is_the_same_on_every_endpoint() {
    for endpoint in Endpoint::immediate() {
        let harness = Harness::start().await;
        let cases = [
            ("404.00", 404, Outcome::NotFound),
            ("404.02", 404, Outcome::NotIssued),
            ("429.00", 503, Outcome::BankThrottled),
            ("500.00", 500, Outcome::InternalError),
            ("502.00", 502, Outcome::BankProtocolError),
            ("503.00", 503, Outcome::BankUnavailable),
            ("504.00", 504, Outcome::BankTimeout),
        ];
        for (amount, status, _) in cases {
            let path = format!("/v1/cep/{}", endpoint.name());
            let request = harness.post(&path, body(&[("monto", amount)]));
            let response = request.response().await;
            assert_eq!(response.status(), status, "{amount}");
            assert!(response.headers().contains_key("ratelimit"), "{amount}");
        }
        assert_eq!(
            harness.outcomes().await,
            cases.map(|(_, _, outcome)| outcome)
        );
    }
}

#[rstest]
#[case("rate_limited", FAST_KEY)]
#[case("quota_exceeded", SPENT_KEY)]
#[case("invalid_api_key", "cep_test_AbCd1234.wrong")]
#[tokio::test]
async fn a_refused_request_is_not_settled(#[case] name: &str, #[case] key: &str) {
    let settled = settled(name, key, "/v1/cep/xml", &body(&[])).await;
    assert_eq!(settled, []);
}

#[rstest]
#[case("service_unavailable", Fault::Fails)]
#[case("panic_in_the_gatekeeper", Fault::Panics)]
#[tokio::test]
async fn while_keys_cannot_be_read_nothing_is_admitted(#[case] name: &str, #[case] fault: Fault) {
    let harness = Harness::start().await;
    harness.store_faults().inject(fault);
    assert_answers(&harness, name, GOOD_KEY, "/v1/cep/xml", &body(&[])).await;
    assert_eq!(harness.outcomes().await, []);
}

#[tokio::test]
async fn a_key_that_cannot_be_looked_up_is_not_called_invalid() {
    let harness = Harness::start().await;
    for number in 0..50 {
        let guess = format!("cep_test_Guess{number:03}.0123456789abcdefghijABCD");
        let request = harness.request("POST", "/v1/cep/xml");
        let answer = request.header("x-api-key", guess).response().await;
        assert_eq!(answer.status(), 401);
    }
    let name = "key_unchecked";
    assert_answers(&harness, name, GOOD_KEY, "/v1/cep/xml", &body(&[])).await;
    let ended = harness.metrics_sink.ended.lock().unwrap();
    let unchecked = ended
        .iter()
        .filter(|(_, ending)| *ending == Ending::KeyUnchecked);
    assert_eq!(unchecked.count(), 2, "in both languages");
}

#[tokio::test]
async fn a_proof_whose_count_is_not_durable_is_not_delivered() {
    let harness = Harness::start().await;
    harness.journal().fail_with(Some(JournalError::Closed));
    assert_answers(&harness, "not_durable", GOOD_KEY, "/v1/cep/xml", &body(&[])).await;
    assert_eq!(harness.bank().times_asked(), 1);
    assert_eq!(harness.outcomes().await, [Outcome::InternalError; 2]);
}

/// Defence in depth: the application delivers the files that are wanted. The tests of `files` have all others.
#[tokio::test]
async fn a_file_that_was_not_wanted_is_not_delivered() {
    let transfer = ports::contract::bank::transfer(1_000, "MBAN01");
    let proof = Proof::parse(&unsealed_proof(&transfer).xml.unwrap()).unwrap();
    let harness = Harness::stubbed(StubbedRequests(Ok(Delivery {
        files: Files::Pdf(Bytes::from_static(b"%PDF-1.7 another file")),
        stem: FileStem::new(transfer.date(), transfer.tracking_key()),
        proof: Arc::new(proof),
        issuer: transfer.issuer(),
        origin: ProofOrigin::Fetched,
        seal: CheckedSeal {
            verdict: Verdict::Invalid,
            signer: None,
            digest: None,
            by_sandbox: false,
        },
        seen: None,
    })));
    let name = "a_file_that_was_not_wanted";
    assert_answers(&harness.await, name, GOOD_KEY, "/v1/cep/xml", &body(&[])).await;
}

#[rstest]
#[case("hints_on_a_banking_day", "2026-08-04")]
#[case("hints_on_a_weekend", "2026-08-01")]
#[tokio::test]
async fn a_payment_that_is_not_found_gets_hints(#[case] name: &str, #[case] date: &str) {
    let body = body(&[
        ("fecha", &format!("\"{date}\"")),
        ("clave_rastreo", "\"XX20260803000YY\""),
        ("cuenta", "\"014027000005555551\""),
        ("monto", "20000"),
        ("emisor", "\"40638\""),
        ("receptor", "\"40072\""),
    ]);
    let settled = settled(name, GOOD_KEY, "/v1/cep/xml", &body).await;
    assert_eq!(settled, [Outcome::NotFound; 2]);
}

/// All hints, also of a code without a successor, which the present catalogue doesn't have.
#[tokio::test]
async fn every_hint_has_its_text() {
    let date = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    let code = |text| ParticipantCode::parse(text).unwrap();
    let hints = vec![
        Hint::LooksLikeReference,
        Hint::LikelyTrackingKey {
            expected: TrackingKey::parse("HSBC123456").unwrap(),
        },
        Hint::ParticipantUnknown {
            given: code("90846"),
            list_date: date(1),
        },
        Hint::CheckDigit {
            given: 2,
            expected: 1,
        },
        Hint::ReceiverDiffers {
            given: code("40012"),
            expected: code("40002"),
        },
        Hint::AccountPrefixUnknown {
            prefix: 6,
            list_date: date(2),
        },
        Hint::IssuerDiffers {
            given: code("40012"),
            expected: code("40021"),
        },
        Hint::IssuerWasInferred {
            inferred: code("90722"),
        },
        Hint::CodeNotValidOnDate {
            given: code("40638"),
            expected: Some(code("90638")),
        },
        Hint::CodeNotValidOnDate {
            given: code("40638"),
            expected: None,
        },
        Hint::DayAndMonthSwapped { other: date(5) },
        Hint::AmountLooksLikeCentavos,
        Hint::DateInTrackingKey { found: date(19) },
        Hint::NotABankingDay {
            operation_date: date(23),
        },
        Hint::MaybeOperationDate { other: date(18) },
    ];
    let harness = Harness::stubbed(StubbedRequests(Err(FetchError::NotFound {
        payment: None,
        hints,
    })));
    let harness = harness.await;
    assert_answers(&harness, "every_hint", GOOD_KEY, "/v1/cep/xml", &body(&[])).await;
}

const KEY: &str = "\"MBAN01002611200001234567\"";
const CLABE: &str = "\"002010077777777771\"";
const CARD: &str = "\"0000000000000000\"";

#[rstest]
#[case("inference_of_the_issuer_failed", "xml_auto", "\"X Y\"", CLABE)]
#[case(
    "inference_of_the_receiver_failed",
    "pdf_auto",
    KEY,
    "\"999010077777777771\""
)]
#[case("inference_from_a_card_failed", "zip_auto", KEY, CARD)]
#[case(
    "inference_from_a_phone_number_failed",
    "xml_auto",
    KEY,
    "\"5512345678\""
)]
#[case("inference_of_both_failed", "zip_auto", "\"X Y\"", CARD)]
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
    let settled = settled(name, GOOD_KEY, &format!("/v1/cep/{endpoint}"), &body).await;
    assert_eq!(settled, [Outcome::InferenceFailed; 2]);
}

#[rstest]
#[case("same_institution", "40002", "40002")]
#[case("same_institution_under_two_codes", "90638", "40638")]
#[tokio::test]
async fn one_institution_on_both_sides_is_refused(
    #[case] name: &str,
    #[case] issuer: &str,
    #[case] receiver: &str,
) {
    let body = body(&[
        ("emisor", &format!("\"{issuer}\"")),
        ("receptor", &format!("\"{receiver}\"")),
    ]);
    let settled = settled(name, GOOD_KEY, "/v1/cep/xml", &body).await;
    assert_eq!(settled, [Outcome::InvalidRequest; 2]);
}

/// A key of Mercado Pago's shape, which is of medium confidence, and a CLABE of Banamex.
#[tokio::test]
async fn a_payment_that_is_not_found_says_what_was_inferred() {
    let body = body(&[
        ("clave_rastreo", "\"CPO000012345678\""),
        ("monto", "404.00"),
        ("emisor", ""),
        ("receptor", ""),
    ]);
    let name = "not_found_with_inferred_banks";
    let settled = settled(name, GOOD_KEY, "/v1/cep/xml_auto", &body).await;
    assert_eq!(settled, [Outcome::NotFound; 2]);
}

#[tokio::test]
async fn inferred_banks_stand_on_every_answer_of_an_auto_endpoint() {
    let amounts = [
        "1234.56", "404.00", "404.02", "404.03", "429.00", "502.00", "503.00", "504.00",
    ];
    for endpoint in Endpoint::immediate() {
        let harness = Harness::start().await;
        let infers = endpoint.institutions() == Institutions::Inferable;
        let path = format!("/v1/cep/{}", endpoint.name());
        let unnamed: &[_] = if infers {
            &[("emisor", ""), ("receptor", "")]
        } else {
            &[]
        };
        for amount in amounts {
            let body = body(&[unnamed, &[("monto", amount)]].concat());
            let answer = harness.post(&path, body).response().await;
            let expected = if infers { ["40012", "40002"] } else { [""; 2] };
            assert_eq!(inferred(&answer), expected, "{path} {amount}");
        }
        harness.journal().fail_with(Some(JournalError::Closed));
        let answer = harness.post(&path, body(unnamed)).response().await;
        assert_eq!(answer.status(), 503);
        let is_told = inferred(&answer) != [""; 2];
        assert_eq!(is_told, infers, "{path}, not durable");
    }
}

#[tokio::test]
async fn a_side_that_was_inferred_stands_on_a_refusal_of_the_other() {
    let harness = Harness::start().await;
    for (fields, inferred_banks) in [
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
        let body = body(&[&fields[..], &[("receptor", "")]].concat());
        let answer = harness.post("/v1/cep/xml_auto", body).response().await;
        assert_eq!(answer.status(), 400);
        assert_eq!(inferred(&answer), inferred_banks);
    }
}

#[rstest]
#[case("all_fields_missing", "{}")]
#[case(
    "all_fields_of_a_wrong_type",
    r#"{"fecha":1,"clave_rastreo":true,"cuenta":[],"monto":{},"emisor":false,"receptor":2}"#
)]
#[case("all_fields_malformed", r#"{"fecha":"3/2/25","clave_rastreo":"аbc","cuenta":"12","monto":"1,0","emisor":"1","receptor":"99999"}"#)]
#[case("all_fields_out_of_range", r#"{"fecha":"2026-11-21","clave_rastreo":"1234567890123456789012345678901","cuenta":"x","monto":0.001,"emisor":"40012","receptor":"40002"}"#)]
#[case("a_date_before_spei", r#"{"fecha":"2003-12-31","clave_rastreo":"X","cuenta":"5512345678","monto":1,"emisor":"40012","receptor":"40002"}"#)]
#[case("empty_body", "")]
#[case("malformed_json", "{\"fecha\":")]
#[case("not_an_object", "[1]")]
#[case("duplicate_field", r#"{"monto":1,"m\u006fnto":2}"#)]
#[case("duplicate_unknown_key", r#"{"x":1,"x":2}"#)]
#[case("too_deep", r#"{"x":[[[[[[[[1]]]]]]]]}"#)]
#[tokio::test]
async fn all_faults_of_a_body_are_reported(#[case] name: &str, #[case] body: &str) {
    let settled = settled(name, GOOD_KEY, "/v1/cep/xml", body).await;
    assert_eq!(settled, [Outcome::InvalidRequest; 2]);
}
