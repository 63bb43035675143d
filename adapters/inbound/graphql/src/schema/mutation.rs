//! The root of mutations. Its fields are nullable, so that the error of one doesn't hide the results
//! of its siblings. An expected refusal is part of the payload, in `userErrors`.

use async_graphql::{Context, Description, Object};
use ports::inbound::RequestedScope;

use super::mutations::KeyPayload;
use super::mutations::cancel_lookup::{self, CancelLookupInput, CancelLookupPayload};
use super::mutations::create_key::{self, CreateKeyInput, CreateKeyPayload};
use super::mutations::erase_lookup::{self, EraseLookupInput, EraseLookupPayload};
use super::mutations::rename_key::{self, RenameKeyInput};
use super::mutations::revoke_key::{self, RevokeKeyInput};
use super::mutations::rotate_key::{self, RotateKeyInput, RotateKeyPayload};
use super::mutations::set_limits::{self, SetLimitsInput};
use super::mutations::set_plan::{self, AccountPayload, SetPlanInput};
use crate::field_error::FieldError;

/// A nullable field. As `Result<Option<T>, _>` the library would leave a failed one out of the
/// response instead of answering null (compare async-graphql's issues 531 and 1449).
type Nullable<T> = Option<Result<T, FieldError>>;

/// Changes. A request may hold up to three of these; they run one after the other.
#[derive(Description)]
pub(crate) struct Mutation;

#[Object(use_type_description)]
impl Mutation {
    /// Makes a key of the viewer's, with the limits of its account's plan.
    async fn create_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key that is to be made.")] input: CreateKeyInput,
    ) -> Nullable<CreateKeyPayload> {
        Some(create_key::resolve(context, input).await)
    }

    /// Gives one of the viewer's keys another name.
    async fn rename_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its new name.")] input: RenameKeyInput,
    ) -> Nullable<KeyPayload> {
        Some(rename_key::resolve(context, input).await)
    }

    /// Revokes one of the viewer's keys for good. When this answers, no request is admitted with
    /// it any more; to revoke it again changes nothing.
    async fn revoke_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] input: RevokeKeyInput,
    ) -> Nullable<KeyPayload> {
        Some(revoke_key::resolve(context, RequestedScope::Own, input).await)
    }

    /// Gives one of the viewer's keys a successor with the same name, environment and limits. The
    /// old one revokes itself when the time of grace is over; at once when there is none.
    async fn rotate_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its time of grace.")] input: RotateKeyInput,
    ) -> Nullable<RotateKeyPayload> {
        Some(rotate_key::resolve(context, input).await)
    }

    /// Cancels a stored lookup of the viewer's that isn't final.
    async fn cancel_lookup(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The lookup.")] input: CancelLookupInput,
    ) -> Nullable<CancelLookupPayload> {
        Some(cancel_lookup::resolve(context, input).await)
    }

    /// Erases a stored lookup of the viewer's that is final: its question, its proof and its files.
    async fn erase_lookup(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The lookup.")] input: EraseLookupInput,
    ) -> Nullable<EraseLookupPayload> {
        Some(erase_lookup::resolve(context, input).await)
    }

    /// Revokes anybody's key for good. Admins only.
    async fn admin_revoke_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] input: RevokeKeyInput,
    ) -> Nullable<KeyPayload> {
        Some(revoke_key::resolve(context, RequestedScope::All, input).await)
    }

    /// Sets the limits of anybody's key. Admins only.
    async fn admin_set_limits(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its new limits.")] input: SetLimitsInput,
    ) -> Nullable<KeyPayload> {
        Some(set_limits::resolve(context, input).await)
    }

    /// Sets the plan of anybody's account. Admins only.
    async fn admin_set_plan(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The account, and its new plan.")] input: SetPlanInput,
    ) -> Nullable<AccountPayload> {
        Some(set_plan::resolve(context, input).await)
    }
}
