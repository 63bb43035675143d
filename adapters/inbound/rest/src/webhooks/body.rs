//! Parser of the bodies that create or change a webhook.

use application::{NewWebhook, WebhookChange, WebhookSwitch};
use domain::keys::Environment;
use domain::webhooks::EventType;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa::openapi::schema::Array;
use utoipa::openapi::{ObjectBuilder, Type};
use web::Problem;
use web::problem::{FieldFault, FieldProblem};

use crate::json;
use crate::openapi::schemas;
use crate::unknown_names::UnknownNames;

/// Events that a webhook can subscribe to.
const EVENTS: &[&str] = &[
    "lookup.delivered",
    "lookup.ambiguous",
    "lookup.not_found",
    "lookup.failed",
    "lookup.expired",
    "batch.finished",
    "batch.paused",
];
const ENVIRONMENTS: &[&str] = &["live", "test"];
const NEW: &[&str] = &["url", "events", "env"];
const CHANGE: &[&str] = &["url", "events", "enabled"];

/// A webhook to add.
#[derive(ToSchema)]
#[schema(as = NewWebhook)]
#[expect(dead_code, reason = "describes what is read member by member")]
pub(super) struct NewWebhookBody {
    #[schema(schema_with = url)]
    url: String,
    #[schema(schema_with = events)]
    events: Vec<String>,
    #[schema(required = false, schema_with = schemas::new_environment)]
    env: String,
}

/// A change of a webhook: at least one member.
#[derive(ToSchema)]
#[schema(as = WebhookChange)]
#[expect(dead_code, reason = "describes what is read member by member")]
pub(super) struct WebhookChangeBody {
    #[schema(required = false, schema_with = url)]
    url: String,
    #[schema(required = false, schema_with = events)]
    events: Vec<String>,
    /// `false` discards what is pending; `true` also enables one that was disabled after failures.
    #[schema(required = false)]
    enabled: bool,
}

fn url() -> ObjectBuilder {
    schemas::text("https, to a host of the public internet, port 443 or 8443.")
        .max_length(Some(2_000))
}

pub(super) fn events() -> Array {
    let words = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(EVENTS.iter().copied()));
    let mut array = Array::new(words);
    array.min_items = Some(1);
    array.description = Some("The events that are told, each once.".to_owned());
    array
}

/// The members as raw JSON.
#[derive(Default, Deserialize)]
struct Members<'a> {
    #[serde(borrow)]
    url: Option<&'a RawValue>,
    #[serde(borrow)]
    events: Option<&'a RawValue>,
    #[serde(borrow)]
    env: Option<&'a RawValue>,
    #[serde(borrow)]
    enabled: Option<&'a RawValue>,
}

pub(super) fn new(body: &[u8]) -> Result<NewWebhook, Problem> {
    let (members, mut faults) = members(body, NEW)?;
    let url = text("url", members.url, &mut faults);
    let types = types(members.events, &mut faults);
    let name = text("env", members.env, &mut faults);
    let environment = match name.as_deref().map(Environment::from_name) {
        None => Some(Environment::default()),
        Some(environment) => {
            if environment.is_none() {
                let words = ENVIRONMENTS;
                faults.push(FieldFault::new("env", FieldProblem::NotOneOf { words }));
            }
            environment
        }
    };
    for (field, is_missing) in [
        ("url", members.url.is_none()),
        ("events", members.events.is_none()),
    ] {
        if is_missing {
            faults.push(FieldFault::new(field, FieldProblem::Missing));
        }
    }
    match (url, types, environment) {
        (Some(url), Some(events), Some(environment)) if faults.is_empty() => Ok(NewWebhook {
            url,
            events,
            environment,
        }),
        _ => Err(Problem::invalid_fields(faults)),
    }
}

pub(super) fn change(body: &[u8]) -> Result<WebhookChange, Problem> {
    let (members, mut faults) = members(body, CHANGE)?;
    let url = text("url", members.url, &mut faults);
    let events = types(members.events, &mut faults);
    let enabled: Option<bool> = value("enabled", members.enabled, "boolean", &mut faults);
    if !faults.is_empty() {
        return Err(Problem::invalid_fields(faults));
    }
    if url.is_none() && events.is_none() && enabled.is_none() {
        return Err(Problem::EmptyChange { fields: CHANGE });
    }
    Ok(WebhookChange {
        url,
        events,
        switch: enabled.map(WebhookSwitch::of),
    })
}

/// Parses an object, and returns the errors of unknown members too.
fn members<'a>(
    body: &'a [u8],
    names: &'static [&'static str],
) -> Result<(Members<'a>, Vec<FieldFault>), Problem> {
    let read = json::read_object(body, names)?;
    let faults = json::unknown_members(&read, names, UnknownNames::Refused);
    // No member is repeated, so serde reads the same values as `json::read_object`.
    let members = serde_json::from_slice(body);
    let members = members.map_err(|_| Problem::MalformedJson { position: 1 })?;
    Ok((members, faults))
}

fn text(
    name: &'static str,
    raw: Option<&RawValue>,
    faults: &mut Vec<FieldFault>,
) -> Option<String> {
    value(name, raw, "string", faults)
}

fn value<T: DeserializeOwned>(
    name: &'static str,
    raw: Option<&RawValue>,
    expected: &'static str,
    faults: &mut Vec<FieldFault>,
) -> Option<T> {
    let text = raw?.get();
    let read = serde_json::from_str(text);
    if read.is_err() {
        faults.push(FieldFault::new(name, wrong_type(text, expected)));
    }
    read.ok()
}

fn wrong_type(text: &str, expected: &'static str) -> FieldProblem {
    match (expected, json::type_of_spelt(text)) {
        (_, "null") => FieldProblem::Missing,
        ("array", _) => json::not_a_list(text, "events"),
        (_, found) => FieldProblem::WrongType { expected, found },
    }
}

fn types(raw: Option<&RawValue>, faults: &mut Vec<FieldFault>) -> Option<Vec<EventType>> {
    let names: Vec<String> = value("events", raw, "array", faults)?;
    let known = names.iter().map(|name| {
        let is_offered = EVENTS.contains(&name.as_str());
        EventType::from_name(name).filter(|_| is_offered)
    });
    let known: Option<Vec<_>> = known.collect();
    let problem = match &known {
        Some(types) if !types.is_empty() => return known,
        Some(_) => FieldProblem::Empty,
        None => FieldProblem::NotOneOf { words: EVENTS },
    };
    faults.push(FieldFault::new("events", problem));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_but_the_test_can_be_told() {
        let names = EventType::ALL
            .into_iter()
            .filter(|kind| *kind != EventType::Test);
        let names: Vec<_> = names.map(EventType::name).collect();
        assert_eq!(names, EVENTS);
    }
}
