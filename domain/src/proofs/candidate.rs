//! Transfers that a reference number finds, read from the PDFs that the bank gives of them.

use std::fmt;

use chrono::NaiveDateTime;

use super::check::{
    self, CheckReport, PageComparison, PdfError, PrintedPage, ReadingContext, ShownProof,
};
use super::{Mismatch, Proof, ProofField};
use crate::criterion::ReferenceNumber;
use crate::seals::{SealVerdict, Verdict};
use crate::tracking_key::TrackingKey;
use crate::transfer::Transfer;

/// One of several transfers that have the same reference number, date, account and amount. `Debug` shows no personal
/// data.
#[derive(Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The tracking key, by which the caller chooses it.
    pub tracking_key: TrackingKey,
    /// When it was credited, in Mexico City's local time.
    pub credited_at: NaiveDateTime,
    /// Name of the payer; `None` if the bank doesn't know it.
    pub payer: Option<String>,
    /// Concept of the payment; `None` if there is none.
    pub concept: Option<String>,
    /// Amount in centavos.
    pub centavos: u64,
    /// Verdict on the seal that its PDF shows.
    pub seal: SealVerdict,
}

/// Reason why a PDF isn't that of a transfer with the reference number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CandidateError {
    /// The PDF can't be read, or shows no proof.
    #[error(transparent)]
    Pdf(#[from] PdfError),
    /// The page isn't the portal's, or contradicts its original chain.
    #[error("the page isn't the portal's, or contradicts its original chain")]
    Page,
    /// The page shows another reference number, or none.
    #[error("the page shows another reference number")]
    Reference,
    /// The page shows no valid tracking key.
    #[error("the page shows no tracking key")]
    TrackingKey,
    /// The page shows another transfer than was asked for.
    #[error(transparent)]
    Transfer(#[from] Mismatch),
    /// The page shows another proof than the XML of the same session.
    #[error("the page and the XML are of different transfers")]
    OtherXml,
}

impl Candidate {
    /// Reads the PDF of a transfer that has the reference number of `transfer`; `verdict` verifies its seal.
    ///
    /// # Errors
    /// See [`CandidateError`].
    pub fn of_pages(
        pages: &[PrintedPage],
        context: ReadingContext,
        transfer: &Transfer,
        verdict: impl Fn(&Proof) -> Verdict,
    ) -> Result<Self, CandidateError> {
        has_reference(pages, context, transfer.criterion().reference())?;
        let ReadingContext { environment, today } = context;
        let report = CheckReport::of_pages(Ok(pages), environment, today, verdict);
        let agrees = report.page() == Some(PageComparison::Agrees);
        let proof = report.proof.filter(|_| agrees);
        let proof = proof.ok_or(CandidateError::Page)?;
        proof.answers(transfer)?;
        let key = TrackingKey::parse(proof.tracking_key());
        let text = |field| proof.text(field).map(str::to_owned);
        Ok(Self {
            tracking_key: key.map_err(|_| CandidateError::TrackingKey)?,
            credited_at: proof.chain.credit_date().and_time(proof.credit_time()),
            payer: text(ProofField::PayerName),
            concept: text(ProofField::Concept),
            centavos: proof.centavos(),
            seal: report.verdict.into(),
        })
    }
}

/// Checks that a PDF shows the reference number and the proof of an XML from the same session.
///
/// # Errors
/// See [`CandidateError`].
pub fn show(
    pages: &[PrintedPage],
    context: ReadingContext,
    reference: ReferenceNumber,
    proof: &Proof,
) -> Result<(), CandidateError> {
    has_reference(pages, context, Some(reference))?;
    let shown = ShownProof::of(pages, context.environment, context.today)?;
    let is_same = shown.is(&proof.chain, proof.tracking_key());
    is_same.then_some(()).ok_or(CandidateError::OtherXml)
}

fn has_reference(
    pages: &[PrintedPage],
    context: ReadingContext,
    wanted: Option<ReferenceNumber>,
) -> Result<(), CandidateError> {
    let printed = check::printed_reference(pages, context);
    let is_wanted = wanted.is_some() && printed == wanted;
    is_wanted.then_some(()).ok_or(CandidateError::Reference)
}

impl fmt::Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate")
            .field("seal", &self.seal)
            .finish_non_exhaustive()
    }
}
