//! Earlier deliveries of a proof: one proof that is shown for two orders is a common fraud.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::hex;
use crate::key::{Environment, KeyHasher};
use crate::participant::ParticipantCode;
use crate::proof::{OriginalChain, Proof};

/// First part of the message that is hashed. No API key is spelt like it.
const LABEL: &str = "cep-gateway: a sealed chain";
/// The same for marks of payments, as earlier versions recorded them.
const PAYMENT_LABEL: &str = "cep-gateway: a delivered proof";

/// Keyed hash of a proof's sealed text: recognises it again, and reveals nothing of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProofMark(pub [u8; 32]);

impl ProofMark {
    /// The marks of a proof by each of the server's secrets: the one to record, and after it those of
    /// earlier deliveries, which had other secrets or, where the issuer is known, marks of their payment.
    ///
    /// The mark is made of the environment and the sealed text alone. Whoever edits anything else of a proof,
    /// the tracking key say, or writes the same text in another way, leaves its mark as it is.
    pub fn all(
        hasher: &KeyHasher,
        environment: Environment,
        issuer: Option<ParticipantCode>,
        proof: &Proof,
    ) -> Vec<Self> {
        let chain = Self::chain_message(environment, &proof.chain);
        let payment = issuer.map(|issuer| Self::payment_message(environment, issuer, proof));
        let messages = std::iter::once(chain).chain(payment);
        messages
            .flat_map(|message| hasher.macs(message.as_bytes()).collect::<Vec<_>>())
            .map(Self)
            .collect()
    }

    /// The signed text without its blanks, which a page's lines and an XML's attributes change.
    fn chain_message(environment: Environment, chain: &OriginalChain) -> String {
        let mut message = format!("{LABEL}\n{}\n", environment.name());
        let is_written = |c: &char| !c.is_whitespace() && !c.is_control();
        message.extend(chain.signed_text().chars().filter(is_written));
        message
    }

    fn payment_message(environment: Environment, issuer: ParticipantCode, proof: &Proof) -> String {
        format!(
            "{PAYMENT_LABEL}\n{}\n{}\n{issuer}\n{}\n{}\n{}",
            environment.name(),
            proof.operation_date,
            proof.receiver,
            proof.centavos,
            proof.tracking_key,
        )
    }

    /// The mark in 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        hex::encode(&self.0)
    }
}

impl fmt::Debug for ProofMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProofMark")
    }
}

/// Earlier deliveries of a proof to one customer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EarlierDeliveries {
    /// Number of deliveries.
    pub times: u64,
    /// Time of the first; `None` when there was none.
    pub first: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests;
