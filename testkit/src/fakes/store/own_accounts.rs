//! Own accounts of customers.

use async_trait::async_trait;
use domain::audit::AuditEntry;
use domain::keys::HashGeneration;
use domain::people::customer::CustomerId;
use ports::outbound::{OwnAccountStore, StoredAccounts};

use super::{MemoryStore, Result};

#[async_trait]
impl OwnAccountStore for MemoryStore {
    async fn own_accounts(&self, customer: CustomerId) -> Result<Option<StoredAccounts>> {
        let tables = self.call("own_accounts").await?;
        Ok(tables.own_accounts.get(&customer).cloned())
    }

    async fn replace_own_accounts(
        &self,
        accounts: &StoredAccounts,
        entry: Option<&AuditEntry>,
    ) -> Result<bool> {
        let mut tables = self.call("replace_own_accounts").await?;
        let before = tables.own_accounts.get(&accounts.customer);
        if before.map_or(0, |before| before.revision) + 1 != accounts.revision {
            return Ok(false);
        }
        if let Some(entry) = entry {
            tables.is_new(&entry.act)?;
            let changed = (entry.customer, entry.changes.clone());
            tables.log(&entry.act, entry.action, changed);
        }
        tables
            .own_accounts
            .insert(accounts.customer, accounts.clone());
        Ok(true)
    }

    async fn own_accounts_to_reencrypt(
        &self,
        newest: HashGeneration,
        after: Option<CustomerId>,
        most: u32,
    ) -> Result<Vec<StoredAccounts>> {
        let tables = self.call("own_accounts_to_reencrypt").await?;
        let older = tables.own_accounts.values();
        let older = older.filter(|it| it.generation != newest && Some(it.customer) > after);
        Ok(older.take(most as usize).cloned().collect())
    }
}
