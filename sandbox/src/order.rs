//! A payment order as the portal's form names it, and what the sandbox knows of it by heart.

use chrono::NaiveDate;
use domain::amount::Amount;
use domain::participant::{Catalogue, ParticipantCode};
use domain::tracking_key::TrackingKey;

/// Who the money is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Beneficiary {
    /// A customer of the receiver (`receptorParticipante=0`); the account is the beneficiary's.
    Customer,
    /// The receiver itself (`receptorParticipante=1`); the account is the payer's.
    Participant,
}

/// One payment order. Equal orders have equal proofs, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Order {
    pub(crate) date: NaiveDate,
    pub(crate) tracking_key: TrackingKey,
    /// The numeric reference, up to 7 digits.
    pub(crate) reference: u32,
    pub(crate) issuer: ParticipantCode,
    pub(crate) receiver: ParticipantCode,
    /// 18 digits (CLABE), 16 (card) or 10 (phone).
    pub(crate) account: String,
    pub(crate) amount: Amount,
    pub(crate) beneficiary: Beneficiary,
}

impl Order {
    /// Another transfer to the same account, for the day on which the portal mixes up two answers.
    pub(crate) fn another(&self) -> Option<Self> {
        Some(Self {
            tracking_key: TrackingKey::parse("SANDBOXANOTHERTRANSFER").ok()?,
            amount: Amount::from_centavos(self.amount.centavos() + 1)?,
            ..self.clone()
        })
    }
}

/// The short name of a participant as the central bank lists it; its code when it isn't listed.
pub(crate) fn participant_name(code: ParticipantCode) -> String {
    Catalogue::embedded()
        .find(code)
        .map_or_else(|| code.to_string(), |participant| participant.name.clone())
}
