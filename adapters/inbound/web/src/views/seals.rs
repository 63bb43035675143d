//! Verdicts on seals.

use async_graphql::Enum;
use serde::Serialize;
use utoipa::ToSchema;

/// Result of checking a proof's seal, the signature of the receiving institution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::seals::SealVerdict")]
#[serde(rename_all = "snake_case")]
pub enum SealVerdict {
    /// A key of its certificate is known, and the seal is its signature of the proof's chain.
    Valid,
    /// A key of its certificate is known, and the seal is not its signature of the proof's chain.
    Invalid,
    /// No key of its certificate is known, or the seal can't be read. It says nothing against the
    /// proof.
    NotChecked,
}

/// Reason for a seal that isn't checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::seals::NotChecked")]
#[serde(rename_all = "snake_case")]
pub enum SealNotCheckedReason {
    /// The certificate's key isn't known here.
    UnknownCertificate,
    /// The seal or the certificate's number can't be read.
    Unreadable,
}

/// Origin of a delivered proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::proofs::notice::ProofOrigin")]
#[serde(rename_all = "snake_case")]
pub enum ProofOrigin {
    /// The gateway fetched it from the bank.
    Fetched,
    /// It was brought in a file: no seal covers its tracking key.
    Imported,
}
