//! The schemas of the bodies of people's routes.

use domain::audit::Action;
use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use utoipa::openapi::schema::{AdditionalProperties, Array, SchemaType};
use utoipa::openapi::{Object, ObjectBuilder, Ref, RefOr, Schema, Type};

use super::super::schemas::{list, number, text, text_or_null};
use super::{instant, uuid, words};
use crate::people::accounts::EXISTING_KEYS;
use crate::people::keys::{ENVIRONMENTS, PLANS, STATES};
use crate::people::usage::GRANULARITIES;

/// Every named schema.
pub(in crate::openapi) fn all() -> Vec<(&'static str, RefOr<Schema>)> {
    vec![
        ("NewKey", new_key()),
        ("CreatedKey", created_key()),
        ("ApiKey", complete(api_key())),
        ("AdminKey", complete(admin_key())),
        ("AdminKeyPage", page("AdminKey")),
        ("LimitsChange", limits_change()),
        ("Owner", owner()),
        ("MonthlyUse", monthly_use()),
        ("Account", complete(account())),
        ("AccountOverview", complete(account_overview())),
        ("AccountPage", page("AccountOverview")),
        ("PlanChange", plan_change()),
        ("Usage", usage()),
        ("UsageSeries", usage_series()),
        ("UsageTotals", usage_totals()),
        ("AuditEntry", audit_entry()),
        ("AuditPage", page("AuditEntry")),
    ]
}

type Members = Vec<(&'static str, RefOr<Schema>)>;

/// An object whose members are all there.
fn complete(members: Members) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new();
    for (name, schema) in members {
        object = object.property(name, schema).required(name);
    }
    object.into()
}

/// An object with members of a request, of which these must be there. Nothing else may be.
fn request(members: Members, required: &[&str]) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new()
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(false)));
    for (name, schema) in members {
        object = object.property(name, schema);
    }
    for name in required {
        object = object.required(*name);
    }
    object.into()
}

fn reference(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}

fn instant_or_null(description: &str) -> ObjectBuilder {
    instant()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some(description))
}

fn page(item: &str) -> RefOr<Schema> {
    complete(vec![
        ("items", list(item).into()),
        (
            "next",
            text_or_null("The `after` of the next page; null when this is the last one.").into(),
        ),
        (
            "total",
            number("Items of the whole list; null where counting them would cost too much.")
                .schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
                .into(),
        ),
    ])
}

fn key_name() -> ObjectBuilder {
    text("A label, 1 to 100 characters; blanks around it are dropped.")
        .min_length(Some(1))
        .max_length(Some(100))
}

fn per_minute() -> ObjectBuilder {
    number("Requests allowed in any 60 seconds.")
        .minimum(Some(1))
        .maximum(Some(MAX_PER_MINUTE))
}

fn monthly_quota() -> ObjectBuilder {
    number("Requests allowed in a UTC calendar month; null without a cap.")
        .schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
        .minimum(Some(1))
        .maximum(Some(MAX_MONTHLY_QUOTA))
}

fn plan() -> ObjectBuilder {
    words(PLANS).description(Some(
        "`startup`: 60 a minute and 1000 a month. `enterprise`: 600 a minute and no cap, and \
         whatever is set.",
    ))
}

fn new_key() -> RefOr<Schema> {
    let environment = words(ENVIRONMENTS)
        .default(Some("live".into()))
        .description(Some(
            "`live` asks the central bank's portal, `test` the sandbox bank.",
        ));
    request(
        vec![("name", key_name().into()), ("env", environment.into())],
        &["name"],
    )
}

fn created_key() -> RefOr<Schema> {
    complete(vec![
        ("id", uuid().into()),
        ("prefix", prefix().into()),
        (
            "api_key",
            text("The complete key. Keep it now: it is never shown again.").into(),
        ),
    ])
}

fn prefix() -> ObjectBuilder {
    text("The public part.").pattern(Some("^cep_(live|test)_[0-9A-Za-z]{8}$"))
}

fn api_key() -> Members {
    vec![
        ("id", uuid().into()),
        ("name", key_name().into()),
        ("prefix", prefix().into()),
        ("per_minute", per_minute().into()),
        ("monthly_quota", monthly_quota().into()),
        (
            "revoked_at",
            instant_or_null("When it was revoked; null while it is active.").into(),
        ),
        ("created_at", instant().into()),
    ]
}

fn admin_key() -> Members {
    let more: Members = vec![
        ("account_id", uuid().into()),
        ("owner", reference("Owner")),
        ("env", words(ENVIRONMENTS).into()),
        (
            "state",
            words(STATES)
                .description(Some("`retiring` works until it revokes itself."))
                .into(),
        ),
        (
            "retires_at",
            instant_or_null("When it revokes itself, because it was rotated.").into(),
        ),
        ("last_used_at", instant_or_null("To the minute.").into()),
        ("month", reference("MonthlyUse")),
    ];
    [api_key(), more].into_iter().flatten().collect()
}

fn limits_change() -> RefOr<Schema> {
    request(
        vec![
            ("per_minute", per_minute().into()),
            (
                "monthly_quota",
                monthly_quota()
                    .description(Some(
                        "Requests allowed in a UTC calendar month; null lifts the cap.",
                    ))
                    .into(),
            ),
            ("plan", plan().into()),
        ],
        &[],
    )
}

fn owner() -> RefOr<Schema> {
    complete(vec![
        ("issuer", text("The identity provider.").into()),
        ("subject", text("Who it is there.").into()),
    ])
}

fn monthly_use() -> RefOr<Schema> {
    complete(vec![
        (
            "month",
            text("The UTC calendar month.")
                .pattern(Some("^[0-9]{4}-[0-9]{2}$"))
                .into(),
        ),
        ("used", number("What counts against the quota.").into()),
        ("charged", number("Requests admitted.").into()),
        (
            "refunded",
            number("Those given back, because the service or the bank failed.").into(),
        ),
    ])
}

fn account() -> Members {
    vec![
        ("id", uuid().into()),
        ("owner", reference("Owner")),
        ("plan", plan().into()),
        ("created_at", instant().into()),
    ]
}

fn account_overview() -> Members {
    let more: Members = vec![
        (
            "active_keys",
            number("Its keys that aren't revoked.").into(),
        ),
        ("month", reference("MonthlyUse")),
    ];
    [account(), more].into_iter().flatten().collect()
}

fn plan_change() -> RefOr<Schema> {
    let existing = words(EXISTING_KEYS)
        .default(Some("keep".into()))
        .description(Some(
            "`follow` gives keys that aren't revoked the limits of the new plan.",
        ));
    request(
        vec![("plan", plan().into()), ("existing_keys", existing.into())],
        &["plan"],
    )
}

fn usage() -> RefOr<Schema> {
    let mut slots = Array::new(instant());
    slots.description = Some("The beginning of every slot, in order.".to_owned());
    complete(vec![
        ("granularity", words(GRANULARITIES).into()),
        ("slots", slots.into()),
        ("series", list("UsageSeries").into()),
        ("totals", reference("UsageTotals")),
    ])
}

fn usage_series() -> RefOr<Schema> {
    let mut counts = Array::new(Object::with_type(Type::Integer));
    counts.description = Some("Requests in each slot.".to_owned());
    complete(vec![
        (
            "label",
            text("`total`, a key's id, an endpoint, an outcome, or `others`.").into(),
        ),
        ("counts", counts.into()),
    ])
}

fn usage_totals() -> RefOr<Schema> {
    let millis = || ObjectBuilder::new().schema_type(Type::Number);
    let latency = ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .description(Some(
            "Milliseconds that requests took which no limit refused, within a factor of two; null \
             when there were none.",
        ))
        .property("p50", millis())
        .property("p95", millis())
        .property("p99", millis());
    let rate = number("The share of admitted requests that delivered a proof, 0 to 1.")
        .schema_type(SchemaType::from_iter([Type::Number, Type::Null]));
    complete(vec![
        ("requests", number("All of them.").into()),
        ("delivered", number("Those that delivered a proof.").into()),
        ("refused", number("Those that a limit refused.").into()),
        (
            "failed",
            number("Those that the service or the bank failed.").into(),
        ),
        ("success_rate", rate.into()),
        ("latency_ms", latency.into()),
    ])
}

fn audit_entry() -> RefOr<Schema> {
    let change = ObjectBuilder::new()
        .property("field", text("The field."))
        .property("before", text_or_null("Its value before."))
        .property("after", text_or_null("Its value after."))
        .required("field")
        .required("before")
        .required("after");
    complete(vec![
        ("id", uuid().into()),
        ("at", instant().into()),
        ("actor", reference("Owner")),
        ("request_id", text("The request's id.").into()),
        (
            "action",
            text("What was done.")
                .enum_values(Some(Action::ALL.map(Action::name)))
                .into(),
        ),
        ("account_id", uuid().into()),
        (
            "key_id",
            uuid()
                .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
                .description(Some("Null for an account's plan."))
                .into(),
        ),
        ("changes", Array::new(change).into()),
    ])
}
