//! Invalid input: each kind has its code and names its field; the bank isn't queried, and the
//! request is settled once.

use domain::outcome::{Endpoint, Outcome};
use rstest::rstest;
use serde_json::{Value, json};

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body, faults, json_of};

const XML: &str = "/v1/cep/xml";

async fn refused(harness: &Harness, body: impl Into<reqwest::Body>) -> Value {
    let error = harness.post(XML, body).json_of(400).await;
    assert_eq!(harness.outcomes().await, [Outcome::InvalidRequest]);
    assert_eq!(harness.bank().times_asked(), 0);
    assert_eq!(error["error"], "INVALID_REQUEST");
    error
}

/// One value for each problem of each field: the domain's tests have the others.
#[rstest]
#[case("fecha", "\"2025-02-30\"", "no_such_day")]
#[case("fecha", "\"2025-2-3\"", "malformed_date")]
#[case("fecha", "\"2026-11-21\"", "in_future")]
#[case("fecha", "20261120", "wrong_type")]
#[case("fecha", "null", "missing")]
#[case("clave_rastreo", "\"\"", "empty")]
#[case("clave_rastreo", "\"1234567890123456789012345678901\"", "too_long")]
#[case("clave_rastreo", "\"A\\u0000B\"", "forbidden_character")]
#[case("clave_rastreo", "\"A\u{202e}B\"", "forbidden_character")]
#[case("clave_rastreo", "\"<script>\"", "forbidden_character")]
#[case("clave_rastreo", "7", "wrong_type")]
#[case("cuenta", "\"123456789012345\"", "wrong_length")]
#[case("cuenta", "\"00201007777777777A\"", "not_digits")]
#[case("cuenta", "2010077777777771", "wrong_type")]
#[case("monto", "-0", "not_positive")]
#[case("monto", "0.001", "too_many_decimals")]
#[case("monto", "1E400", "exponent")]
#[case("monto", "\"1,234.56\"", "not_decimal")]
#[case("monto", "12345678901234567", "too_large")]
#[case("monto", "true", "wrong_type")]
#[case("monto", "", "missing")]
#[case("emisor", "\"Xyzzy\"", "unknown_name")]
#[case("emisor", "\"intercam\"", "ambiguous_name")]
#[case("emisor", "\"4001\"", "malformed_code")]
#[case("emisor", "40012", "wrong_type")]
#[case("emisor", "", "missing")]
#[case("receptor", "null", "missing")]
#[tokio::test]
async fn a_faulty_field_is_named_with_its_problem(
    #[case] field: &str,
    #[case] value: &str,
    #[case] problem: &str,
) {
    let harness = Harness::start().await;
    let error = refused(&harness, body(&[(field, value)])).await;
    assert_eq!(faults(&error), [(field, problem)]);
    assert!(error["message"].as_str().unwrap().contains(field));
    let given = value.trim_matches('"');
    let echoes = given.len() > 3 && error.to_string().contains(given);
    assert!(!echoes || given == "null" || given == "true", "{error}");
}

#[rstest]
#[tokio::test]
async fn a_repeated_field_is_named(
    #[values("fecha", "clave_rastreo", "cuenta", "monto", "emisor", "receptor")] field: &str,
) {
    let harness = Harness::start().await;
    let twice = body(&[]).replace('}', &format!(",\"{field}\":\"1\"}}"));
    let error = refused(&harness, twice).await;
    assert_eq!(error["details"]["reason"], "duplicate_key");
    assert_eq!(faults(&error), [(field, "duplicate")]);
}

#[tokio::test]
async fn a_body_that_is_not_utf_8_is_said_to_be_so() {
    let harness = Harness::start().await;
    let error = refused(&harness, &b"{\"cuenta\":\"\xff\"}"[..]).await;
    assert_eq!(error["details"]["reason"], "not_utf8");
}

#[tokio::test]
async fn a_byte_order_mark_is_called_by_its_name() {
    let harness = Harness::start().await;
    let error = refused(&harness, format!("\u{feff}{}", body(&[]))).await;
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("empieza con una marca de orden de bytes (BOM)"),
        "{message}"
    );
    assert_eq!(error["details"]["position"], 1);
}

#[rstest]
#[case(&[("monto", "9007199254740993.01")], 900_719_925_474_099_301)]
#[case(&[("monto", "\"0.10\"")], 10)]
#[case(&[("monto", "0.1")], 10)]
#[case(&[("cuenta", "\"002 0100-7777 7777 771\"")], 123_456)]
#[case(&[("clave_rastreo", "\" M\\u0042AN01002611200001234567 \"")], 123_456)]
#[tokio::test]
async fn an_unusual_spelling_is_read_exactly(
    #[case] changes: &[(&str, &str)],
    #[case] centavos: u64,
) {
    let harness = Harness::start().await;
    let response = harness.post(XML, body(changes)).response().await;
    assert_eq!(response.status(), 200);
    let lookup = &harness.bank().asked()[0];
    assert_eq!(lookup.transfer.amount().centavos(), centavos);
}

#[tokio::test]
async fn an_institution_that_is_null_is_inferred_as_if_it_were_absent() {
    let harness = Harness::start().await;
    let unnamed = body(&[("emisor", "null"), ("receptor", "null")]);
    let response = harness.post("/v1/cep/xml_auto", unnamed).response().await;
    assert_eq!(response.status(), 200);
    let schema: Value = serde_json::from_str(&rest::openapi_json()).unwrap();
    for field in ["emisor", "receptor"] {
        let type_of = |schema_name: &str| {
            schema["components"]["schemas"][schema_name]["properties"][field]["type"].clone()
        };
        assert_eq!(type_of("ProofRequestAuto"), json!(["string", "null"]));
        assert_eq!(type_of("ProofRequest"), "string");
    }
}

#[tokio::test]
async fn an_unlisted_code_is_refused_unless_the_list_is_older_than_the_transfer() {
    let harness = Harness::start().await;
    let unlisted = |date| body(&[("fecha", date), ("receptor", "\"90846\"")]);
    let error = refused(&harness, unlisted("\"2026-09-11\"")).await;
    assert_eq!(faults(&error), [("receptor", "unknown_participant")]);
    assert_eq!(error["details"]["participants_list_date"], "2026-09-11");
    let response = harness.post(XML, unlisted("\"2026-09-12\"")).response();
    assert_eq!(response.await.status(), 200);
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
    let response = harness.post(XML, named).response().await;
    assert_eq!(response.status(), 200);
    let banks = harness.bank().asked()[0].transfer.banks();
    let codes = [banks.issuer, banks.receiver].map(|code| code.to_string());
    assert_eq!(codes, ["40012", "40002"]);
}

#[tokio::test]
async fn a_name_of_several_banks_gets_them_all() {
    let harness = Harness::start().await;
    let error = refused(&harness, body(&[("emisor", "\"INTERCAM\"")])).await;
    let candidates = json!([
        {"code": "40136", "name": "INTERCAM BANCO"},
        {"code": "90630", "name": "CB Intercam"},
    ]);
    assert_eq!(error["details"]["fields"][0]["candidates"], candidates);
}

#[rstest]
#[case::a_letter_too_few("monto", "mont")]
#[case::another_case("monto", "Monto")]
#[case::camel_case("clave_rastreo", "claveRastreo")]
#[case::hyphen("clave_rastreo", "clave-rastreo")]
#[case::two_edits("emisor", "emision")]
#[tokio::test]
async fn a_misspelt_member_is_named_with_the_known_name_by_every_endpoint(
    #[case] known: &str,
    #[case] given: &str,
) {
    let harness = Harness::start().await;
    let misspelt = body(&[]).replace(&format!("\"{known}\""), &format!("\"{given}\""));
    for endpoint in Endpoint::immediate() {
        let path = format!("/v1/cep/{}", endpoint.name());
        let error = harness.post(&path, misspelt.clone()).json_of(400).await;
        let fields = error["details"]["fields"].as_array().unwrap();
        let fault = fields.iter().find(|fault| fault["field"] == given).unwrap();
        assert_eq!(
            (&fault["problem"], &fault["meant"]),
            (&json!("misspelt"), &json!(known)),
            "{path}"
        );
    }
    assert_eq!(harness.bank().times_asked(), 0);
}

#[tokio::test]
async fn the_key_that_was_probably_meant_is_told_before_anybody_is_asked() {
    let harness = Harness::start().await;
    let misspelt = body(&[("clave_rastreo", "\"hsbcl23456\""), ("emisor", "null")]);
    let error = harness.post("/v1/cep/json_auto", misspelt);
    let error = error.json_of(400).await;
    let reason = &error["details"]["reasons"]["emisor"];
    assert_eq!(reason["reason"], "likely_tracking_key");
    assert_eq!(reason["expected"], "HSBC123456");
}

const REFERENCE_AS_KEY: &str = include_str!("../../../../../tests/cases/reference-as-key.json");

#[rstest]
#[case::a_reference_in_place_of_the_tracking_key(
    REFERENCE_AS_KEY.replace("404.00", "20000.00"),
    json!({ "code": "looks_like_reference" })
)]
#[case::a_newcomer(
    body(&[("receptor", "\"90846\""), ("monto", "20000.00")]),
    json!({ "code": "participant_unknown", "given": "90846", "participants_list_date": "2026-09-11" })
)]
#[case::an_account_at_nobody_beside_a_named_receiver(
    body(&[("cuenta", "\"846180000000000002\""), ("receptor", "\"40171\""), ("monto", "20000.00")]),
    json!({ "code": "account_prefix_unknown", "given": "846", "participants_list_date": "2026-09-11" })
)]
#[tokio::test]
async fn what_was_probably_wrong_is_told_in_a_404(#[case] body: String, #[case] expected: Value) {
    let harness = Harness::start().await;
    let error = harness.post("/v1/cep/json_auto", body).json_of(404).await;
    let details = &error["details"];
    let hints = details["hints"].as_array().unwrap();
    let mut hints = hints.iter().filter(|hint| hint["code"] == expected["code"]);
    let hint = hints.next().unwrap();
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(hint[member], *value, "{hint}");
    }
    let list_date = &expected["participants_list_date"];
    assert_eq!(details["participants_list_date"], *list_date);
}

#[rstest]
#[case::like_one_that_is_there(r#","montos":1,"Fecha":null}"#)]
#[case::of_any_kind(r#","otro":{"monto":[1,null]},"":false}"#)]
#[tokio::test]
async fn unknown_keys_are_ignored(#[case] more: &str) {
    let harness = Harness::start().await;
    let response = harness.post(XML, body(&[]).replace('}', more)).response();
    assert_eq!(response.await.status(), 200);
}

#[rstest]
#[case("text/plain")]
#[case("application/x-www-form-urlencoded")]
#[case("multipart/form-data; boundary=x")]
#[case("application/json; charset=iso-8859-1")]
#[case("")]
#[tokio::test]
async fn another_media_type_is_unsupported(#[case] media_type: &str) {
    let harness = Harness::start().await;
    let request = harness.request("POST", XML).header("x-api-key", GOOD_KEY);
    let request = request.header("content-type", media_type).body(body(&[]));
    let response = request.response().await;
    assert!(response.headers().contains_key("ratelimit"));
    let error = json_of(response, 415).await;
    assert_eq!(error["error"], "UNSUPPORTED_MEDIA_TYPE");
    assert_eq!(harness.outcomes().await, [Outcome::InvalidRequest]);
}

#[rstest]
#[case("gzip", 415)]
#[case("identity, gzip", 415)]
#[case("identity", 200)]
#[case("Identity", 200)]
#[tokio::test]
async fn only_a_compressed_body_is_unsupported(#[case] encoding: &str, #[case] status: u16) {
    let harness = Harness::start().await;
    let request = harness.post(XML, body(&[]));
    let response = request.header("content-encoding", encoding).response();
    assert_eq!(response.await.status(), status);
}

#[rstest]
#[case(rest::MAX_BODY_BYTES, 200)]
#[case(rest::MAX_BODY_BYTES + 1, 413)]
#[tokio::test]
async fn sixteen_kibibytes_are_read_and_one_byte_more_is_not(
    #[case] size: usize,
    #[case] status: u16,
) {
    let harness = Harness::start().await;
    let response = harness
        .post(XML, format!("{:size$}", body(&[])))
        .response()
        .await;
    assert_eq!(response.status(), status);
    assert!(response.headers().contains_key("ratelimit"));
    assert_eq!(harness.outcomes().await.len(), 1);
}
