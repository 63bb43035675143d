//! What can be changed. An expected refusal is part of the answer, in `userErrors`.

use async_graphql::{Context, Description, ID, Object};
use domain::customer::CustomerId;
use ports::inbound::{KeyError, NewKey, RequestedScope};

use super::context::{asker, ports};
use super::input::{
    CreateKeyInput, RenameKeyInput, RevokeKeyInput, RotateKeyInput, SetLimitsInput, SetPlanInput,
    uuid,
};
use super::payload::{AccountPayload, CreateKeyPayload, KeyPayload, RotateKeyPayload};
use super::user_error::{Refusals, UserError, UserProblem, expected};
use crate::failure::Failure;

/// What can be changed. A request may hold up to three of these; they run one after the other.
#[derive(Description)]
pub(crate) struct Mutation;

#[Object(use_type_description)]
impl Mutation {
    /// Makes a key of the viewer's, with the limits of its account's plan.
    async fn create_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key that is to be made.")] input: CreateKeyInput,
    ) -> Result<CreateKeyPayload, Failure> {
        let mut refusals = Refusals::default();
        let Some(name) = refusals.name(&input.name) else {
            return Ok(refusals.answer(asker(context).language));
        };
        let order = NewKey {
            name,
            environment: input.environment.into(),
            limits: None,
        };
        let caller = &asker(context).caller;
        let created = ports(context).keys.create(caller, order).await;
        answered(context, "id", created)
    }

    /// Gives one of the viewer's keys another name.
    async fn rename_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its new name.")] input: RenameKeyInput,
    ) -> Result<KeyPayload, Failure> {
        let mut refusals = Refusals::default();
        let (id, name) = (refusals.key(&input.id), refusals.name(&input.name));
        let (Some(id), Some(name)) = (id, name) else {
            return Ok(refusals.answer(asker(context).language));
        };
        let caller = &asker(context).caller;
        let renamed = ports(context)
            .keys
            .rename(caller, RequestedScope::Own, id, name);
        answered(context, "id", renamed.await)
    }

    /// Revokes one of the viewer's keys for good. When this answers, no request is admitted with
    /// it any more; to revoke it again changes nothing.
    async fn revoke_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] input: RevokeKeyInput,
    ) -> Result<KeyPayload, Failure> {
        revoke(context, RequestedScope::Own, &input.id).await
    }

    /// Gives one of the viewer's keys a successor with the same name, environment and limits. The
    /// old one revokes itself when the time of grace is over; at once when there is none.
    async fn rotate_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its time of grace.")] input: RotateKeyInput,
    ) -> Result<RotateKeyPayload, Failure> {
        let mut refusals = Refusals::default();
        let (id, grace) = (refusals.key(&input.id), refusals.grace(input.grace_hours));
        let (Some(id), Some(grace)) = (id, grace) else {
            return Ok(refusals.answer(asker(context).language));
        };
        let caller = &asker(context).caller;
        let rotated = ports(context).keys.rotate(caller, id, grace).await;
        answered(context, "id", rotated)
    }

    /// Revokes anybody's key for good. Admins only.
    async fn admin_revoke_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] input: RevokeKeyInput,
    ) -> Result<KeyPayload, Failure> {
        revoke(context, RequestedScope::All, &input.id).await
    }

    /// Sets the limits of anybody's key. Admins only.
    async fn admin_set_limits(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its new limits.")] input: SetLimitsInput,
    ) -> Result<KeyPayload, Failure> {
        let mut refusals = Refusals::default();
        let (id, change) = (refusals.key(&input.id), refusals.limits(&input));
        let (Some(id), Some(change)) = (id, change) else {
            return Ok(refusals.answer(asker(context).language));
        };
        let caller = &asker(context).caller;
        let set = ports(context).keys.set_limits(caller, id, change).await;
        answered(context, "id", set)
    }

    /// Sets the plan of anybody's account. Admins only.
    async fn admin_set_plan(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The account, and its new plan.")] input: SetPlanInput,
    ) -> Result<AccountPayload, Failure> {
        let Some(id) = uuid(&input.account_id) else {
            let mut refusals = Refusals::default();
            refusals.add("accountId", UserProblem::NotFound);
            return Ok(refusals.answer(asker(context).language));
        };
        let (plan, existing) = (input.plan.into(), input.existing_keys.into());
        let caller = &asker(context).caller;
        let keys = &ports(context).keys;
        let set = keys.set_plan(caller, CustomerId(id), plan, existing).await;
        answered(context, "accountId", set)
    }
}

async fn revoke(
    context: &Context<'_>,
    reach: RequestedScope,
    id: &ID,
) -> Result<KeyPayload, Failure> {
    let mut refusals = Refusals::default();
    let Some(id) = refusals.key(id) else {
        return Ok(refusals.answer(asker(context).language));
    };
    let caller = &asker(context).caller;
    let revoked = ports(context).keys.revoke(caller, reach, id).await;
    answered(context, "id", revoked)
}

/// The payload of what was done, or of an expected refusal.
fn answered<T, P>(
    context: &Context<'_>,
    subject: &'static str,
    result: Result<T, KeyError>,
) -> Result<P, Failure>
where
    P: From<T> + From<Vec<UserError>>,
{
    match result {
        Ok(done) => Ok(P::from(done)),
        Err(error) => Ok(expected(error, subject)?.answer(asker(context).language)),
    }
}
