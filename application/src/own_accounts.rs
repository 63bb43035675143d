//! Own accounts of customers: their management by people, and the completion of masked and missing accounts.

mod content;
mod reencryption;
mod service;

use std::sync::Arc;

use domain::account::AccountError;
use domain::own_accounts::{AccountNameError, OwnAccount, OwnAccountError};
use domain::participants::ParticipantError;
use domain::people::customer::CustomerId;
use ports::Cause;
use ports::outbound::{OwnAccountStore, StoreError, StoredAccounts};

pub use reencryption::AccountReencryption;
pub use service::OwnAccountService;

use crate::lookups::LookupEncryption;

/// An own account to add; nothing of it is validated yet.
#[derive(Clone, Debug)]
pub struct NewOwnAccount {
    /// The customer's name for it.
    pub name: String,
    /// CLABE, card or phone number.
    pub account: String,
    /// Code or name of its institution; `None` to infer it.
    pub bank: Option<String>,
}

/// Reason why own accounts can't be read or changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OwnAccountFailure {
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] AccountNameError),
    /// The account can't be parsed.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The institution is malformed, unknown or ambiguous.
    #[error(transparent)]
    Bank(#[from] ParticipantError),
    /// The account contradicts itself or the customer's others.
    #[error(transparent)]
    Refused(#[from] OwnAccountError),
    /// The customer has no such account.
    #[error("there is no such own account")]
    NotFound,
    /// The store failed, or the accounts can't be decrypted.
    #[error("own accounts can't be read or stored: {0}")]
    Store(Cause),
}

impl From<StoreError> for OwnAccountFailure {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

/// Reads own accounts.
#[derive(Clone)]
pub struct OwnAccounts {
    store: Arc<dyn OwnAccountStore>,
    encryption: Arc<LookupEncryption>,
}

impl OwnAccounts {
    /// Creates a reader of the accounts in `store`, which are encrypted as lookups are.
    pub fn new(store: Arc<dyn OwnAccountStore>, encryption: Arc<LookupEncryption>) -> Self {
        Self { store, encryption }
    }

    /// A customer's own accounts, in the order in which they were added.
    ///
    /// # Errors
    /// The store failed, or they can't be decrypted.
    pub(crate) async fn of(&self, customer: CustomerId) -> Result<Vec<OwnAccount>, Cause> {
        let stored = self.store.own_accounts(customer).await;
        let stored = stored.map_err(|error| Arc::new(error) as Cause)?;
        stored.map_or_else(|| Ok(Vec::new()), |stored| self.decrypt(&stored))
    }

    fn decrypt(&self, stored: &StoredAccounts) -> Result<Vec<OwnAccount>, Cause> {
        let plain = self.encryption.own_accounts(stored)?;
        let accounts = content::decode(plain.into());
        accounts.map_err(|error| Arc::new(error) as Cause)
    }

    /// The accounts as the revision after `before`, encrypted with the newest secret.
    fn encrypt(
        &self,
        (customer, before): (CustomerId, u64),
        accounts: &[OwnAccount],
    ) -> Result<StoredAccounts, Cause> {
        let content = content::encode(accounts);
        self.encryption
            .encrypt_own_accounts((customer, before + 1), &content)
    }
}
