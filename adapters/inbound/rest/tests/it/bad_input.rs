//! Invalid input: each kind has its code and names its field; the bank isn't queried, and the
//! request is settled once.

use domain::outcome::{Endpoint, Outcome};
use serde_json::{Value, json};

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body, faults, json_of};

const XML: &str = "/v1/cep/xml";

/// The error that a new gateway answers this body with.
async fn refused(body: impl Into<reqwest::Body>) -> Value {
    let harness = Harness::start().await;
    let error = harness.post(XML, body).json_of(400).await;
    assert_eq!(harness.outcomes().await, [Outcome::InvalidRequest]);
    assert_eq!(harness.bank().times_asked(), 0);
    assert_eq!(error["error"], "INVALID_REQUEST");
    error
}

/// One value for each problem of each field: the domain's tests have the others.
#[tokio::test]
async fn a_faulty_field_is_named_with_its_problem() {
    for (field, value, problem) in [
        ("fecha", "\"2025-02-30\"", "no_such_day"),
        ("fecha", "\"2025-2-3\"", "malformed_date"),
        ("fecha", "\"2026-11-21\"", "in_future"),
        ("fecha", "20261120", "wrong_type"),
        ("fecha", "null", "missing"),
        ("clave_rastreo", "\"\"", "empty"),
        (
            "clave_rastreo",
            "\"123456789012345678901234567890X\"",
            "too_long",
        ),
        ("clave_rastreo", "\"A\\u0000B\"", "forbidden_character"),
        ("clave_rastreo", "\"A\u{202e}B\"", "forbidden_character"),
        ("clave_rastreo", "\"<script>\"", "forbidden_character"),
        ("clave_rastreo", "7", "wrong_type"),
        ("cuenta", "\"123456789012345\"", "wrong_length"),
        ("cuenta", "\"00201007777777777A\"", "not_digits"),
        ("cuenta", "2010077777777771", "wrong_type"),
        ("monto", "-0", "not_positive"),
        ("monto", "0.001", "too_many_decimals"),
        ("monto", "1E400", "exponent"),
        ("monto", "\"1,234.56\"", "not_decimal"),
        ("monto", "12345678901234567", "too_large"),
        ("monto", "true", "wrong_type"),
        ("monto", "", "missing"),
        ("emisor", "\"Xyzzy\"", "unknown_name"),
        ("emisor", "\"intercam\"", "ambiguous_name"),
        ("emisor", "\"4001\"", "malformed_code"),
        ("emisor", "40012", "wrong_type"),
        ("emisor", "", "missing"),
        ("receptor", "null", "missing"),
    ] {
        let error = refused(body(&[(field, value)])).await;
        assert_eq!(faults(&error), [(field, problem)], "{value}");
        assert!(error["message"].as_str().unwrap().contains(field));
        let given = value.trim_matches('"');
        let echoes = given.len() > 3 && error.to_string().contains(given);
        assert!(!echoes || given == "null" || given == "true", "{error}");
    }
}

#[tokio::test]
async fn a_repeated_field_is_named() {
    for field in [
        "fecha",
        "clave_rastreo",
        "cuenta",
        "monto",
        "emisor",
        "receptor",
    ] {
        let twice = body(&[]).replace('}', &format!(",\"{field}\":\"1\"}}"));
        let error = refused(twice).await;
        assert_eq!(error["details"]["reason"], "duplicate_key");
        assert_eq!(faults(&error), [(field, "duplicate")]);
    }
}

#[tokio::test]
async fn a_body_that_is_not_utf_8_is_said_to_be_so() {
    let error = refused(&b"{\"cuenta\":\"\xff\"}"[..]).await;
    assert_eq!(error["details"]["reason"], "not_utf8");
}

#[tokio::test]
async fn an_unusual_spelling_is_read_exactly() {
    for (field, value, centavos) in [
        ("monto", "9007199254740993.01", 900_719_925_474_099_301),
        ("monto", "\"0.10\"", 10),
        ("monto", "0.1", 10),
        ("cuenta", "\"002 0100-7777 7777 771\"", 123_456),
        (
            "clave_rastreo",
            "\" M\\u0042AN01002611200001234567 \"",
            123_456,
        ),
    ] {
        let harness = Harness::start().await;
        let request = harness.post(XML, body(&[(field, value)]));
        assert_eq!(request.status().await, 200, "{value}");
        let lookup = &harness.bank().asked()[0];
        assert_eq!(lookup.transfer.amount().centavos(), centavos, "{value}");
    }
}

#[tokio::test]
async fn an_institution_that_is_null_is_inferred_as_if_it_were_absent() {
    let harness = Harness::start().await;
    let unnamed = body(&[("emisor", "null"), ("receptor", "null")]);
    let request = harness.post("/v1/cep/xml_auto", unnamed);
    assert_eq!(request.status().await, 200);
    let document: Value = serde_json::from_str(&rest::openapi_json()).unwrap();
    let schemas = &document["components"]["schemas"];
    for field in ["emisor", "receptor"] {
        let type_of = |schema: &str| &schemas[schema]["properties"][field]["type"];
        assert_eq!(*type_of("ProofRequestAuto"), json!(["string", "null"]));
        assert_eq!(*type_of("ProofRequest"), "string");
    }
}

#[tokio::test]
async fn an_unlisted_code_is_refused_unless_the_list_is_older_than_the_transfer() {
    let unlisted = |date| body(&[("fecha", date), ("receptor", "\"90846\"")]);
    let error = refused(unlisted("\"2026-09-11\"")).await;
    assert_eq!(faults(&error), [("receptor", "unknown_participant")]);
    assert_eq!(error["details"]["participants_list_date"], "2026-09-11");
    let harness = Harness::start().await;
    let request = harness.post(XML, unlisted("\"2026-09-12\""));
    assert_eq!(request.status().await, 200);
    let receiver = harness.bank().asked()[0].transfer.receiver();
    assert_eq!(receiver.to_string(), "90846");
}

#[tokio::test]
async fn a_bank_is_named_as_people_name_it() {
    let harness = Harness::start().await;
    let named = body(&[
        ("emisor", "\"BBVA M\\u00e9xico, S.A.\""),
        ("receptor", "\"banamex\""),
    ]);
    assert_eq!(harness.post(XML, named).status().await, 200);
    let banks = harness.bank().asked()[0].transfer.banks();
    let codes = [banks.issuer, banks.receiver].map(|code| code.to_string());
    assert_eq!(codes, ["40012", "40002"]);
}

#[tokio::test]
async fn a_name_of_several_banks_gets_them_all() {
    let error = refused(body(&[("emisor", "\"INTERCAM\"")])).await;
    let candidates = json!([
        {"code": "40136", "name": "INTERCAM BANCO"},
        {"code": "90630", "name": "CB Intercam"},
    ]);
    assert_eq!(error["details"]["fields"][0]["candidates"], candidates);
}

#[tokio::test]
async fn a_misspelt_member_is_named_with_the_known_name_by_every_endpoint() {
    let harness = Harness::start().await;
    for endpoint in Endpoint::immediate() {
        let path = format!("/v1/cep/{}", endpoint.name());
        for (known, given) in [
            ("monto", "mont"),
            ("monto", "Monto"),
            ("clave_rastreo", "claveRastreo"),
            ("clave_rastreo", "clave-rastreo"),
            ("emisor", "emision"),
        ] {
            let misspelt = body(&[]).replace(&format!("\"{known}\""), &format!("\"{given}\""));
            let error = harness.post(&path, misspelt).json_of(400).await;
            let fields = error["details"]["fields"].as_array().unwrap();
            let fault = fields.iter().find(|fault| fault["field"] == given).unwrap();
            assert_eq!(fault["problem"], "misspelt", "{path} {given}");
            assert_eq!(fault["meant"], known, "{path} {given}");
        }
    }
    assert_eq!(harness.bank().times_asked(), 0);
}

#[tokio::test]
async fn the_key_that_was_probably_meant_is_told_before_anybody_is_asked() {
    let harness = Harness::start().await;
    let misspelt = body(&[("clave_rastreo", "\"hsbcl23456\""), ("emisor", "null")]);
    let request = harness.post("/v1/cep/json_auto", misspelt);
    let error = request.json_of(400).await;
    let reason = &error["details"]["reasons"]["emisor"];
    assert_eq!(reason["reason"], "likely_tracking_key");
    assert_eq!(reason["expected"], "HSBC123456");
}

const REFERENCE_AS_KEY: &str = include_str!("../../../../../tests/cases/reference-as-key.json");

#[tokio::test]
async fn what_was_probably_wrong_is_told_in_a_404() {
    let newcomer = body(&[("receptor", "\"90846\""), ("monto", "20000.00")]);
    let account_at_nobody = body(&[
        ("cuenta", "\"846180000000000002\""),
        ("receptor", "\"40171\""),
        ("monto", "20000.00"),
    ]);
    let list_date = "2026-09-11";
    for (body, expected) in [
        (
            REFERENCE_AS_KEY.replace("404.00", "20000.00"),
            json!({ "code": "looks_like_reference" }),
        ),
        (
            newcomer,
            json!({ "code": "participant_unknown", "given": "90846", "participants_list_date": list_date }),
        ),
        (
            account_at_nobody,
            json!({ "code": "account_prefix_unknown", "given": "846", "participants_list_date": list_date }),
        ),
    ] {
        let harness = Harness::start().await;
        let error = harness.post("/v1/cep/json_auto", body).json_of(404).await;
        let details = &error["details"];
        let mut hints = details["hints"].as_array().unwrap().iter();
        let hint = hints.find(|hint| hint["code"] == expected["code"]).unwrap();
        for (member, value) in expected.as_object().unwrap() {
            assert_eq!(hint[member], *value, "{hint}");
        }
        let list_date = &expected["participants_list_date"];
        assert_eq!(details["participants_list_date"], *list_date);
    }
}

#[tokio::test]
async fn unknown_keys_are_ignored() {
    let harness = Harness::start().await;
    for more in [
        r#","montos":1,"Fecha":null}"#,
        r#","otro":{"monto":[1,null]},"":false}"#,
    ] {
        let body = body(&[]).replace('}', more);
        assert_eq!(harness.post(XML, body).status().await, 200, "{more}");
    }
}

#[tokio::test]
async fn another_media_type_is_unsupported() {
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=iso-8859-1",
        "",
    ] {
        let harness = Harness::start().await;
        let request = harness.keyed(GOOD_KEY, "POST", XML).body(body(&[]));
        let response = request.header("content-type", media_type).response().await;
        assert!(response.headers().contains_key("ratelimit"));
        let error = json_of(response, 415).await;
        assert_eq!(error["error"], "UNSUPPORTED_MEDIA_TYPE", "{media_type}");
        assert_eq!(harness.outcomes().await, [Outcome::InvalidRequest]);
    }
}

#[tokio::test]
async fn only_a_compressed_body_is_unsupported() {
    let harness = Harness::start().await;
    for (encoding, status) in [
        ("gzip", 415),
        ("identity, gzip", 415),
        ("identity", 200),
        ("Identity", 200),
    ] {
        let request = harness.post(XML, body(&[]));
        let request = request.header("content-encoding", encoding);
        assert_eq!(request.status().await, status, "{encoding}");
    }
}

#[tokio::test]
async fn sixteen_kibibytes_are_read_and_one_byte_more_is_not() {
    for (size, status) in [(rest::MAX_BODY_BYTES, 200), (rest::MAX_BODY_BYTES + 1, 413)] {
        let harness = Harness::start().await;
        let request = harness.post(XML, format!("{:size$}", body(&[])));
        let response = request.response().await;
        assert_eq!(response.status(), status);
        assert!(response.headers().contains_key("ratelimit"));
        assert_eq!(harness.outcomes().await.len(), 1);
    }
}
