//! Mutations of stored lookups.

use async_graphql::{Context, ID, InputObject, Object};

use super::views::Lookup;
use crate::schema::context::{ports, requester};
use crate::schema::user_error::{InputErrors, Nullable, payload, respond};

/// A lookup that is to be canceled.
#[derive(InputObject)]
pub(crate) struct CancelLookupInput {
    /// The lookup.
    id: ID,
}

/// A lookup that is to be erased.
#[derive(InputObject)]
pub(crate) struct EraseLookupInput {
    /// The lookup.
    id: ID,
}

payload! {
    /// A lookup that was canceled, or why it wasn't.
    CancelLookupPayload {
        /// The lookup after the change; null when nothing was changed.
        lookup: Lookup,
    }
}

payload! {
    /// A lookup that was erased, or why it wasn't.
    EraseLookupPayload {
        /// The identity that it had; null when nothing was changed.
        erased_id: ID,
    }
}

#[derive(Default)]
pub(crate) struct LookupMutation;

#[Object]
impl LookupMutation {
    /// Cancels a stored lookup of the viewer's that isn't final.
    async fn cancel_lookup(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The lookup.")] input: CancelLookupInput,
    ) -> Nullable<CancelLookupPayload> {
        let cancel = async {
            let mut errors = InputErrors::default();
            let id = errors.lookup(&input.id);
            let id = errors.end(id)?;
            let requester = requester(context);
            let view = ports(context).lookups.cancel(&requester.caller, id).await?;
            Ok(CancelLookupPayload::of(Lookup::new(
                &view,
                requester.language,
            )))
        };
        respond(context, cancel).await
    }

    /// Erases a stored lookup of the viewer's that is final: its question, its proof and its files.
    async fn erase_lookup(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The lookup.")] input: EraseLookupInput,
    ) -> Nullable<EraseLookupPayload> {
        let erase = async {
            let mut errors = InputErrors::default();
            let id = errors.lookup(&input.id);
            let id = errors.end(id)?;
            let caller = &requester(context).caller;
            ports(context).lookups.erase(caller, id).await?;
            Ok(EraseLookupPayload::of(id.into()))
        };
        respond(context, erase).await
    }
}
