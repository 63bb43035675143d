//! The GraphQL schema: a module for each resource, with its queries, its mutations, and its own types. What
//! GraphQL shares with REST is in [`web::views`].

use async_graphql::{ID, MergedObject, MergedSubscription, SDLExportOptions, SchemaBuilder};

mod admin;
mod arguments;
mod bank;
mod batches;
mod connection;
mod context;
mod keys;
mod limits;
mod lookups;
mod own_accounts;
mod participants;
mod people;
mod proof;
mod readings;
mod requests;
mod usage;
mod user_error;
mod webhooks;

pub(crate) use context::{Ports, Requester};
pub(crate) use readings::Readings;

use crate::introspection::Introspection;
use crate::limits::MAX_LEVELS;

/// Queries.
#[derive(MergedObject, Default)]
pub(crate) struct Query(
    admin::AdminQuery,
    bank::BankQuery,
    batches::BatchQuery,
    keys::KeyQuery,
    lookups::LookupQuery,
    own_accounts::OwnAccountQuery,
    participants::ParticipantQuery,
    people::PersonQuery,
    requests::RequestQuery,
    usage::UsageQuery,
    webhooks::WebhookQuery,
);

/// Changes. A request may hold up to three of these; they run one after the other.
///
/// The fields are nullable, so that an error in one doesn't discard the results of the others. Expected
/// errors are returned in the payload's `userErrors`.
#[derive(MergedObject, Default)]
pub(crate) struct Mutation(
    batches::BatchMutation,
    keys::KeyMutation,
    limits::LimitMutation,
    lookups::LookupMutation,
    own_accounts::OwnAccountMutation,
    webhooks::WebhookMutation,
);

/// Subscriptions, answered over a WebSocket.
#[derive(MergedSubscription, Default)]
pub(crate) struct Subscription(batches::BatchSubscription, lookups::LookupSubscription);

pub(crate) type Schema = async_graphql::Schema<Query, Mutation, Subscription>;

/// Builds the schema with the ports that resolvers call.
///
/// async-graphql's limits are only a second check after [`crate::limits`].
pub(crate) fn build(ports: Ports, introspection: Introspection) -> Schema {
    let builder = builder()
        .data(ports.participants.clone())
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
    Schema::build(
        Query::default(),
        Mutation::default(),
        Subscription::default(),
    )
    .disable_suggestions()
    .override_output_type_description::<ID>(
        "The identity of something. It tells nothing but whether two things are one.",
    )
}

fn usize_of(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
