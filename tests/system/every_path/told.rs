//! Facts that a path tells of an outcome, by their names.

use std::collections::BTreeMap;

use serde_json::Value;

/// Facts. One that isn't told isn't there.
pub(super) type Told = BTreeMap<&'static str, String>;

/// Facts that are names, and their places in a body.
const NAMES: [(&str, &str); 3] = [
    ("state", "/state"),
    ("reason", "/reason"),
    ("seal", "/seal"),
];

/// The facts with the names as REST writes them.
fn in_lower_case(mut told: Told) -> Told {
    for name in told.values_mut() {
        name.make_ascii_lowercase();
    }
    told
}

/// Facts that are texts in these places of a body.
fn texts(body: &Value, places: &[(&'static str, &str)]) -> Told {
    let text = |(fact, place): &(&'static str, &str)| {
        let text = body.pointer(place)?.as_str()?;
        Some((*fact, text.to_owned()))
    };
    places.iter().filter_map(text).collect()
}

/// Messages of a list, one a line.
fn messages<'a>(fact: &'static str, items: impl Iterator<Item = &'a Value>) -> Told {
    let texts: Vec<_> = items.filter_map(|item| item["message"].as_str()).collect();
    let texts = (!texts.is_empty()).then(|| texts.join("\n"));
    texts.map(|texts| (fact, texts)).into_iter().collect()
}

/// Tracking keys, payers and concepts of the transfers that have the reference number, one a line.
fn candidates(body: &Value, key: &str) -> Told {
    let members = [key, "ordenante", "concepto"];
    let texts: Vec<_> = items(&body["candidates"])
        .flat_map(|candidate| members.map(|member| candidate[member].as_str()))
        .flatten()
        .collect();
    let texts = (!texts.is_empty()).then(|| texts.join("\n"));
    let texts = texts.map(|texts| ("candidates", texts));
    texts.into_iter().collect()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Facts that the REST API gives the same names, wherever it tells them.
fn of_bank_answer(body: &Value) -> Told {
    let mut told = texts(
        body,
        &[
            ("reason", "/reason"),
            ("payment.state", "/payment/state"),
            ("payment.text", "/payment/text"),
            ("payment.received_at", "/payment/received_at"),
            ("payment.processed_at", "/payment/processed_at"),
            ("inferred.emisor", "/inferred/emisor/code"),
            ("inferred.receptor", "/inferred/receptor/code"),
        ],
    );
    told.append(&mut messages("hints", items(&body["hints"])));
    told
}

/// Facts of the answer of an endpoint that answers at once.
pub(super) fn of_direct(body: &Value) -> Told {
    let Some(error) = body["error"].as_str() else {
        return texts(body, &[("seal", "/sello/estado")]);
    };
    let details = &body["details"];
    let mut told = of_bank_answer(details);
    told.entry("reason").or_insert_with(|| error.to_lowercase());
    let gaps = ["emisor", "receptor"].map(|side| &details["reasons"][side]);
    let errors = gaps.into_iter().chain(items(&details["fields"]));
    told.append(&mut messages("errors", errors));
    told
}

/// Facts of a lookup, or of the refusal to make one.
pub(super) fn of_lookup(body: &Value) -> Told {
    if body["error"].is_string() {
        return of_direct(body);
    }
    assert_eq!(body["seal"], body["sello"]["estado"], "{body:#}");
    let mut told = of_bank_answer(body);
    told.append(&mut texts(body, &NAMES));
    told.append(&mut texts(body, &[("what_to_do", "/what_to_do")]));
    told.append(&mut candidates(body, "clave_rastreo"));
    told
}

/// Facts of a row of a batch.
pub(super) fn of_row(body: &Value) -> Told {
    let mut told = of_lookup(&body["lookup"]);
    told.append(&mut texts(body, &[("state", "/state")]));
    told.append(&mut messages("errors", items(&body["errors"])));
    told
}

/// Facts of a line of a table, by its columns.
pub(super) fn of_line(line: &BTreeMap<String, String>) -> Told {
    let words = [
        ("hints", "pistas"),
        ("what_to_do", "que_hacer"),
        ("errors", "errores"),
    ];
    of_columns(line, &words)
}

/// Facts of a row of a workbook, by its columns.
pub(super) fn of_workbook(row: &BTreeMap<String, String>) -> Told {
    let words = [
        ("hints", "Explicación"),
        ("what_to_do", "Qué hacer"),
        ("errors", "Explicación"),
    ];
    of_columns(row, &words)
}

/// Facts that stand in columns of codes and in columns of words.
fn of_columns(line: &BTreeMap<String, String>, words: &[(&'static str, &'static str)]) -> Told {
    let codes = [
        ("state", "estado_codigo"),
        ("reason", "motivo"),
        ("payment.state", "estado_del_pago_codigo"),
        ("seal", "sello_codigo"),
        ("inferred.emisor", "emisor"),
        ("inferred.receptor", "receptor"),
        ("candidates", "candidatas"),
    ];
    let columns = codes.iter().chain(words);
    let told = columns.filter_map(|(fact, column)| Some((*fact, line.get(*column)?.clone())));
    told.filter(|(_, cell)| !cell.is_empty()).collect()
}

/// Facts of a webhook's message.
pub(super) fn of_message(body: &Value) -> Told {
    texts(&body["data"], &NAMES)
}

/// Facts of a lookup, as GraphQL tells them.
pub(super) fn of_graphql(body: &Value) -> Told {
    let mut told = texts(body, &NAMES);
    told.append(&mut texts(body, &[("payment.state", "/payment/state")]));
    let mut told = in_lower_case(told);
    let mut others = texts(
        body,
        &[
            ("payment.text", "/payment/text"),
            ("payment.received_at", "/payment/receivedAt"),
            ("payment.processed_at", "/payment/processedAt"),
            ("what_to_do", "/whatToDo"),
            ("inferred.emisor", "/inferred/emisor/participant/code"),
            ("inferred.receptor", "/inferred/receptor/participant/code"),
        ],
    );
    told.append(&mut others);
    told.append(&mut messages("hints", items(&body["hints"])));
    told.append(&mut candidates(body, "claveRastreo"));
    told
}

/// Facts of a row, as GraphQL tells them.
pub(super) fn of_graphql_row(body: &Value) -> Told {
    let mut told = of_graphql(&body["lookup"]);
    told.append(&mut in_lower_case(texts(body, &[("state", "/state")])));
    told.append(&mut messages("errors", items(&body["errors"])));
    told
}

/// Facts that stand somewhere in the text of a part of the page, which says state, reason and seal itself.
pub(super) fn of_page(shown: &Value) -> Told {
    let mut told = in_lower_case(texts(shown, &NAMES));
    let text = shown["text"].as_str().unwrap_or_default();
    for fact in [
        "payment.text",
        "hints",
        "candidates",
        "what_to_do",
        "errors",
        "inferred.emisor",
        "inferred.receptor",
    ] {
        told.insert(fact, text.to_owned());
    }
    told
}
