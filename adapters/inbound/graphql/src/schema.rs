//! The schema: what it offers is one module each.

use std::time::Duration;

use async_graphql::{EmptySubscription, ID, SDLExportOptions, SchemaBuilder};

mod account;
mod admin;
mod audit;
mod bank;
mod connection;
mod context;
mod enums;
mod input;
mod key;
mod mutation;
mod payload;
mod query;
mod requests;
mod scalars;
mod usage;
mod user_error;

pub(crate) use context::{Asker, Ports};
pub(crate) use input::MAX_SEARCH_CHARS;
use mutation::Mutation;
use query::Query;
pub(crate) use scalars::{Count, DateTime};
pub(crate) use user_error::UserProblem;

use crate::Introspection;
use crate::limits::{MAX_DIRECTIVES, MAX_LEVELS};

pub(crate) type Schema = async_graphql::Schema<Query, Mutation, EmptySubscription>;

/// The schema over these ports.
///
/// Its limits only repeat what [`crate::limits`] has checked before.
pub(crate) fn over(ports: Ports, introspection: Introspection) -> Schema {
    let builder = builder()
        .data(ports)
        .limit_recursive_depth(capped(MAX_LEVELS))
        .limit_directives(capped(MAX_DIRECTIVES));
    match introspection {
        Introspection::On => builder.finish(),
        Introspection::Off => builder.disable_introspection().finish(),
    }
}

/// The schema in its own language, sorted.
pub(crate) fn sdl() -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .include_specified_by()
        .use_space_ident();
    builder().finish().sdl_with_options(options)
}

fn builder() -> SchemaBuilder<Query, Mutation, EmptySubscription> {
    // Suggestions would tell the schema name by name where introspection is off.
    Schema::build(Query, Mutation, EmptySubscription)
        .disable_suggestions()
        .override_output_type_description::<ID>(
            "The identity of something. It tells nothing but whether two things are one.",
        )
}

fn capped(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Whole milliseconds, as a GraphQL `Int` holds them.
fn millis(span: Duration) -> u32 {
    int(span.as_millis())
}

/// Whole seconds, rounded up.
fn seconds(span: Duration) -> u32 {
    int(span.as_millis().div_ceil(1_000))
}

/// A number within the 31 bits of a GraphQL `Int`.
fn int(number: u128) -> u32 {
    const MAX: u32 = i32::MAX.unsigned_abs();
    u32::try_from(number).map_or(MAX, |number| number.min(MAX))
}
