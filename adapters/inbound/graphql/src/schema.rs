//! The GraphQL schema: modules of types, and one module for each mutation.

use async_graphql::{ID, SDLExportOptions, SchemaBuilder};

mod account;
mod admin;
mod audit;
mod bank;
mod bank_answer;
mod batch;
mod batch_rows;
mod connection;
mod context;
mod enums;
mod input;
mod key;
mod lookup;
mod mutation;
mod mutations;
mod numbers;
mod proof;
mod query;
mod question;
mod readings;
mod requests;
mod scalars;
mod scoped;
mod subscription;
mod usage;
mod user_error;
mod webhook;
mod webhook_delivery;

pub(crate) use context::{Ports, Requester};
use mutation::Mutation;
use query::Query;
pub(crate) use readings::Readings;
use subscription::Subscription;

use crate::introspection::Introspection;
use crate::limits::MAX_LEVELS;

pub(crate) type Schema = async_graphql::Schema<Query, Mutation, Subscription>;

/// Builds the schema with the ports that resolvers call.
///
/// async-graphql's limits are only a second check after [`crate::limits`].
pub(crate) fn build(ports: Ports, introspection: Introspection) -> Schema {
    let builder = builder()
        .data(ports)
        .limit_recursive_depth(usize_of(MAX_LEVELS));
    match introspection {
        Introspection::On => builder.finish(),
        Introspection::Off => builder.disable_introspection().finish(),
    }
}

/// The schema definition (SDL), sorted.
pub(crate) fn sdl() -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .include_specified_by()
        .use_space_ident();
    builder().finish().sdl_with_options(options)
}

fn builder() -> SchemaBuilder<Query, Mutation, Subscription> {
    // Suggestions ("did you mean") would reveal names of the schema when introspection is off.
    Schema::build(Query, Mutation, Subscription)
        .disable_suggestions()
        .override_output_type_description::<ID>(
            "The identity of something. It tells nothing but whether two things are one.",
        )
}

fn usize_of(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
