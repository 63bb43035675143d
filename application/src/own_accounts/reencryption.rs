//! Re-encryption of own accounts after a rotation of the store secret.

use ports::Cause;
use ports::outbound::{StoreError, StoredAccounts};

use super::OwnAccounts;
use crate::webhooks::Reencrypted;

/// Number of customers that are read in one query.
const PER_STEP: u32 = 100;

/// Re-encrypts own accounts with the newest store secret, since they are kept for as long as their customers want
/// them.
pub struct AccountReencryption {
    accounts: OwnAccounts,
}

impl AccountReencryption {
    /// Creates a re-encryption.
    pub fn new(accounts: OwnAccounts) -> Self {
        Self { accounts }
    }

    /// Re-encrypts all accounts that are encrypted with an older store secret; counts customers.
    ///
    /// # Errors
    /// The store failed; the next round continues.
    pub async fn round(&self) -> Result<Reencrypted, StoreError> {
        let OwnAccounts { store, encryption } = &self.accounts;
        let newest = encryption.generation();
        let mut counted = Reencrypted::default();
        let mut after = None;
        loop {
            let found = store
                .own_accounts_to_reencrypt(newest, after, PER_STEP)
                .await?;
            let Some(last) = found.last() else {
                return Ok(counted);
            };
            after = Some(last.customer);
            for stored in &found {
                match self.anew(stored) {
                    // Not replaced if they were changed in the meantime, with the newest secret.
                    Ok(anew) => {
                        let replaced = store.replace_own_accounts(&anew, None).await?;
                        counted.done += u64::from(replaced);
                    }
                    Err(cause) => {
                        tracing::debug!(%cause, "a customer's own accounts can't be read");
                        counted.unreadable += 1;
                    }
                }
            }
        }
    }

    fn anew(&self, stored: &StoredAccounts) -> Result<StoredAccounts, Cause> {
        let accounts = self.accounts.decrypt(stored)?;
        let place = (stored.customer, stored.revision);
        self.accounts.encrypt(place, &accounts)
    }
}
