//! The root type of mutations. Its fields are nullable, so that an error in one doesn't discard the results
//! of the others. Expected errors are returned in the payload's `userErrors`.

use application::RequestedScope;
use async_graphql::{Context, Description, Object};

use super::mutations::cancel_batch::{self, CancelBatchInput, CancelBatchPayload};
use super::mutations::cancel_lookup::{self, CancelLookupInput, CancelLookupPayload};
use super::mutations::create_key::{self, CreateKeyInput, CreateKeyPayload};
use super::mutations::create_webhook::{self, CreateWebhookInput};
use super::mutations::erase_batch::{self, EraseBatchInput, EraseBatchPayload};
use super::mutations::erase_lookup::{self, EraseLookupInput, EraseLookupPayload};
use super::mutations::remove_webhook::{self, RemoveWebhookInput, RemoveWebhookPayload};
use super::mutations::rename_key::{self, RenameKeyInput};
use super::mutations::resend_webhook_delivery::{self, ResendWebhookDeliveryInput};
use super::mutations::revoke_key::{self, RevokeKeyInput};
use super::mutations::rotate_key::{self, RotateKeyInput, RotateKeyPayload};
use super::mutations::rotate_webhook_secret::{self, RotateWebhookSecretInput};
use super::mutations::set_limits::{self, SetLimitsInput};
use super::mutations::set_plan::{self, AccountPayload, SetPlanInput};
use super::mutations::test_webhook::{self, TestWebhookInput};
use super::mutations::update_webhook::{self, UpdateWebhookInput};
use super::mutations::{KeyPayload, WebhookDeliveryPayload, WebhookPayload, WebhookSecretPayload};
use crate::field_error::FieldError;

/// Type of a nullable field. With `Result<Option<T>, _>` async-graphql would omit a failed field from the
/// response instead of returning null (compare async-graphql's issues 531 and 1449).
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

    /// Cancels a batch of the viewer's that isn't final, and the lookups of its rows. Rows that nobody
    /// began to look up aren't counted.
    async fn cancel_batch(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The batch.")] input: CancelBatchInput,
    ) -> Nullable<CancelBatchPayload> {
        Some(cancel_batch::resolve(context, input).await)
    }

    /// Erases a batch of the viewer's that is final: its rows, their lookups, proofs and files.
    async fn erase_batch(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The batch.")] input: EraseBatchInput,
    ) -> Nullable<EraseBatchPayload> {
        Some(erase_batch::resolve(context, input).await)
    }

    /// Adds a webhook to the viewer's account, which has at most 10 of them.
    async fn create_webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook that is to be added.")] input: CreateWebhookInput,
    ) -> Nullable<WebhookSecretPayload> {
        Some(create_webhook::resolve(context, input).await)
    }

    /// Changes one of the viewer's webhooks.
    async fn update_webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook, and what is to be changed.")] input: UpdateWebhookInput,
    ) -> Nullable<WebhookPayload> {
        Some(update_webhook::resolve(context, input).await)
    }

    /// Removes one of the viewer's webhooks, with all that was sent to it.
    async fn remove_webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] input: RemoveWebhookInput,
    ) -> Nullable<RemoveWebhookPayload> {
        Some(remove_webhook::resolve(context, input).await)
    }

    /// Gives one of the viewer's webhooks a new secret. For 24 hours messages are signed with both, so
    /// that receivers can change at any time.
    async fn rotate_webhook_secret(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] input: RotateWebhookSecretInput,
    ) -> Nullable<WebhookSecretPayload> {
        Some(rotate_webhook_secret::resolve(context, input).await)
    }

    /// Sends a test event to one of the viewer's webhooks, once.
    async fn test_webhook(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook.")] input: TestWebhookInput,
    ) -> Nullable<WebhookDeliveryPayload> {
        Some(test_webhook::resolve(context, input).await)
    }

    /// Sends a message that has ended again, with the same id and by the whole schedule.
    async fn resend_webhook_delivery(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The webhook, and the delivery.")] input: ResendWebhookDeliveryInput,
    ) -> Nullable<WebhookDeliveryPayload> {
        Some(resend_webhook_delivery::resolve(context, input).await)
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
