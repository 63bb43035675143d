//! Acceptance of issued files: the proof in them must be the one that was asked for.

use std::sync::{Arc, OnceLock};

use super::delivery::FetchError;
use bytes::Bytes;
use domain::file::FileStem;
use domain::proof::Proof;
use domain::seal::CheckedSeal;
use domain::transfer::Transfer;
use ports::outbound::BankFiles;

use super::memory::{CachedProof, Origin, Pdf, Session};

/// The bank's files, once the proof in them is the one asked for. An XML that was accepted before
/// isn't checked again, and neither is its seal, but it must be the same when it comes again.
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
    let stem = FileStem::new(proof.operation_date, transfer.tracking_key());
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

/// The bank delivered fewer files than it was asked for.
#[derive(Debug, thiserror::Error)]
#[error("a file that was asked for is missing from the answer")]
pub(super) struct MissingFile;

/// The bank delivered an XML whose bytes aren't those that it delivered before.
#[derive(Debug, thiserror::Error)]
#[error("the XML differs from the one that was delivered before")]
struct AnotherXml;

pub(super) fn not_understood(cause: impl std::error::Error + Send + Sync + 'static) -> FetchError {
    FetchError::BankProtocol {
        cause: Arc::new(cause),
    }
}
