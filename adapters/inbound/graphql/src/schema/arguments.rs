//! Parsers of arguments that several queries share.

use async_graphql::ID;
use chrono::Utc;
use domain::keys::KeyId;
use domain::people::customer::CustomerId;
use uuid::Uuid;
use web::problem::GraphqlProblem;
use web::views::scalars::DateTime;

use crate::field_error::FieldError;

/// Removes duplicates, keeping the first of each.
pub(super) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut kept, value| {
        if !kept.contains(&value) {
            kept.push(value);
        }
        kept
    })
}

/// Parses an id; `None` when it isn't a UUID.
pub(super) fn uuid(id: &ID) -> Option<Uuid> {
    Uuid::try_parse(id.as_str()).ok()
}

/// Parses an optional argument that filters by key.
pub(super) fn key_id(argument: &'static str, id: Option<&ID>) -> Result<Option<KeyId>, FieldError> {
    Ok(narrowed(argument, id)?.map(KeyId))
}

/// Parses an optional argument that filters by account.
pub(super) fn customer_id(
    argument: &'static str,
    id: Option<&ID>,
) -> Result<Option<CustomerId>, FieldError> {
    Ok(narrowed(argument, id)?.map(CustomerId))
}

/// Parses an optional argument that filters by an id.
pub(super) fn narrowed(
    argument: &'static str,
    id: Option<&ID>,
) -> Result<Option<Uuid>, FieldError> {
    let malformed = GraphqlProblem::ArgumentMalformedId { argument };
    Ok(id.map(|id| uuid(id).ok_or(malformed)).transpose()?)
}

/// Validates a search text; `None` when it is blank.
pub(super) fn search_text(
    argument: &'static str,
    text: Option<&str>,
) -> Result<Option<String>, FieldError> {
    let text = text.map(web::search_text).transpose();
    let text = text.map_err(|_| GraphqlProblem::ArgumentMalformedText { argument })?;
    Ok(text.flatten())
}

type Instant = chrono::DateTime<Utc>;

/// Converts the two optional bounds of a period.
pub(super) fn span(
    argument: &'static str,
    from: Option<DateTime>,
    to: Option<DateTime>,
) -> Result<(Option<Instant>, Option<Instant>), FieldError> {
    let (from, to) = (from.map(|end| end.0), to.map(|end| end.0));
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        return Err(GraphqlProblem::ArgumentBackwards { argument }.into());
    }
    Ok((from, to))
}
