//! Compares the sealed data of an imported proof with a transfer.

use chrono::NaiveDate;

use super::value::Values;
use super::{Mismatch, Proof, ProofField};
use crate::account::Account;
use crate::calendar;
use crate::participants::{Catalogue, ParticipantCode, ParticipantError};
use crate::transfer::Transfer;

/// The payment in a proof's original chain, and the proof's tracking key. It is parsed once to be
/// compared with many transfers.
///
/// The bank has not matched an uploaded proof to a query, so the tolerances of [`Proof::answers`] don't
/// apply, and of the data outside the chain only the tracking key is used, which isn't sealed.
pub struct SealedPayment {
    tracking_key: String,
    /// Possible institutions of the payer. Receiving banks use their own spelling of names; a name that
    /// isn't in the catalogue is no evidence and leaves this empty.
    payer_institutions: Vec<ParticipantCode>,
    receiver: ParticipantCode,
    centavos: Option<u64>,
    operation_date: NaiveDate,
    credit_date: NaiveDate,
    account: Option<String>,
    account_type: Option<u16>,
}

impl SealedPayment {
    /// Reads a proof's chain. The payer's institution is found by its name on the date of the credit.
    pub fn of(proof: &Proof, catalogue: &Catalogue) -> Self {
        let chain = &proof.chain;
        let sealed = chain.values();
        let account = sealed.text(ProofField::BeneficiaryAccount);
        Self {
            tracking_key: proof.tracking_key().to_owned(),
            payer_institutions: payer_institutions(&sealed, chain.credit_date(), catalogue),
            receiver: chain.receiver(),
            centavos: sealed.centavos(ProofField::Amount),
            operation_date: chain.operation_date(),
            credit_date: chain.credit_date(),
            account: account.map(str::to_owned),
            account_type: sealed.number(ProofField::BeneficiaryAccountType),
        }
    }

    /// The sealed amount in centavos.
    pub fn centavos(&self) -> Option<u64> {
        self.centavos
    }

    /// All differences from a transfer, computed lazily. `named` is the institution
    /// ([`Catalogue::institution`]) of the issuer if the caller gave it; an inferred issuer isn't
    /// compared.
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
            Mismatch::TrackingKey => transfer
                .tracking_key()
                .is_some_and(|key| key.as_str() != self.tracking_key),
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

    /// Returns `true` if the payment was credited to an account with this number and type.
    fn credits(&self, account: &Account) -> bool {
        // `TipoCuenta` of each kind of account.
        let kind = match account {
            Account::Clabe(_) => 40,
            Account::Card(_) => 3,
            Account::Phone(_) => 10,
        };
        self.account.as_deref() == Some(account.as_str()) && self.account_type == Some(kind)
    }

    /// Returns `true` if the chain's dates are possible for a payment of `date`. A payment on a
    /// non-banking day or in the evening belongs to the next banking day, but is credited at once, or
    /// shortly after midnight. `date` may also be the operation date; then the credit is on that day,
    /// or before it within the same operation day.
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

/// The institutions with the name that the chain gives for the payer's institution.
fn payer_institutions(
    sealed: &Values,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Vec<ParticipantCode> {
    let Some(name) = sealed.text(ProofField::IssuerName) else {
        return Vec::new();
    };
    let codes = match catalogue.participant(name, date) {
        Ok(code) => vec![code],
        Err(ParticipantError::AmbiguousName { candidates }) => {
            candidates.iter().map(|candidate| candidate.code).collect()
        }
        Err(_) => Vec::new(),
    };
    let institutions = codes.into_iter().map(|code| catalogue.institution(code));
    institutions.collect()
}
