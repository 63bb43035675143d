//! Port: the central bank's validator of seals.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::pacing::Lane;
use domain::seals::SealOpinion;

use super::BankError;

/// A proof whose seal is to be validated.
#[derive(Clone, Debug)]
pub struct ValidatedFile {
    /// The whole XML; it is sent to the validator.
    pub xml: Bytes,
    /// The seal in the XML, in base64.
    pub seal: String,
}

/// Port: a validator that knows the certificates of all institutions.
#[async_trait]
pub trait SealValidator: Send + Sync {
    /// Sends one file to the validator; fails with [`BankError::Timeout`] after `patience`, and with
    /// [`BankError::Throttled`] if the budget has no turn for the lane in time.
    ///
    /// MUST return a verdict only if the answer is the validator's page of results, about this file alone and
    /// about this seal; any other answer is [`BankError::Protocol`]. MUST send nothing but to the validator.
    async fn validate(
        &self,
        file: &ValidatedFile,
        lane: Lane,
        patience: Duration,
    ) -> Result<SealOpinion, BankError>;
}
