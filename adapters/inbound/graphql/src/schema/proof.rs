//! The seal of a proof, and its earlier deliveries.

use async_graphql::SimpleObject;
use domain::hex;
use domain::seals::{CheckedSeal, SealHash, Verdict};
use web::views::scalars::{Count, DateTime};
use web::views::seals::{SealNotCheckedReason as NotChecked, SealVerdict};

/// The seal of a proof, checked as of now. The receiving bank makes it of the original chain.
#[derive(SimpleObject)]
pub(crate) struct ProofSeal {
    /// Result of the check.
    verdict: SealVerdict,
    /// Reason for which it isn't checked; null when it is.
    reason: Option<NotChecked>,
    /// Number of the certificate that the seal names, 20 digits; null when it can't be read.
    certificate: Option<String>,
    /// Hash function of a valid seal, `sha512` or `sha256`; null otherwise.
    algorithm: Option<&'static str>,
    /// SHA-512 of the sealed text in hexadecimal digits; null when the seal can't be read.
    digest: Option<String>,
}

impl From<&CheckedSeal> for ProofSeal {
    fn from(seal: &CheckedSeal) -> Self {
        let (reason, hash) = match seal.verdict {
            Verdict::Valid(hash) => (None, Some(hash)),
            Verdict::Invalid => (None, None),
            Verdict::NotChecked(reason) => (Some(reason), None),
        };
        let signer = seal.signer.as_ref();
        Self {
            verdict: domain::seals::SealVerdict::from(seal.verdict).into(),
            reason: reason.map(NotChecked::from),
            certificate: signer.map(|signer| signer.certificate.to_string()),
            algorithm: hash.map(SealHash::name),
            digest: seal.digest.map(|digest| hex::encode(&digest.0)),
        }
    }
}

/// Earlier deliveries of a proof to the account, and earlier checks of its files.
#[derive(SimpleObject)]
pub(crate) struct EarlierDeliveries {
    /// Number of them.
    times: Count,
    /// Time of the first; null when there is none.
    first_at: Option<DateTime>,
}

impl From<domain::proofs::seen::EarlierDeliveries> for EarlierDeliveries {
    fn from(seen: domain::proofs::seen::EarlierDeliveries) -> Self {
        Self {
            times: Count(seen.times),
            first_at: seen.first.map(DateTime),
        }
    }
}
