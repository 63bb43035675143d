//! The root type of subscriptions.

use async_graphql::{Context, Description, ID, Subscription};
use domain::batches::BatchId;
use domain::lookups::LookupId;
use futures::Stream;
use futures::stream::try_unfold;
use web::problem::GraphqlProblem;

use super::batch::Batch;
use super::context::{ports, requester};
use super::input::uuid;
use super::lookup::Lookup;
use crate::field_error::FieldError;

/// Subscriptions, answered over a WebSocket.
#[derive(Description)]
pub(crate) struct Subscription;

#[Subscription(use_type_description)]
impl Subscription {
    /// One of the viewer's stored lookups: as it is now, then each time that its state changes or an
    /// attempt ends, until it is final.
    async fn lookup_changed(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The lookup.")] id: ID,
    ) -> Result<impl Stream<Item = Result<Lookup, FieldError>>, FieldError> {
        // A text that isn't shaped like an id identifies nothing.
        let id = uuid(&id).ok_or(GraphqlProblem::NotFound)?;
        let ports = ports(context).clone();
        let requester = requester(context);
        let language = requester.language;
        let changes = ports.lookups.changes(&requester.caller, LookupId(id));
        let changes = changes.await?;
        Ok(try_unfold(
            (changes, ports, language),
            async |(mut changes, ports, language)| {
                let Some(view) = changes.next().await? else {
                    return Ok(None);
                };
                let lookup = Lookup::new(&view, &ports, language);
                Ok(Some((lookup, (changes, ports, language))))
            },
        ))
    }

    /// One of the viewer's batches: as it is now, then about once a second while its state or its counts
    /// change, until it is final.
    async fn batch_changed(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The batch.")] id: ID,
    ) -> Result<impl Stream<Item = Result<Batch, FieldError>>, FieldError> {
        let id = uuid(&id).ok_or(GraphqlProblem::NotFound)?;
        let access = requester(context).batch_access();
        let changes = ports(context).batches.changes(&access, BatchId(id)).await?;
        Ok(try_unfold(changes, async |mut changes| {
            let view = changes.next().await?;
            Ok(view.map(|view| (Batch::from(&view), changes)))
        }))
    }
}
