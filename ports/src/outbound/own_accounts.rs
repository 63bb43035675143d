//! Port: customers' own accounts.

use async_trait::async_trait;
use domain::audit::AuditEntry;
use domain::keys::HashGeneration;
use domain::people::customer::CustomerId;

use super::StoreError;

/// Port: the own accounts of each customer, all in one ciphertext. Every method is one atomic step.
#[async_trait]
pub trait OwnAccountStore: Send + Sync {
    /// A customer's own accounts; `None` if the customer has had none so far.
    async fn own_accounts(
        &self,
        customer: CustomerId,
    ) -> Result<Option<StoredAccounts>, StoreError>;

    /// Replaces a customer's own accounts by those of the next revision, and writes the audit entry. Returns `false`,
    /// and changes nothing, if the stored revision isn't the one before. MUST NOT accept two of one revision.
    async fn replace_own_accounts(
        &self,
        accounts: &StoredAccounts,
        entry: Option<&AuditEntry>,
    ) -> Result<bool, StoreError>;

    /// Own accounts of up to `most` customers with ids after `after`, in order of id, that are encrypted under a
    /// generation other than `newest`.
    async fn own_accounts_to_reencrypt(
        &self,
        newest: HashGeneration,
        after: Option<CustomerId>,
        most: u32,
    ) -> Result<Vec<StoredAccounts>, StoreError>;
}

/// The own accounts of a customer, encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAccounts {
    /// The owner.
    pub customer: CustomerId,
    /// Number of the change that made them, from 1.
    pub revision: u64,
    /// Generation of the store secret that they are encrypted with.
    pub generation: HashGeneration,
    /// The accounts, encrypted.
    pub content: Vec<u8>,
}
