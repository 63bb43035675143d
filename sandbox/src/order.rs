//! A payment order, identified by the fields of the portal's form.

use chrono::NaiveDate;
use domain::amount::Amount;
use domain::participants::{Catalogue, ParticipantCode};
use domain::tracking_key::TrackingKey;

/// Kind of the recipient of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Beneficiary {
    /// A customer of the receiver (`receptorParticipante=0`); the account is the beneficiary's.
    Customer,
    /// The receiver itself (`receptorParticipante=1`); the account is the payer's.
    Participant,
}

/// One payment order. Equal orders have byte-identical proofs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Order {
    pub(crate) date: NaiveDate,
    pub(crate) tracking_key: TrackingKey,
    /// Numeric reference, up to 7 digits.
    pub(crate) reference: u32,
    pub(crate) issuer: ParticipantCode,
    pub(crate) receiver: ParticipantCode,
    /// 18 digits (CLABE), 16 (card) or 10 (phone).
    pub(crate) account: String,
    pub(crate) amount: Amount,
    pub(crate) beneficiary: Beneficiary,
}

impl Order {
    /// Returns several transfers with the same reference number, account, date and amount.
    pub(crate) fn with_same_reference(&self) -> Vec<Self> {
        let key = |letter| TrackingKey::parse(&format!("{}{letter}", self.tracking_key));
        let keys = ["A", "B", "C"].into_iter().flat_map(key);
        keys.map(|tracking_key| Self {
            tracking_key,
            ..self.clone()
        })
        .collect()
    }

    /// Returns another transfer to the same account, to simulate a download of the wrong proof.
    pub(crate) fn another(&self) -> Option<Self> {
        Some(Self {
            tracking_key: TrackingKey::parse("SANDBOXANOTHERTRANSFER").ok()?,
            amount: Amount::from_centavos(self.amount.centavos() + 1)?,
            ..self.clone()
        })
    }
}

/// Returns a participant's short name in the central bank's list, or its code if it isn't listed.
pub(crate) fn participant_name(code: ParticipantCode) -> String {
    Catalogue::embedded()
        .find(code)
        .map_or_else(|| code.to_string(), |participant| participant.name.clone())
}
