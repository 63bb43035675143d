//! Queries of the catalogue of participants.

use async_graphql::{Context, Object};
use web::views::participants::Participant;

use super::arguments::search_text;
use super::context::ports;
use crate::field_error::FieldError;

#[derive(Default)]
pub(crate) struct ParticipantQuery;

#[Object]
impl ParticipantQuery {
    #[expect(clippy::unused_async, reason = "a resolver is one")]
    /// The catalogue of banks, past ones included, by the first digits of their customers' CLABEs.
    async fn participants(
        &self,
        context: &Context<'_>,
        #[graphql(
            desc = "With this text in the name, or at the beginning of the code, upper and \
                          lower case being alike. At most 200 characters."
        )]
        text: Option<String>,
    ) -> Result<Vec<Participant>, FieldError> {
        let text = search_text("text", text.as_deref())?;
        Ok(ports(context).participants.search(text.as_deref()))
    }
}
