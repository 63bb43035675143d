//! An interbank transfer with everything needed to query its proof.

use chrono::NaiveDate;

use crate::account::Account;
use crate::amount::Amount;
use crate::participant::ParticipantCode;
use crate::tracking_key::TrackingKey;

/// The six facts that identify a transfer. Issuer and receiver have different codes; a catalogue
/// knows if they are two codes of one institution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    date: NaiveDate,
    tracking_key: TrackingKey,
    account: Account,
    amount: Amount,
    issuer: ParticipantCode,
    receiver: ParticipantCode,
}

/// The institutions of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks {
    /// The sender.
    pub issuer: ParticipantCode,
    /// The receiver.
    pub receiver: ParticipantCode,
}

/// Issuer and receiver are one institution: such a payment never crosses SPEI and has no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("issuer and receiver are the same institution ({code})")]
pub struct SameInstitution {
    /// The institution on both sides.
    pub code: ParticipantCode,
}

impl Transfer {
    /// A transfer of `amount` on `date` (Mexico City's calendar) to `account`.
    ///
    /// # Errors
    /// [`SameInstitution`] when issuer and receiver have one code.
    pub fn new(
        date: NaiveDate,
        tracking_key: TrackingKey,
        account: Account,
        amount: Amount,
        issuer: ParticipantCode,
        receiver: ParticipantCode,
    ) -> Result<Self, SameInstitution> {
        if issuer == receiver {
            return Err(SameInstitution { code: issuer });
        }
        Ok(Self {
            date,
            tracking_key,
            account,
            amount,
            issuer,
            receiver,
        })
    }

    /// The calendar date of the transfer in Mexico City.
    pub fn date(&self) -> NaiveDate {
        self.date
    }

    /// Tracking key, assigned by the issuing bank.
    pub fn tracking_key(&self) -> &TrackingKey {
        &self.tracking_key
    }

    /// The beneficiary's account.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// The exact amount.
    pub fn amount(&self) -> Amount {
        self.amount
    }

    /// The institution that sent the payment.
    pub fn issuer(&self) -> ParticipantCode {
        self.issuer
    }

    /// The institution that received the payment, and seals its proof.
    pub fn receiver(&self) -> ParticipantCode {
        self.receiver
    }

    /// Both institutions.
    pub fn banks(&self) -> Banks {
        Banks {
            issuer: self.issuer,
            receiver: self.receiver,
        }
    }
}
