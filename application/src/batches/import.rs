//! Imports of the bank's own batches.

use std::collections::HashMap;
use std::time::Duration;

use domain::batch::{BatchState, RowNumber};
use domain::file::RequestedFiles;
use domain::inference::{self, Resolution};
use domain::lookup::{LookupId, LookupState};
use domain::month::Month;
use domain::notice::ProofOrigin;
use domain::outcome::Outcome;
use domain::proof::Proof;
use domain::query::ProofQuery;
use domain::seal::SealVerdict;
use domain::transfer::Transfer;
use ports::Cause;
use ports::inbound::{BatchError, ImportFile, ImportReport, RejectedFile, Rejection};
use ports::outbound::{BatchFacts, ImportedProof, RowLookup, StoredBatch, StoredLookup, new_id};

use super::caller::{store_failed, unavailable, unreadable};
use super::content::{BatchContent, RowKind};
use super::row_lookup::row_lookup;
use super::service::BatchService;
use crate::admission::Settlement;
use crate::lookups::{Answer, charged};

/// Files that may be imported into rows of one chunk are stored in one step of at most so many.
const PER_STEP: usize = 100;

/// A row that may get a proof.
struct Candidate {
    row: RowNumber,
    query: ProofQuery,
    transfer: Transfer,
    lookup: Option<StoredLookup>,
}

/// An imported file whose proof answers a row.
struct Matched {
    file: ImportFile,
    candidate: Candidate,
}

impl BatchService {
    /// Delivers the proofs that answer rows without one.
    pub(super) async fn import_into(
        &self,
        batch: &StoredBatch,
        files: Vec<ImportFile>,
    ) -> Result<ImportReport, BatchError> {
        let mut report = ImportReport::default();
        if batch.state == BatchState::Canceled {
            return Err(BatchError::Canceled);
        }
        // Each file with the reason why it wasn't delivered so far.
        let mut by_key: HashMap<String, Vec<(ImportFile, Rejection)>> = HashMap::new();
        for file in files {
            let key = file.tracking_key.as_str().to_owned();
            let files = by_key.entry(key).or_default();
            files.push((file, Rejection::NoRow));
        }
        let content = self.encryption.content(batch).map_err(unreadable)?;
        let mut rows = self.rows_of(batch.facts.clone(), RowNumber(0));
        while let Some(chunk) = rows.next_chunk().await? {
            let mut matched = Vec::new();
            let catalogue = self.lookups.reader.catalogue();
            for (row, stored, lookup) in chunk {
                let RowKind::Ready(query) = stored.kind else {
                    continue;
                };
                let Some(files) = by_key.get_mut(query.tracking_key.as_str()) else {
                    continue;
                };
                let state = lookup.as_ref().map(|lookup| lookup.state);
                if state == Some(LookupState::Canceled) {
                    continue;
                }
                let Resolution { transfer, .. } = inference::resolve(query.clone(), &catalogue);
                let Ok(transfer) = transfer else { continue };
                let Some(file) = take_answer(files, &transfer, |proof| {
                    let seals = self.lookups.reader.seals();
                    seals.check(batch.facts.environment, proof).verdict.into()
                }) else {
                    continue;
                };
                if lookup.as_ref().is_some_and(|lookup| lookup.proof.is_some()) {
                    report.present += 1;
                    continue;
                }
                let candidate = Candidate {
                    row,
                    query,
                    transfer,
                    lookup,
                };
                matched.push(Matched { file, candidate });
            }
            for matched in matched.chunks(PER_STEP) {
                let delivered = self.deliver(batch, &content, matched).await?;
                report.delivered.extend(delivered);
            }
        }
        for (file, reason) in by_key.into_values().flatten() {
            report.rejected.push(RejectedFile {
                date: file.date,
                tracking_key: file.tracking_key,
                reason,
            });
        }
        report.rejected.sort_by(|a, b| {
            (a.date, a.tracking_key.as_str()).cmp(&(b.date, b.tracking_key.as_str()))
        });
        Ok(report)
    }

    /// Stores proofs as the answers of their rows; returns the rows that were delivered.
    async fn deliver(
        &self,
        batch: &StoredBatch,
        content: &BatchContent,
        matched: &[Matched],
    ) -> Result<Vec<RowNumber>, BatchError> {
        let now = self.clock.now();
        let mut proofs = Vec::with_capacity(matched.len());
        for matched in matched {
            let proof = self.imported(&batch.facts, content, matched);
            proofs.push(proof.map_err(unavailable)?);
        }
        let facts = &batch.facts;
        let imported = self
            .store
            .import_proofs(facts.customer, facts.id, &proofs, now);
        let imported = imported.await.map_err(store_failed)?;
        let imported = imported.ok_or(BatchError::Canceled)?;
        self.webhooks.work();
        let mut delivered = Vec::with_capacity(imported.len());
        for lookup in imported {
            self.lookups.signal_change(lookup.id);
            if let Some(row) = lookup.batch {
                delivered.push(row.row);
            }
            let existing = matched
                .iter()
                .filter_map(|matched| matched.candidate.lookup.as_ref())
                .find(|existing| existing.facts.id == lookup.id);
            // A row that had no lookup was never charged.
            if let Some(existing) = existing {
                let charged = charged(&lookup);
                if existing.state == LookupState::Queued {
                    // Nobody had begun to work on it: the store has refunded it.
                    self.gatekeeper.refund_unattended(&charged).await;
                }
                let settlement = Settlement::of(Outcome::Delivered);
                let conclusion = self
                    .gatekeeper
                    .conclude(charged, settlement, Duration::ZERO);
                conclusion.await;
            }
        }
        Ok(delivered)
    }

    fn imported(
        &self,
        batch: &BatchFacts,
        content: &BatchContent,
        Matched { file, candidate }: &Matched,
    ) -> Result<ImportedProof, Cause> {
        let encryption = &self.lookups.reader.encryption;
        let answer = Answer {
            xml: file.xml.clone(),
            pdf: file
                .pdf
                .clone()
                .filter(|_| content.files == RequestedFiles::Both),
            issuer: candidate.transfer.issuer(),
            seen: None,
            origin: ProofOrigin::Imported,
        };
        let now = self.clock.now();
        let id = LookupId(new_id(self.clock.as_ref(), self.random.as_ref()));
        let row: RowLookup = row_lookup(
            encryption,
            (batch, content),
            (id, batch.key, Month::of(now), now),
            (candidate.row, candidate.query.clone()),
        )?;
        let existing = match &candidate.lookup {
            Some(lookup) => {
                let proof = encryption.encrypt_answer(&lookup.facts, &answer)?;
                Some((lookup.facts.id, proof))
            }
            None => None,
        };
        Ok(ImportedProof {
            proof: encryption.encrypt_answer(&row.facts, &answer)?,
            row,
            existing,
        })
    }
}

/// Takes the first file that is the proof of a transfer, and notes of the others before it why they aren't.
fn take_answer(
    files: &mut Vec<(ImportFile, Rejection)>,
    transfer: &Transfer,
    verdict: impl Fn(&Proof) -> SealVerdict,
) -> Option<ImportFile> {
    let is_answer = |(file, reason): &mut (ImportFile, Rejection)| {
        let checked = check(file, transfer, &verdict);
        if let Err(found) = checked
            && *reason != Rejection::WrongSeal
        {
            *reason = found;
        }
        checked.is_ok()
    };
    let place = files.iter_mut().position(is_answer)?;
    Some(files.swap_remove(place).0)
}

/// Checks that a file is the proof of a transfer, as one that was fetched, and its seal.
fn check(
    file: &ImportFile,
    transfer: &Transfer,
    verdict: impl FnOnce(&Proof) -> SealVerdict,
) -> Result<(), Rejection> {
    let proof = Proof::parse(&file.xml).map_err(|_| Rejection::NotAProof)?;
    proof.answers(transfer).map_err(|_| Rejection::Differs)?;
    // The bank compared the account of a proof that was fetched; here nobody did.
    let account = proof.beneficiary.account.as_deref();
    let is_another = |account: &str| {
        let asked = transfer.account().as_str();
        account.len() == asked.len() && account != asked
    };
    if account.is_some_and(is_another) {
        return Err(Rejection::Differs);
    }
    match verdict(&proof) {
        SealVerdict::Invalid => Err(Rejection::WrongSeal),
        SealVerdict::Valid | SealVerdict::NotChecked => Ok(()),
    }
}
