//! Determines the result of each check.

use super::compare::Comparison;
use super::printed::Compared;
use super::{
    Check, CheckName, CheckReason, CheckResult, FileError, PdfError, ProofField, Reading, Source,
};
use crate::proofs::{Proof, ProofError};
use crate::seals::{CertificateNumber, NotChecked, Verdict, is_same_seal};
use crate::tracking_key::{TrackingKey, TrackingKeyError};

/// Minimum number of contradicting fields for which a validly sealed chain is considered another
/// payment's. Fewer may be a forgery: a forger changes an amount, a name or a date, while the parties
/// of two payments are often the same.
const FIELDS_OF_ANOTHER_PAYMENT: usize = 4;

impl Check {
    pub(super) fn ok(name: CheckName) -> Self {
        Self {
            name,
            result: CheckResult::Ok,
            reason: None,
            fields: Vec::new(),
            element: None,
        }
    }

    pub(super) fn failed(name: CheckName, reason: CheckReason, fields: Vec<ProofField>) -> Self {
        Self {
            result: CheckResult::Failed,
            reason: Some(reason),
            fields,
            ..Self::ok(name)
        }
    }

    pub(super) fn not_checked(
        name: CheckName,
        reason: CheckReason,
        fields: Vec<ProofField>,
    ) -> Self {
        Self {
            result: CheckResult::NotChecked,
            ..Self::failed(name, reason, fields)
        }
    }
}

pub(super) fn structure_fault(error: &FileError) -> (CheckReason, Option<&'static str>) {
    match error {
        FileError::Xml(error) => match *error {
            ProofError::TooLarge { .. } => (CheckReason::TooLarge, None),
            ProofError::TooComplex => (CheckReason::TooComplex, None),
            ProofError::NotUtf8 => (CheckReason::NotUtf8, None),
            ProofError::DocumentType => (CheckReason::DocumentType, None),
            ProofError::NotXml { .. } => (CheckReason::NotXml, None),
            ProofError::Root => (CheckReason::Root, None),
            ProofError::Missing { name } => (CheckReason::Missing, Some(name)),
            ProofError::Repeated { name } => (CheckReason::Repeated, Some(name)),
            ProofError::Unreadable { name } | ProofError::Contradiction { name } => {
                (CheckReason::Unreadable, Some(name))
            }
        },
        FileError::Pdf(error) => {
            let reason = match error {
                PdfError::TooLarge => CheckReason::TooLarge,
                PdfError::NotPdf => CheckReason::NotPdf,
                PdfError::Encrypted => CheckReason::EncryptedPdf,
                PdfError::TooComplex => CheckReason::TooComplex,
                PdfError::Damaged => CheckReason::DamagedPdf,
                PdfError::NoText => CheckReason::PdfWithoutText,
                PdfError::NoChain => CheckReason::PdfWithoutChain,
                PdfError::BankReceipt => CheckReason::BankReceipt,
                PdfError::StateReport => CheckReason::StateReport,
                PdfError::SeveralProofs => CheckReason::SeveralProofs,
            };
            (reason, None)
        }
    }
}

/// Checks the fields against the chain. A valid seal proves that the chain is authentic.
pub(super) fn fields_check(reading: &Reading, comparison: Comparison, verdict: Verdict) -> Check {
    let name = match reading.source {
        Source::Xml => CheckName::Attributes,
        Source::Pdf(_) => CheckName::VisibleText,
    };
    let fields = comparison.contradicting;
    if !fields.is_empty() {
        let reason = match verdict {
            Verdict::Valid(_) if fields.len() >= FIELDS_OF_ANOTHER_PAYMENT => {
                CheckReason::ChainOfAnotherPayment
            }
            Verdict::Valid(_) => CheckReason::FieldsChanged,
            Verdict::Invalid | Verdict::NotChecked(_) => CheckReason::Contradiction,
        };
        return Check::failed(name, reason, fields);
    }
    if !comparison.uncertain.is_empty() {
        return Check::not_checked(name, CheckReason::UncertainPlaces, comparison.uncertain);
    }
    let is_whole = matches!(reading.source, Source::Xml | Source::Pdf(Compared::Whole));
    if !is_whole || !reading.missing.is_empty() {
        return Check::not_checked(name, CheckReason::PageNotCompared, reading.missing.clone());
    }
    Check::ok(name)
}

pub(super) fn seal_check(contradicts: bool, verdict: Verdict) -> Check {
    let name = CheckName::Seal;
    match verdict {
        Verdict::Valid(_) => Check::ok(name),
        Verdict::Invalid if contradicts => {
            Check::failed(name, CheckReason::ChainChanged, Vec::new())
        }
        Verdict::Invalid => Check::failed(name, CheckReason::SealOfAnotherText, Vec::new()),
        Verdict::NotChecked(NotChecked::UnknownCertificate) => {
            Check::not_checked(name, CheckReason::UnknownCertificate, Vec::new())
        }
        Verdict::NotChecked(NotChecked::Unreadable) => {
            Check::not_checked(name, CheckReason::UnreadableSeal, Vec::new())
        }
    }
}

pub(super) fn certificate_check(proof: &Proof) -> Check {
    let name = CheckName::Certificate;
    let sealed = CertificateNumber::parse(proof.chain.certificate_number().trim());
    let given = CertificateNumber::parse(proof.certificate_number.trim());
    match (sealed, given) {
        (Some(sealed), Some(given)) if sealed == given => Check::ok(name),
        (Some(_), Some(_)) => Check::failed(name, CheckReason::AnotherCertificate, Vec::new()),
        _ => Check::failed(name, CheckReason::UnreadableSeal, Vec::new()),
    }
}

/// Checks the tracking key, which no seal covers. One that the portal doesn't accept fails; one in a
/// form that banks aren't known to use isn't checked, because it may be text added by an editor.
pub(super) fn tracking_key_check(proof: &Proof) -> Check {
    let check = match TrackingKey::parse(proof.tracking_key()) {
        // A page may lack the tracking key.
        Err(TrackingKeyError::Empty) => Check::not_checked,
        Err(_) => Check::failed,
        Ok(key) if key.as_str() == proof.tracking_key() && key.may_be_a_banks() => {
            let fields = vec![ProofField::TrackingKey];
            return Check::not_checked(CheckName::TrackingKey, CheckReason::Unsealed, fields);
        }
        Ok(_) => Check::not_checked,
    };
    check(
        CheckName::TrackingKey,
        CheckReason::ForeignTrackingKey,
        vec![ProofField::TrackingKey],
    )
}

/// Checks that the seal at the end of the chain repeats that of the attribute.
pub(super) fn repeated_seal_check(proof: &Proof) -> Check {
    let name = CheckName::RepeatedSeal;
    if is_same_seal(proof.chain.seal(), &proof.seal) {
        Check::ok(name)
    } else {
        Check::failed(name, CheckReason::AnotherSeal, Vec::new())
    }
}
