//! Matching of imported proofs with rows.

use std::collections::{HashMap, HashSet};

use super::super::import_report::UnusedReason;
use domain::batches::RowNumber;
use domain::participants::ParticipantCode;
use domain::payment::Payment;
use domain::proofs::check::CheckOutcome;
use domain::proofs::{Mismatch, Proof};
use domain::seals::{CheckedSeal, SealVerdict};
use domain::transfer::Transfer;

use crate::batches::sent_files::SentProof;

/// Number of rows with a tracking key that a file is compared with to report the differences. To find the
/// matching row, a file is compared with all rows that have its tracking key and amount.
const MOST_COMPARED: usize = 20;

/// A row that may get a proof.
#[derive(Clone, Copy)]
pub(super) struct AskingRow<'a> {
    pub(super) row: RowNumber,
    pub(super) transfer: &'a Transfer,
    /// Institution of the issuer, if the row names it.
    pub(super) named: Option<ParticipantCode>,
    pub(super) state: AskingState,
}

impl AskingRow<'_> {
    fn mismatches(&self, sent: &SentProof) -> impl Iterator<Item = Mismatch> {
        sent.payment.mismatches(self.transfer, self.named)
    }
}

/// State of a row with regard to imports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AskingState {
    Open,
    /// The bank reported a state of the payment in which the beneficiary doesn't have the money.
    Denied(Payment),
    Delivered,
    Canceled,
}

/// Proofs that aren't matched yet, indexed by tracking key.
#[derive(Default)]
pub(super) struct ProofIndex {
    /// The proofs, by the index of their file.
    proofs: HashMap<usize, SentProof>,
    by_key: HashMap<String, Alike>,
    /// The best reason so far why a proof isn't matched, by the index of its file.
    reasons: HashMap<usize, UnusedReason>,
}

/// Indexes of the files with one tracking key.
#[derive(Default)]
struct Alike {
    all: Vec<usize>,
    /// The files that may still be matched, by the sealed amount in centavos.
    by_amount: HashMap<u64, Vec<usize>>,
    /// Number of rows that all these files were compared with.
    compared: usize,
}

/// A proof that matches a row.
pub(super) struct Taken {
    pub(super) file: usize,
    pub(super) proof: SentProof,
    pub(super) seal: CheckedSeal,
}

impl ProofIndex {
    pub(super) fn add(&mut self, file: usize, proof: SentProof) {
        let key = proof.proof.tracking_key().to_owned();
        let alike = self.by_key.entry(key).or_default();
        alike.all.push(file);
        if let Some(centavos) = proof.payment.centavos() {
            alike.by_amount.entry(centavos).or_default().push(file);
        }
        self.proofs.insert(file, proof);
    }

    /// Returns `true` if no proof has this tracking key.
    pub(super) fn lacks(&self, tracking_key: &str) -> bool {
        !self.by_key.contains_key(tracking_key)
    }

    /// Removes and returns the proof that matches an open row.
    pub(super) fn take(
        &mut self,
        asking: AskingRow<'_>,
        check: impl Fn(&Proof) -> (CheckedSeal, SealVerdict),
    ) -> Option<Taken> {
        let AskingRow { row, transfer, .. } = asking;
        let alike = self.by_key.get_mut(transfer.tracking_key()?.as_str())?;
        let taken = Self::take_from(alike, &self.proofs, &mut self.reasons, asking, check);
        if alike.compared < MOST_COMPARED {
            alike.compared += 1;
            for file in &alike.all {
                if let Some(sent) = self.proofs.get(file) {
                    let mismatches: Vec<_> = asking.mismatches(sent).collect();
                    if !mismatches.is_empty() {
                        let differs = UnusedReason::Differs { row, mismatches };
                        note(&mut self.reasons, *file, differs);
                    }
                }
            }
        }
        let (file, seal) = taken?;
        self.reasons.remove(&file);
        let proof = self.proofs.remove(&file)?;
        Some(Taken { file, proof, seal })
    }

    fn take_from(
        alike: &mut Alike,
        proofs: &HashMap<usize, SentProof>,
        reasons: &mut HashMap<usize, UnusedReason>,
        asking: AskingRow<'_>,
        check: impl Fn(&Proof) -> (CheckedSeal, SealVerdict),
    ) -> Option<(usize, CheckedSeal)> {
        let AskingRow {
            row,
            transfer,
            state,
            ..
        } = asking;
        let same_amount = alike.by_amount.get_mut(&transfer.amount().centavos())?;
        let answers = |file: &usize| {
            let sent = proofs.get(file)?;
            let is_answer = asking.mismatches(sent).next().is_none();
            is_answer.then_some(sent)
        };
        // A proof of the following day matches, too, but may belong to another row, so the row's own day
        // comes first.
        let mut found: Vec<_> = same_amount
            .iter()
            .filter_map(|file| Some((*file, answers(file)?)))
            .collect();
        found.sort_by_key(|(_, sent)| !sent.proof.is_of(transfer.date()));
        let (mut taken, mut faulty) = (None, HashSet::new());
        for (file, sent) in found {
            let reason = match state {
                AskingState::Canceled => UnusedReason::RowCanceled(row),
                AskingState::Delivered => UnusedReason::AlreadyDelivered(row),
                AskingState::Denied(payment) => UnusedReason::BankSaysOtherwise { row, payment },
                AskingState::Open if taken.is_some() => UnusedReason::AlreadyDelivered(row),
                AskingState::Open => {
                    let (seal, verdict) = check(&sent.proof);
                    let Some(reason) = fault(row, verdict, sent.fields) else {
                        taken = Some((file, seal));
                        continue;
                    };
                    faulty.insert(file);
                    reason
                }
            };
            note(reasons, file, reason);
        }
        // Proofs that are taken or faulty aren't compared again.
        let is_over = |file: &usize| {
            faulty.contains(file) || taken.as_ref().is_some_and(|(taken, _)| taken == file)
        };
        same_amount.retain(|file| !is_over(file));
        taken
    }

    /// The unmatched proofs, by the index of their file, with the reasons.
    pub(super) fn left(self) -> impl Iterator<Item = (usize, UnusedReason)> {
        let Self {
            proofs,
            mut reasons,
            ..
        } = self;
        proofs.into_keys().map(move |file| {
            let reason = reasons.remove(&file);
            (file, reason.unwrap_or(UnusedReason::NoRow))
        })
    }
}

/// The fault for which a matching file is refused, if any. Accepts what `/verify` reports as valid, except
/// for the tracking key.
fn fault(row: RowNumber, seal: SealVerdict, fields: CheckOutcome) -> Option<UnusedReason> {
    match (seal, fields) {
        (SealVerdict::Invalid, _) => Some(UnusedReason::SealInvalid(row)),
        (_, CheckOutcome::Invalid) => Some(UnusedReason::Altered(row)),
        (_, CheckOutcome::NotChecked) => Some(UnusedReason::Ambiguous(row)),
        (SealVerdict::NotChecked, CheckOutcome::Valid) => Some(UnusedReason::SealNotChecked(row)),
        (SealVerdict::Valid, CheckOutcome::Valid) => None,
    }
}

/// Records a reason, unless the recorded one is more specific.
fn note(reasons: &mut HashMap<usize, UnusedReason>, file: usize, reason: UnusedReason) {
    let noted = reasons.entry(file).or_insert(UnusedReason::NoRow);
    if rank(&reason) > rank(noted) {
        *noted = reason;
    }
}

/// Rank by which the most specific reason is chosen; fewer differences rank higher.
fn rank(reason: &UnusedReason) -> (u8, usize) {
    match reason {
        UnusedReason::SealInvalid(_)
        | UnusedReason::SealNotChecked(_)
        | UnusedReason::Altered(_)
        | UnusedReason::Ambiguous(_) => (5, 0),
        UnusedReason::BankSaysOtherwise { .. } => (4, 0),
        UnusedReason::AlreadyDelivered(_) | UnusedReason::AnswersAnotherRow(_) => (3, 0),
        UnusedReason::RowCanceled(_) => (2, 0),
        UnusedReason::Differs { mismatches, .. } => (1, usize::MAX - mismatches.len()),
        UnusedReason::NoRow
        | UnusedReason::NotAProof
        | UnusedReason::PdfNotKept
        | UnusedReason::PdfUnreadable
        | UnusedReason::PdfAlone
        | UnusedReason::PdfNotRead => (0, 0),
    }
}
