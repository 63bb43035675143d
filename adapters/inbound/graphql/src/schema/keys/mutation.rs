//! Mutations of keys. Payloads don't implement `Debug`, because two contain a secret.

use application::{NewKey, RequestedScope};
use async_graphql::{Context, ID, InputObject, Object};
use web::views::keys::Environment;

use super::views::Key;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, Nullable, payload, respond};

/// A key that is to be made.
#[derive(InputObject)]
pub(crate) struct CreateKeyInput {
    /// Its label: 1 to 100 characters.
    name: String,
    /// The bank that it asks.
    #[graphql(default_with = "Environment::Live")]
    env: Environment,
}

/// A key that is to be called otherwise.
#[derive(InputObject)]
pub(crate) struct RenameKeyInput {
    /// The key.
    id: ID,
    /// Its new label: 1 to 100 characters.
    name: String,
}

/// A key that is to be revoked.
#[derive(InputObject)]
pub(crate) struct RevokeKeyInput {
    /// The key.
    id: ID,
}

/// A key that is to be given a successor.
#[derive(InputObject)]
pub(crate) struct RotateKeyInput {
    /// The key.
    id: ID,
    /// For how many hours it goes on working beside its successor: 0 to 168.
    #[graphql(default = 24)]
    grace_hours: i32,
}

payload! {
    /// A key that was changed, or why it wasn't.
    KeyPayload {
        /// The key after the change; null when nothing was changed.
        key: Key,
    }
}

payload! {
    /// A key that was just made, or why none was.
    CreateKeyPayload {
        /// The key; null when it wasn't made.
        key: Key,
        /// Its complete text, for `x-api-key`. It is shown here and never again; null when no key was
        /// made.
        api_key: String,
    }
}

payload! {
    /// A key that was given a successor, or why it wasn't.
    RotateKeyPayload {
        /// The old key, which revokes itself; null when nothing was changed.
        old_key: Key,
        /// Its successor; null when nothing was changed.
        new_key: Key,
        /// The successor's complete text, for `x-api-key`. It is shown here and never again; null when
        /// nothing was changed.
        api_key: String,
    }
}

#[derive(Default)]
pub(crate) struct KeyMutation;

#[Object]
impl KeyMutation {
    /// Makes a key of the viewer's, with the limits of its account's plan.
    async fn create_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key that is to be made.")] input: CreateKeyInput,
    ) -> Nullable<CreateKeyPayload> {
        let create = async {
            let mut errors = InputErrors::default();
            let name = errors.name(&input.name);
            let new = NewKey {
                name: errors.end(name)?,
                environment: input.env.into(),
                limits: None,
            };
            let caller = &requester(context).caller;
            let created = ports(context).keys.create(caller, new).await?;
            let secret = created.secret.reveal().to_owned();
            Ok(CreateKeyPayload::of(created.key.into(), secret))
        };
        respond(context, create).await
    }

    /// Gives one of the viewer's keys another name.
    async fn rename_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its new name.")] input: RenameKeyInput,
    ) -> Nullable<KeyPayload> {
        let rename = async {
            let mut errors = InputErrors::default();
            let read = (errors.key(&input.id), errors.name(&input.name));
            let (id, name) = errors.end(read.0.zip(read.1))?;
            let caller = &requester(context).caller;
            let keys = &ports(context).keys;
            let renamed = keys.rename(caller, RequestedScope::Own, id, name).await?;
            Ok(KeyPayload::of(renamed.into()))
        };
        respond(context, rename).await
    }

    /// Revokes one of the viewer's keys for good. When this answers, no request is admitted with
    /// it any more; to revoke it again changes nothing.
    async fn revoke_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] input: RevokeKeyInput,
    ) -> Nullable<KeyPayload> {
        revoke(context, RequestedScope::Own, &input).await
    }

    /// Gives one of the viewer's keys a successor with the same name, environment and limits. The
    /// old one revokes itself when the time of grace is over; at once when there is none.
    async fn rotate_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key, and its time of grace.")] input: RotateKeyInput,
    ) -> Nullable<RotateKeyPayload> {
        let rotate = async {
            let mut errors = InputErrors::default();
            let read = (errors.key(&input.id), errors.grace(input.grace_hours));
            let (id, grace) = errors.end(read.0.zip(read.1))?;
            let caller = &requester(context).caller;
            let rotated = ports(context).keys.rotate(caller, id, grace).await?;
            let secret = rotated.new.secret.reveal().to_owned();
            let (old, new) = (rotated.old.into(), rotated.new.key.into());
            Ok(RotateKeyPayload::of(old, new, secret))
        };
        respond(context, rotate).await
    }

    /// Revokes anybody's key for good. Admins only.
    async fn admin_revoke_key(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The key.")] input: RevokeKeyInput,
    ) -> Nullable<KeyPayload> {
        revoke(context, RequestedScope::All, &input).await
    }
}

async fn revoke(
    context: &Context<'_>,
    scope: RequestedScope,
    input: &RevokeKeyInput,
) -> Nullable<KeyPayload> {
    let revoke = async {
        let mut errors = InputErrors::default();
        let id = errors.key(&input.id);
        let id = errors.end(id)?;
        let caller = &requester(context).caller;
        let revoked = ports(context).keys.revoke(caller, scope, id).await?;
        Ok(KeyPayload::of(revoked.into()))
    };
    respond(context, revoke).await
}
