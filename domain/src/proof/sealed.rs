//! Comparison of what is sealed with the payment that a row asks for.

use chrono::NaiveDate;

use super::{AccountType, Mismatch, OriginalChain, Proof};
use crate::account::Account;
use crate::calendar;
use crate::participant::{Catalogue, ParticipantCode, ParticipantError};
use crate::transfer::Transfer;

impl Proof {
    /// All differences between the sealed data of a proof that somebody sent and the transfer that is asked for.
    /// Nobody at the bank matched them, so nothing is tolerated that [`Proof::answers`] tolerates, and what stands
    /// beside the chain counts for nothing but the tracking key, which isn't sealed. `named_issuer` is the issuer
    /// that the caller named: an inferred one is a guess.
    pub fn sealed_mismatches(
        &self,
        transfer: &Transfer,
        named_issuer: Option<ParticipantCode>,
        catalogue: &Catalogue,
    ) -> Vec<Mismatch> {
        let chain = &self.chain;
        let key = self.tracking_key != transfer.tracking_key().as_str();
        let receiver = chain.receiver() != transfer.receiver();
        let issuer = named_issuer.is_some_and(|issuer| is_of_another(chain, issuer, catalogue));
        let amount = chain.centavos() != Some(transfer.amount().centavos());
        [
            (key, Mismatch::TrackingKey),
            (issuer, Mismatch::Issuer),
            (receiver, Mismatch::Receiver),
            (amount, Mismatch::Amount),
            (!is_made_on(chain, transfer.date()), Mismatch::Date),
            (!credits(chain, transfer.account()), Mismatch::Account),
        ]
        .into_iter()
        .filter_map(|(differs, mismatch)| differs.then_some(mismatch))
        .collect()
    }
}

/// Returns `true` if the catalogue knows the payer's institution as another one. Receivers spell names as they
/// like: one that it doesn't know is no evidence.
fn is_of_another(chain: &OriginalChain, issuer: ParticipantCode, catalogue: &Catalogue) -> bool {
    let Some(name) = chain.payer().institution else {
        return false;
    };
    let is_another = |code| catalogue.institution(code) != catalogue.institution(issuer);
    match catalogue.participant(&name, chain.credit_date()) {
        Ok(code) => is_another(code),
        Err(ParticipantError::AmbiguousName { candidates }) => {
            candidates.iter().all(|it| is_another(it.code))
        }
        Err(_) => false,
    }
}

/// Returns `true` if the payment was credited to this account, of its kind.
fn credits(chain: &OriginalChain, account: &Account) -> bool {
    let kind = match account {
        Account::Clabe(_) => AccountType::Clabe,
        Account::Card(_) => AccountType::Card,
        Account::Phone(_) => AccountType::Phone,
    };
    let sealed = chain.beneficiary();
    sealed.account.as_deref() == Some(account.as_str()) && sealed.account_type == Some(kind)
}

/// Returns `true` if the chain's dates are those of a payment of `date`. A payment of a day on which banks are
/// closed, or of an evening, belongs to the next banking day's operation, and is credited at once, after midnight
/// at the latest. A `date` may be the operation date itself, too: then it was credited in that day's operation.
fn is_made_on(chain: &OriginalChain, date: NaiveDate) -> bool {
    let (operation, credit) = (chain.operation_date(), chain.credit_date());
    let is_credited_at_once = credit == date || Some(credit) == date.succ_opt();
    if operation == date {
        let is_before = credit < operation && calendar::next_banking_day(credit) == operation;
        return is_credited_at_once || is_before;
    }
    operation == calendar::next_banking_day(date) && is_credited_at_once
}
