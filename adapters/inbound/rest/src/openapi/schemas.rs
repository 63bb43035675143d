//! Schemas of values whose Rust type is less specific than the API.

use domain::keys::Environment;
use domain::limits::{MAX_MONTHLY_QUOTA, MAX_PER_MINUTE, Plan};
use strum::VariantNames;
use utoipa::openapi::schema::{SchemaFormat, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};

pub(crate) fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
}

/// A string schema with the names of an enum's variants.
pub(crate) fn words<T: VariantNames>() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(T::VARIANTS.iter().copied()))
}

/// A string schema with the names of an enum's variants, and its default.
pub(crate) fn choice<T: VariantNames + Default + Into<&'static str>>() -> ObjectBuilder {
    words::<T>().default(Some(T::default().into().into()))
}

/// A string schema with a `format`.
pub(crate) fn formatted(format: &str) -> ObjectBuilder {
    let format = SchemaFormat::Custom(format.to_owned());
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(format))
}

pub(crate) fn key_name() -> ObjectBuilder {
    text("A label, 1 to 100 characters; blanks around it are dropped.")
        .min_length(Some(1))
        .max_length(Some(100))
        .pattern(Some(r"\S"))
}

pub(crate) fn new_environment() -> ObjectBuilder {
    choice::<Environment>().description(Some(
        "`live` asks the central bank's portal, `test` the sandbox bank.",
    ))
}

pub(crate) fn plan() -> ObjectBuilder {
    words::<Plan>().description(Some(
        "`startup`: 60 a minute and 1000 a month. `enterprise`: 600 a minute and no cap, and \
         whatever is set.",
    ))
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

fn number(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1))
        .description(Some(description))
}
