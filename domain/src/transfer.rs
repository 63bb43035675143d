//! An interbank transfer with all data needed to query its proof.

use chrono::NaiveDate;

use crate::account::Account;
use crate::amount::Amount;
use crate::participants::ParticipantCode;
use crate::tracking_key::TrackingKey;

/// The six values that identify a transfer. Issuer and receiver have different codes; only a catalogue
/// knows if these belong to the same institution.
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
    /// Code of the institution that sent the payment.
    pub issuer: ParticipantCode,
    /// Code of the institution that received the payment.
    pub receiver: ParticipantCode,
}

/// Error: issuer and receiver are the same institution. Such a payment doesn't use SPEI and has no
/// proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("issuer and receiver are the same institution ({code})")]
pub struct SameInstitution {
    /// The institution on both sides.
    pub code: ParticipantCode,
}

impl Transfer {
    /// Builds a transfer of `amount` on `date` (calendar date in Mexico City) to `account`.
    ///
    /// # Errors
    /// [`SameInstitution`] if issuer and receiver have the same code.
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

    /// Exact amount of the transfer.
    pub fn amount(&self) -> Amount {
        self.amount
    }

    /// The institution that sent the payment.
    pub fn issuer(&self) -> ParticipantCode {
        self.issuer
    }

    /// The institution that received the payment and seals its proof.
    pub fn receiver(&self) -> ParticipantCode {
        self.receiver
    }

    /// Issuer and receiver.
    pub fn banks(&self) -> Banks {
        Banks {
            issuer: self.issuer,
            receiver: self.receiver,
        }
    }
}
