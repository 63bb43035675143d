//! Comparison of what is sealed with the payment that a row asks for.

use chrono::NaiveDate;

use super::{AccountType, Mismatch, OriginalChain, Proof};
use crate::account::Account;
use crate::calendar;
use crate::participant::{Catalogue, ParticipantCode, ParticipantError};
use crate::transfer::Transfer;

/// The payment that a proof's chain seals, and the tracking key beside it. It is read once, to be compared with
/// many transfers.
///
/// Nobody at the bank matched a proof that somebody sent, so nothing is tolerated that [`Proof::answers`]
/// tolerates, and what stands beside the chain counts for nothing but the tracking key, which isn't sealed.
pub struct SealedPayment {
    tracking_key: String,
    /// The institutions that the payer's may be. Receivers spell names as they like: one that the catalogue doesn't
    /// know is no evidence, and none is here.
    payer_institutions: Vec<ParticipantCode>,
    receiver: ParticipantCode,
    centavos: Option<u64>,
    operation_date: NaiveDate,
    credit_date: NaiveDate,
    account: Option<String>,
    account_type: Option<AccountType>,
}

impl SealedPayment {
    /// Reads a proof's chain; the payer's institution is known by its name on the day of the credit.
    pub fn of(proof: &Proof, catalogue: &Catalogue) -> Self {
        let chain = &proof.chain;
        let beneficiary = chain.beneficiary();
        Self {
            tracking_key: proof.tracking_key.clone(),
            payer_institutions: payer_institutions(chain, catalogue),
            receiver: chain.receiver(),
            centavos: chain.centavos(),
            operation_date: chain.operation_date(),
            credit_date: chain.credit_date(),
            account: beneficiary.account,
            account_type: beneficiary.account_type,
        }
    }

    /// The sealed amount in centavos.
    pub fn centavos(&self) -> Option<u64> {
        self.centavos
    }

    /// All differences from the transfer that is asked for, compared as they are taken. `named` is the institution
    /// ([`Catalogue::institution`]) of the issuer that the caller named: an inferred one is a guess.
    pub fn mismatches(
        &self,
        transfer: &Transfer,
        named: Option<ParticipantCode>,
    ) -> impl Iterator<Item = Mismatch> {
        let all = Mismatch::ALL.into_iter();
        all.filter(move |mismatch| self.differs(*mismatch, transfer, named))
    }

    fn differs(
        &self,
        mismatch: Mismatch,
        transfer: &Transfer,
        named: Option<ParticipantCode>,
    ) -> bool {
        match mismatch {
            Mismatch::TrackingKey => self.tracking_key != transfer.tracking_key().as_str(),
            Mismatch::Issuer => named.is_some_and(|issuer| {
                let payers = &self.payer_institutions;
                !payers.is_empty() && !payers.contains(&issuer)
            }),
            Mismatch::Receiver => self.receiver != transfer.receiver(),
            Mismatch::Amount => self.centavos != Some(transfer.amount().centavos()),
            Mismatch::Date => !self.is_made_on(transfer.date()),
            Mismatch::Account => !self.credits(transfer.account()),
        }
    }

    /// Returns `true` if the payment was credited to this account, of its kind.
    fn credits(&self, account: &Account) -> bool {
        let kind = match account {
            Account::Clabe(_) => AccountType::Clabe,
            Account::Card(_) => AccountType::Card,
            Account::Phone(_) => AccountType::Phone,
        };
        self.account.as_deref() == Some(account.as_str()) && self.account_type == Some(kind)
    }

    /// Returns `true` if the chain's dates are those of a payment of `date`. A payment of a day on which banks are
    /// closed, or of an evening, belongs to the next banking day's operation, and is credited at once, after midnight
    /// at the latest. A `date` may be the operation date itself, too: then it was credited in that day's operation.
    fn is_made_on(&self, date: NaiveDate) -> bool {
        let (operation, credit) = (self.operation_date, self.credit_date);
        let is_credited_at_once = credit == date || Some(credit) == date.succ_opt();
        if operation == date {
            let is_before = credit < operation && calendar::next_banking_day(credit) == operation;
            return is_credited_at_once || is_before;
        }
        is_credited_at_once && operation == calendar::next_banking_day(date)
    }
}

/// The institutions that have the name which the chain gives the payer's.
fn payer_institutions(chain: &OriginalChain, catalogue: &Catalogue) -> Vec<ParticipantCode> {
    let Some(name) = chain.payer().institution else {
        return Vec::new();
    };
    let codes = match catalogue.participant(&name, chain.credit_date()) {
        Ok(code) => vec![code],
        Err(ParticipantError::AmbiguousName { candidates }) => {
            candidates.iter().map(|candidate| candidate.code).collect()
        }
        Err(_) => Vec::new(),
    };
    let institutions = codes.into_iter().map(|code| catalogue.institution(code));
    institutions.collect()
}
