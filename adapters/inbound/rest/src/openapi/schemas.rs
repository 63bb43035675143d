//! Schemas of values whose Rust type says less than the API does.

use domain::audit::Action;
use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE};
use utoipa::openapi::schema::{Array, SchemaFormat, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};
use web::MAX_SEARCH_LENGTH;

use crate::people::views::{ENVIRONMENTS, GRANULARITIES, PLANS, STATES};

/// Declares a type of which nothing but its schema is used. It describes parameters, whose own
/// descriptions `schema_with` would lose.
macro_rules! parameter_type {
    ($name:ident = $schema:expr) => {
        struct $name;

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $schema.into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

pub(crate) use parameter_type;

pub(crate) fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
}

pub(crate) fn words(words: &'static [&'static str]) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(words.iter().copied()))
}

pub(crate) fn search() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(MAX_SEARCH_LENGTH))
}

pub(crate) fn environment() -> ObjectBuilder {
    words(ENVIRONMENTS)
}

pub(crate) fn new_environment() -> ObjectBuilder {
    environment().default(Some("live".into())).description(Some(
        "`live` asks the central bank's portal, `test` the sandbox bank.",
    ))
}

pub(crate) fn key_state() -> ObjectBuilder {
    words(STATES).description(Some("`retiring` works until it revokes itself."))
}

pub(crate) fn plan() -> ObjectBuilder {
    words(PLANS).description(Some(
        "`startup`: 60 a minute and 1000 a month. `enterprise`: 600 a minute and no cap, and \
         whatever is set.",
    ))
}

pub(crate) fn granularity() -> ObjectBuilder {
    words(GRANULARITIES)
}

pub(crate) fn action() -> ObjectBuilder {
    text("What was done.").enum_values(Some(Action::ALL.map(Action::name)))
}

pub(crate) fn per_minute() -> ObjectBuilder {
    number("Requests allowed in any 60 seconds.").maximum(Some(MAX_PER_MINUTE))
}

pub(crate) fn monthly_quota() -> ObjectBuilder {
    number("Requests allowed in a UTC calendar month; null without a cap.")
        .schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
        .maximum(Some(MAX_MONTHLY_QUOTA))
}

pub(crate) fn new_monthly_quota() -> ObjectBuilder {
    monthly_quota().description(Some(
        "Requests allowed in a UTC calendar month; null lifts the cap.",
    ))
}

pub(crate) fn slots() -> Array {
    let instant = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::Custom("date-time".to_owned())));
    let mut slots = Array::new(instant);
    slots.description = Some("The beginning of every slot, in order.".to_owned());
    slots
}

fn number(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1))
        .description(Some(description))
}
