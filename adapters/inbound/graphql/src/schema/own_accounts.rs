//! Own accounts: their query and mutations.

use application::NewOwnAccount;
use async_graphql::{Context, ID, InputObject, Object};
use web::views::own_accounts::OwnAccount;

use super::context::{ports, requester};
use super::user_error::{InputErrors, Nullable, payload, respond};
use crate::field_error::FieldError;

/// An own account that is to be added.
#[derive(InputObject)]
pub(crate) struct AddOwnAccountInput {
    /// The owner's name for it: 1 to 100 characters.
    name: String,
    /// CLABE (18 digits), card (16) or phone number (10).
    cuenta: String,
    /// Code or name of its institution; may be left out for a CLABE, and for most cards.
    receptor: Option<String>,
}

/// An own account that is to be removed.
#[derive(InputObject)]
pub(crate) struct RemoveOwnAccountInput {
    /// The account.
    id: ID,
}

payload! {
    /// An own account that was added, or why it wasn't.
    OwnAccountPayload {
        /// The account; null when nothing was changed.
        own_account: OwnAccount,
    }
}

payload! {
    /// An own account that was removed, or why it wasn't.
    RemoveOwnAccountPayload {
        /// The identity that it had; null when nothing was changed.
        removed_id: ID,
    }
}

#[derive(Default)]
pub(crate) struct OwnAccountQuery;

#[Object]
impl OwnAccountQuery {
    /// The accounts that the viewer receives transfers on, in the order in which they were added: at most 50.
    async fn own_accounts(&self, context: &Context<'_>) -> Result<Vec<OwnAccount>, FieldError> {
        let caller = &requester(context).caller;
        let found = ports(context).own_accounts.list(caller).await?;
        let catalogue = ports(context).participants.catalogue.catalogue();
        let views = found.iter().map(|own| OwnAccount::new(own, &catalogue));
        Ok(views.collect())
    }
}

#[derive(Default)]
pub(crate) struct OwnAccountMutation;

#[Object]
impl OwnAccountMutation {
    /// Adds an account that the viewer receives transfers on. Lookups whose account is masked or missing are completed
    /// with those that fit.
    async fn add_own_account(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The account that is to be added.")] input: AddOwnAccountInput,
    ) -> Nullable<OwnAccountPayload> {
        let add = async {
            let new = NewOwnAccount {
                name: input.name,
                account: input.cuenta,
                bank: input.receptor,
            };
            let caller = &requester(context).caller;
            let added = ports(context).own_accounts.add(caller, new).await?;
            let catalogue = ports(context).participants.catalogue.catalogue();
            Ok(OwnAccountPayload::of(OwnAccount::new(&added, &catalogue)))
        };
        respond(context, add).await
    }

    /// Removes one of the viewer's own accounts.
    async fn remove_own_account(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The account.")] input: RemoveOwnAccountInput,
    ) -> Nullable<RemoveOwnAccountPayload> {
        let remove = async {
            let mut errors = InputErrors::default();
            let id = errors.own_account(&input.id);
            let id = errors.end(id)?;
            let caller = &requester(context).caller;
            ports(context).own_accounts.remove(caller, id).await?;
            Ok(RemoveOwnAccountPayload::of(id.0.into()))
        };
        respond(context, remove).await
    }
}
