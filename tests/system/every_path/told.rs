//! Facts that a path tells of an outcome, by their names.

use std::collections::BTreeMap;

use serde_json::Value;

/// Facts. One that isn't told isn't there.
pub(super) type Told = BTreeMap<&'static str, String>;

/// Adds a text, if there is one.
fn put(told: &mut Told, fact: &'static str, value: &Value) {
    if let Some(text) = value.as_str() {
        told.insert(fact, text.to_owned());
    }
}

/// Messages of a list, one a line.
fn messages<'a>(items: impl Iterator<Item = &'a Value>) -> Option<String> {
    let texts: Vec<_> = items.filter_map(|item| item["message"].as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Facts that the REST API gives the same names, wherever it tells them.
fn put_bank_answer(told: &mut Told, body: &Value) {
    put(told, "reason", &body["reason"]);
    let payment = &body["payment"];
    put(told, "payment.state", &payment["state"]);
    put(told, "payment.text", &payment["text"]);
    put(told, "payment.received_at", &payment["received_at"]);
    put(told, "payment.processed_at", &payment["processed_at"]);
    told.extend(messages(items(&body["hints"])).map(|hints| ("hints", hints)));
    put(told, "inferred.emisor", &body["inferred"]["emisor"]["code"]);
    put(
        told,
        "inferred.receptor",
        &body["inferred"]["receptor"]["code"],
    );
}

/// Facts of the answer of an endpoint that answers at once.
pub(super) fn of_direct(body: &Value) -> Told {
    let mut told = Told::new();
    put(&mut told, "seal", &body["sello"]["estado"]);
    let Some(error) = body["error"].as_str() else {
        return told;
    };
    let details = &body["details"];
    put_bank_answer(&mut told, details);
    told.entry("reason").or_insert_with(|| error.to_lowercase());
    let gaps = ["emisor", "receptor"].map(|side| &details["reasons"][side]);
    let errors = messages(gaps.into_iter().chain(items(&details["fields"])));
    told.extend(errors.map(|errors| ("errors", errors)));
    told
}

/// Facts of a lookup, or of the refusal to make one.
pub(super) fn of_lookup(body: &Value) -> Told {
    if body["error"].is_string() {
        return of_direct(body);
    }
    let mut told = Told::new();
    put(&mut told, "state", &body["state"]);
    put(&mut told, "seal", &body["sello"]["estado"]);
    assert_eq!(body["seal"], body["sello"]["estado"], "{body:#}");
    put(&mut told, "what_to_do", &body["what_to_do"]);
    put_bank_answer(&mut told, body);
    told
}

/// Facts of a row of a batch.
pub(super) fn of_row(body: &Value) -> Told {
    let mut told = of_lookup(&body["lookup"]);
    put(&mut told, "state", &body["state"]);
    told.extend(messages(items(&body["errors"])).map(|errors| ("errors", errors)));
    told
}

/// Facts of a line of a table, by its columns.
pub(super) fn of_line(line: &BTreeMap<String, String>) -> Told {
    let columns = [
        ("state", "estado"),
        ("reason", "motivo"),
        ("payment.state", "estado_del_pago"),
        ("hints", "pistas"),
        ("what_to_do", "que_hacer"),
        ("seal", "sello"),
        ("errors", "errores"),
        ("inferred.emisor", "emisor"),
        ("inferred.receptor", "receptor"),
    ];
    let cells = columns.map(|(fact, column)| (fact, line[column].clone()));
    cells
        .into_iter()
        .filter(|(_, cell)| !cell.is_empty())
        .collect()
}

/// Facts of a webhook's message.
pub(super) fn of_message(body: &Value) -> Told {
    let mut told = Told::new();
    for fact in ["state", "reason", "seal"] {
        put(&mut told, fact, &body["data"][fact]);
    }
    told
}

/// Facts of a lookup or a row, as GraphQL tells them.
pub(super) fn of_graphql(body: &Value) -> Told {
    let mut told = Told::new();
    let names = [
        ("state", &body["state"]),
        ("reason", &body["reason"]),
        ("seal", &body["seal"]),
        ("payment.state", &body["payment"]["state"]),
    ];
    for (fact, value) in names {
        told.extend(value.as_str().map(|name| (fact, name.to_lowercase())));
    }
    let payment = &body["payment"];
    put(&mut told, "payment.text", &payment["text"]);
    put(&mut told, "payment.received_at", &payment["receivedAt"]);
    put(&mut told, "payment.processed_at", &payment["processedAt"]);
    put(&mut told, "what_to_do", &body["whatToDo"]);
    told.extend(messages(items(&body["hints"])).map(|hints| ("hints", hints)));
    told.extend(messages(items(&body["errors"])).map(|errors| ("errors", errors)));
    let inferred = &body["inferred"];
    put(
        &mut told,
        "inferred.emisor",
        &inferred["emisor"]["participant"]["code"],
    );
    put(
        &mut told,
        "inferred.receptor",
        &inferred["receptor"]["participant"]["code"],
    );
    told
}

/// Facts that stand somewhere in the text of a part of the page, which says state, reason and seal itself.
pub(super) fn of_page(shown: &Value) -> Told {
    let mut told = Told::new();
    for fact in ["state", "reason", "seal"] {
        told.extend(shown[fact].as_str().map(|name| (fact, name.to_lowercase())));
    }
    let text = shown["text"].as_str().unwrap_or_default();
    for fact in [
        "payment.text",
        "hints",
        "what_to_do",
        "errors",
        "inferred.emisor",
        "inferred.receptor",
    ] {
        told.insert(fact, text.to_owned());
    }
    told
}
