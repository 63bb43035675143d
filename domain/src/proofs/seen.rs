//! Earlier deliveries of a proof. Presenting the same proof for two orders is a common fraud.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::hex;
use crate::keys::{Environment, KeyHasher};
use crate::participants::ParticipantCode;
use crate::proofs::{OriginalChain, Proof};

/// Prefix of the hashed message. No API key has this text.
const LABEL: &str = "cep-gateway: a sealed chain";
/// Prefix of the message for marks of payments, which earlier versions recorded.
const PAYMENT_LABEL: &str = "cep-gateway: a delivered proof";

/// Keyed hash of a proof's sealed text, by which the proof is recognised. It reveals nothing of the
/// text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProofMark(pub [u8; 32]);

impl ProofMark {
    /// The marks of a proof with each of the server's secrets. The first is the one to record; the
    /// others find earlier deliveries that were recorded with other secrets or, if the issuer is known,
    /// with marks of the payment.
    ///
    /// A mark depends only on the environment and the sealed text, so editing anything else of a proof,
    /// for example the tracking key, doesn't change it.
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

    /// The signed text without white space, which line breaks on a page and XML attributes change.
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
            proof.operation_date(),
            proof.receiver(),
            proof.centavos(),
            proof.tracking_key(),
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

/// Summary of a proof's earlier deliveries to one customer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EarlierDeliveries {
    /// Number of earlier deliveries.
    pub times: u64,
    /// When the first one was made; `None` if there was none.
    pub first: Option<DateTime<Utc>>,
}

#[cfg(test)]
mod tests;
