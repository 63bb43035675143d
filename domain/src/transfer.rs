//! An interbank transfer with all data needed to query its proof.

use chrono::NaiveDate;

use crate::account::Account;
use crate::amount::Amount;
use crate::criterion::Criterion;
use crate::participants::ParticipantCode;
use crate::tracking_key::TrackingKey;

/// The six values that identify a transfer, or several if it is given by its reference number. Issuer and receiver have different codes; only a catalogue
/// knows if these belong to the same institution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    date: NaiveDate,
    criterion: Criterion,
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
        criterion: impl Into<Criterion>,
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
            criterion: criterion.into(),
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

    /// The tracking key or the reference number by which it is queried.
    pub fn criterion(&self) -> &Criterion {
        &self.criterion
    }

    /// Tracking key, assigned by the issuing bank; `None` if only the reference number is known.
    pub fn tracking_key(&self) -> Option<&TrackingKey> {
        self.criterion.tracking_key()
    }

    /// The same transfer, found by its tracking key.
    #[must_use]
    pub fn with_tracking_key(self, key: TrackingKey) -> Self {
        Self {
            criterion: key.into(),
            ..self
        }
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
