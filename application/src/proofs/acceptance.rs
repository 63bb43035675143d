//! Acceptance of the bank's files: the proof in them must match the requested transfer.

use std::sync::{Arc, OnceLock};

use super::delivery::FetchError;
use bytes::Bytes;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::proofs::file::FileStem;
use domain::seals::CheckedSeal;
use domain::tracking_key::TrackingKey;
use domain::transfer::Transfer;
use ports::outbound::{BankError, BankFiles, SealChecks};

use crate::metrics;

use super::memory::{CachedProof, Origin, Pdf, Session};

/// Accepts the bank's files if their proof matches the transfer. An XML that was accepted before, and its
/// seal, aren't checked again, but a new download of it must be identical.
pub(super) fn accept(
    transfer: &Transfer,
    known: Option<&CachedProof>,
    files: BankFiles,
    check_seal: impl FnOnce(&Proof) -> CheckedSeal,
) -> Result<CachedProof, FetchError> {
    let session = match &files.xml {
        Some(_) => Session::OfBoth,
        None => Session::OfThePdf,
    };
    let pdf = files.pdf.map(|bytes| Pdf { bytes, session });
    if let Some(known) = known {
        if files.xml.is_some_and(|xml| xml != known.xml) {
            return Err(not_understood(AnotherXml));
        }
        return Ok(CachedProof {
            stem: known.stem.clone(),
            xml: known.xml.clone(),
            origin: Origin::Bank,
            pdf: pdf.or_else(|| known.pdf.clone()),
            proof: Arc::clone(&known.proof),
            seal: known.seal.clone(),
            marks: known.marks.clone(),
            archiving: OnceLock::new(),
        });
    }
    let xml: Bytes = files.xml.ok_or_else(|| not_understood(MissingFile))?;
    let proof = Proof::parse(&xml).map_err(not_understood)?;
    proof.answers(transfer).map_err(not_understood)?;
    let key = TrackingKey::parse(proof.tracking_key()).map_err(not_understood)?;
    let stem = FileStem::new(proof.operation_date(), &key);
    Ok(CachedProof {
        stem,
        xml,
        pdf,
        origin: Origin::Bank,
        seal: check_seal(&proof),
        proof: Arc::new(proof),
        marks: OnceLock::new(),
        archiving: OnceLock::new(),
    })
}

/// Checks the seal of a proof that the bank delivered, now or before it was archived.
pub(super) fn checked(
    seals: &dyn SealChecks,
    environment: Environment,
    proof: &Proof,
) -> CheckedSeal {
    let checked = seals.check(environment, proof);
    metrics::seal_checked(environment, checked.verdict);
    checked
}

/// The bank delivered fewer files than requested.
#[derive(Debug, thiserror::Error)]
#[error("a file that was asked for is missing from the answer")]
pub(super) struct MissingFile;

/// The bank delivered an XML that differs from the one that it delivered before.
#[derive(Debug, thiserror::Error)]
#[error("the XML differs from the one that was delivered before")]
struct AnotherXml;

pub(super) fn not_understood(cause: impl std::error::Error + Send + Sync + 'static) -> FetchError {
    let cause = Arc::new(cause);
    FetchError::Bank(BankError::Protocol { cause })
}
