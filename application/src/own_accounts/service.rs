//! Management of own accounts by people with a session.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::account::Account;
use domain::audit::{Action, AuditContext, AuditEntry, own_account_change};
use domain::calendar;
use domain::own_accounts::{AccountName, OwnAccount, OwnAccountId, check_new};
use domain::participants::inference::infer_receiver;
use domain::people::customer::CustomerId;
use ports::outbound::{Clock, CustomerStore, Random};

use super::{NewOwnAccount, OwnAccountFailure, OwnAccounts};
use crate::participants::SharedCatalogue;
use crate::people::{Authorization, Caller};
use crate::sync::places::Places;

/// Maximum number of attempts of a change, while other processes change the same accounts.
const ATTEMPTS: usize = 5;

/// Manages the own accounts of people's customers.
pub struct OwnAccountService {
    accounts: OwnAccounts,
    authorization: Authorization,
    participants: Arc<SharedCatalogue>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    /// Changes of a customer's accounts, one at a time.
    turns: Places,
}

impl OwnAccountService {
    /// Creates a service. `customers` are those of the people.
    pub fn new(
        accounts: OwnAccounts,
        customers: Arc<dyn CustomerStore>,
        participants: Arc<SharedCatalogue>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let authorization = Authorization::new(customers, Arc::clone(&clock), Arc::clone(&random));
        Self {
            accounts,
            authorization,
            participants,
            clock,
            random,
            turns: Places::new(1),
        }
    }

    /// The person's own accounts, in the order in which they were added.
    ///
    /// # Errors
    /// [`OwnAccountFailure::Store`].
    pub async fn list(&self, caller: &Caller) -> Result<Vec<OwnAccount>, OwnAccountFailure> {
        let Some(customer) = self.authorization.customer(caller).await? else {
            return Ok(Vec::new());
        };
        let found = self.accounts.of(customer.id).await;
        found.map_err(OwnAccountFailure::Store)
    }

    /// Adds an own account.
    ///
    /// # Errors
    /// Any [`OwnAccountFailure`] but [`OwnAccountFailure::NotFound`].
    pub async fn add(
        &self,
        caller: &Caller,
        new: NewOwnAccount,
    ) -> Result<OwnAccount, OwnAccountFailure> {
        let name = AccountName::parse(&new.name)?;
        let account = Account::parse(&new.account)?;
        let act = caller.act(&*self.clock, &*self.random);
        let today = calendar::today(act.at);
        let catalogue = self.participants.catalogue();
        let given = new.bank.map(|bank| catalogue.participant(&bank, today));
        let given = given.transpose()?;
        let inferred = infer_receiver(&account, today, &catalogue).ok();
        let banks = (given, inferred.map(|inferred| inferred.code));
        check_new(&account, banks, &[], &catalogue)?;
        let customer = self.authorization.customer_or_new(&caller.owner).await?;
        let change = |accounts: &mut Vec<OwnAccount>| {
            let own = OwnAccount {
                id: OwnAccountId(act.id),
                name: name.clone(),
                bank: check_new(&account, banks, accounts, &catalogue)?,
                account: account.clone(),
                added_at: millis(act.at),
            };
            accounts.push(own.clone());
            Ok(own)
        };
        self.changed(customer.id, (&act, Action::OwnAccountAdded), change)
            .await
    }

    /// Removes an own account, and returns it as it was.
    ///
    /// # Errors
    /// [`OwnAccountFailure::NotFound`], [`OwnAccountFailure::Store`].
    pub async fn remove(
        &self,
        caller: &Caller,
        id: OwnAccountId,
    ) -> Result<OwnAccount, OwnAccountFailure> {
        let customer = self.authorization.customer(caller).await?;
        let customer = customer.ok_or(OwnAccountFailure::NotFound)?;
        let act = caller.act(&*self.clock, &*self.random);
        let change = |accounts: &mut Vec<OwnAccount>| {
            let place = accounts.iter().position(|own| own.id == id);
            Ok(accounts.remove(place.ok_or(OwnAccountFailure::NotFound)?))
        };
        self.changed(customer.id, (&act, Action::OwnAccountRemoved), change)
            .await
    }

    /// Makes a change, again if one of another process came between.
    async fn changed(
        &self,
        customer: CustomerId,
        (act, action): (&AuditContext, Action),
        change: impl Fn(&mut Vec<OwnAccount>) -> Result<OwnAccount, OwnAccountFailure> + Send + Sync,
    ) -> Result<OwnAccount, OwnAccountFailure> {
        let store = &self.accounts.store;
        let _turn = self.turns.take(customer).await;
        for _ in 0..ATTEMPTS {
            let stored = store.own_accounts(customer).await?;
            let before = stored.as_ref().map_or(0, |stored| stored.revision);
            let accounts =
                stored.map_or_else(|| Ok(Vec::new()), |stored| self.accounts.decrypt(&stored));
            let mut accounts = accounts.map_err(OwnAccountFailure::Store)?;
            let own = change(&mut accounts)?;
            let entry = AuditEntry {
                act: act.clone(),
                action,
                customer,
                key: None,
                changes: own_account_change(action, &own),
            };
            let after = self.accounts.encrypt((customer, before), &accounts);
            let after = after.map_err(OwnAccountFailure::Store)?;
            if store.replace_own_accounts(&after, Some(&entry)).await? {
                let (id, request_id) = (own.id, &act.request_id);
                let action = action.name();
                tracing::info!(target: "cep::account", %id, action, %request_id, "a person changed own accounts");
                return Ok(own);
            }
        }
        Err(OwnAccountFailure::Store(Arc::new(Busy)))
    }
}

/// The time to the millisecond, as it is stored.
fn millis(at: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(at.timestamp_millis()).unwrap_or(at)
}

/// Others changed the accounts all the time.
#[derive(Debug, thiserror::Error)]
#[error("others change the same own accounts")]
struct Busy;
