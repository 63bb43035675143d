//! The answers of mutations. None of these has a `Debug`: two of them hold a secret.

use async_graphql::SimpleObject;
use domain::customer::Customer;
use domain::key::KeyOverview;
use ports::inbound::{CreatedKey, RotatedKey};

use super::account::Account;
use super::key::Key;
use super::user_error::UserError;

/// A key that was just made, or why none was.
#[derive(SimpleObject, Default)]
pub(crate) struct CreateKeyPayload {
    /// The key; null when it wasn't made.
    key: Option<Key>,
    /// Its complete text, for `x-api-key`. It is shown here and never again; null when no key was
    /// made.
    secret: Option<String>,
    /// Why it wasn't made; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<CreatedKey> for CreateKeyPayload {
    fn from(created: CreatedKey) -> Self {
        Self {
            secret: Some(created.secret.reveal().to_owned()),
            key: Some(created.key.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for CreateKeyPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

/// A key that was changed, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct KeyPayload {
    /// The key after the change; null when nothing was changed.
    key: Option<Key>,
    /// Why nothing was changed; empty when it was.
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

/// A key that was given a successor, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct RotateKeyPayload {
    /// The old key, which revokes itself; null when nothing was changed.
    old_key: Option<Key>,
    /// Its successor; null when nothing was changed.
    new_key: Option<Key>,
    /// The successor's complete text, for `x-api-key`. It is shown here and never again; null when
    /// nothing was changed.
    secret: Option<String>,
    /// Why nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<RotatedKey> for RotateKeyPayload {
    fn from(rotated: RotatedKey) -> Self {
        Self {
            old_key: Some(rotated.old.into()),
            secret: Some(rotated.new.secret.reveal().to_owned()),
            new_key: Some(rotated.new.key.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for RotateKeyPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}

/// An account that was changed, or why it wasn't.
#[derive(SimpleObject, Default)]
pub(crate) struct AccountPayload {
    /// The account after the change; null when nothing was changed.
    account: Option<Account>,
    /// Why nothing was changed; empty when it was.
    user_errors: Vec<UserError>,
}

impl From<Customer> for AccountPayload {
    fn from(customer: Customer) -> Self {
        Self {
            account: Some(customer.into()),
            user_errors: Vec::new(),
        }
    }
}

impl From<Vec<UserError>> for AccountPayload {
    fn from(user_errors: Vec<UserError>) -> Self {
        Self {
            user_errors,
            ..Self::default()
        }
    }
}
