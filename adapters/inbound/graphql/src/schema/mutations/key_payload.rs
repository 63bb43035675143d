//! Payload of mutations that change one key. Payloads don't implement `Debug`, because two contain a secret.

use async_graphql::SimpleObject;
use domain::keys::KeyOverview;

use crate::schema::key::Key;
use crate::schema::user_error::UserError;

/// A key that was changed, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct KeyPayload {
    /// The key after the change; null when nothing was changed.
    key: Option<Key>,
    /// Reasons for which nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<KeyOverview> for KeyPayload {
    fn from(overview: KeyOverview) -> Self {
        Self {
            key: Some(overview.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for KeyPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}
