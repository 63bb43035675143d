//! What was read on a receipt, beside the proof of its payment.

use domain::receipts::{ReadConfidence, ReceiptField};
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Harness;
use crate::lookups::{question, with_lookup};

const COMPARISON: &str = "query($id: ID!, $receipt: [ReceiptValueInput!]!) { lookup(id: $id) \
     { delivery { comparison(receipt: $receipt) { field read proved same decides } } } }";

fn value(field: &str, value: &str, confidence: &str) -> Value {
    json!({ "field": field, "value": value, "confidence": confidence })
}

#[tokio::test]
async fn a_receipt_is_compared_with_the_proof_of_its_payment() {
    let (harness, id) = with_lookup(question("10.00")).await;
    let receipt = [
        value("CLAVE_RASTREO", "mban0100-2611200000000001", "HIGH"),
        value("MONTO", "910.00", "MEDIUM"),
        value("CUENTA", "****7771", "MEDIUM"),
        value("RECEPTOR", "40012", "LOW"),
        value("HORA", "10:53:36", "HIGH"),
        value("NOMBRE_BENEFICIARIO", "Ana Prueba", "MEDIUM"),
    ];
    let data = harness.read(COMPARISON, json!({ "id": id, "receipt": receipt }));
    let compared = |field: &str, read: &str, proved: &str, same: bool, decides: bool| json!({ "field": field, "read": read, "proved": proved, "same": same, "decides": decides });
    let expected = json!([
        compared(
            "CLAVE_RASTREO",
            "mban0100-2611200000000001",
            "MBAN01002611200000000001",
            true,
            true
        ),
        compared("MONTO", "910.00", "10.00", false, true),
        compared("CUENTA", "****7771", "002010077777777771", true, true),
        compared(
            "NOMBRE_BENEFICIARIO",
            "Ana Prueba",
            "BENEFICIARIO",
            false,
            false
        ),
    ]);
    assert_eq!(data.await["lookup"]["delivery"]["comparison"], expected);
}

#[tokio::test]
async fn a_payment_without_a_proof_is_not_compared() {
    let (harness, id) = with_lookup(question("404.02")).await;
    let receipt = [value("MONTO", "404.02", "HIGH")];
    let data = harness.read(COMPARISON, json!({ "id": id, "receipt": receipt }));
    assert_eq!(data.await, json!({ "lookup": { "delivery": null } }));
}

#[rstest]
#[case::exponent(
    "en",
    "MONTO",
    "1e3",
    "receipt.1.value: Scientific notation is not accepted; write the number in full."
)]
#[case::mask(
    "en",
    "CUENTA",
    "****",
    "receipt.1.value: A masked account must show its last 3 to 8 digits, for example ****1234."
)]
#[case::date(
    "es",
    "FECHA",
    "20/11/2026",
    "receipt.1.value: Escríbala como AAAA-MM-DD, por ejemplo 2025-02-03."
)]
#[case::repeated(
    "en",
    "EMISOR",
    "40012",
    "receipt.1.field: It appears more than once; send it once."
)]
#[tokio::test]
async fn a_refused_value_is_named_with_its_remedy(
    #[case] language: &str,
    #[case] field: &str,
    #[case] text: &str,
    #[case] message: &str,
) {
    let (harness, id) = with_lookup(question("10.00")).await;
    let query = format!(
        "{{ lookup(id: \"{id}\") {{ state delivery {{ comparison(receipt: [\
         {{ field: EMISOR, value: \"40012\", confidence: HIGH }}, \
         {{ field: {field}, value: \"{text}\", confidence: HIGH }}]) {{ same }} }} }} }}"
    );
    let answer = harness.ask_in(language, "member", &query).await;
    answer.assert_error(200, "INVALID_REQUEST");
    assert_eq!(answer.message(), message);
    assert_eq!(answer.json()["data"]["lookup"]["state"], "DELIVERED");
}

#[tokio::test]
async fn a_long_value_is_refused_with_its_limit() {
    let (harness, id) = with_lookup(question("10.00")).await;
    let receipt = [value("CONCEPTO", &"x".repeat(101), "HIGH")];
    let variables = json!({ "id": id, "receipt": receipt });
    let answer = harness.ask("member", COMPARISON, variables).await;
    let message = "receipt.0.value: It may have up to 100 characters and has 101.";
    assert_eq!(answer.message(), message);
}

#[tokio::test]
async fn fields_and_confidences_have_the_names_of_the_rest_api() {
    let query = "{ field: __type(name: \"ReceiptField\") { enumValues { name } } \
                 confidence: __type(name: \"ReadConfidence\") { enumValues { name } } }";
    let data = Harness::new().await.read(query, Value::Null).await;
    let names = |of: &str| {
        let values = data[of]["enumValues"].as_array().unwrap().iter();
        let names = values.map(|value| value["name"].as_str().unwrap().to_lowercase());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    let mut fields = ReceiptField::ALL.map(ReceiptField::name);
    fields.sort_unstable();
    assert_eq!(names("field"), fields);
    let mut confidences = ReadConfidence::ALL.map(ReadConfidence::name);
    confidences.sort_unstable();
    assert_eq!(names("confidence"), confidences);
}
