//! Imports of results of the bank's own batches.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::error::BatchError;
use super::import_report::{DeliveredRow, FileUse, ImportReport, UnusedReason};
use bytes::Bytes;
use domain::batches::{BatchState, RowNumber};
use domain::keys::Environment;
use domain::lookups::{LookupId, LookupState};
use domain::month::Month;
use domain::outcome::Outcome;
use domain::participants::inference::{self, Resolution};
use domain::proofs::Proof;
use domain::proofs::notice::{Notice, ProofOrigin};
use domain::proofs::seen::ProofMark;
use domain::request::RequestId;
use domain::tracking_key::TrackingKey;
use ports::Cause;
use ports::outbound::{
    BatchFacts, BatchRow, ImportedProof, RowLookup, StoredBatch, StoredLookup, new_id,
};

use super::caller::{store_failed, unavailable, unreadable};
use super::content::{BatchContent, RowKind};
use super::row_lookup::row_lookup;
use super::sent_files::{NotRead, PdfReading, SentFile};
use super::service::BatchService;
use crate::admission::Settlement;
use crate::lookups::{Answer, charged};
use crate::metrics;
use crate::proofs::Presented;

mod matched;
mod matching;

use matched::{Candidate, Matched, repeated};
use matching::{AskingRow, AskingState, ProofIndex, Taken};

/// Maximum number of proofs that are stored in one step.
const PER_STEP: usize = 100;

impl BatchService {
    /// Delivers proofs to the rows without one that they match. Each file is parsed once and indexed by its
    /// tracking key.
    pub(super) async fn import_into(
        &self,
        batch: &StoredBatch,
        files: Vec<Bytes>,
    ) -> Result<ImportReport, BatchError> {
        if batch.state == BatchState::Canceled {
            return Err(BatchError::Canceled);
        }
        let content = self.encryption.content(batch).map_err(unreadable)?;
        let mut uses = vec![FileUse::Unused(UnusedReason::NotAProof); files.len()];
        let catalogue = self.sources.lookups.reader.catalogue();
        let sent = self.sources.files.read(files, catalogue).await;
        let (mut proofs, mut pdfs) = (ProofIndex::default(), Vec::new());
        for (number, file) in sent.map_err(not_read)?.into_iter().enumerate() {
            match file {
                SentFile::Proof(proof) => proofs.add(number, *proof),
                SentFile::Pdf(pdf) => pdfs.push((number, pdf)),
                SentFile::Other => {}
            }
        }
        let mut matched = self.matched(batch, &mut proofs).await?;
        let customer = batch.facts.customer;
        let marks = matched.iter().filter_map(|it| it.marks.first());
        let turn = self.sources.history.turn_of_store(customer, marks).await;
        let delivered = self.marks_of_rows(batch, &mut matched).await?;
        for (file, row) in repeated(&mut matched, delivered) {
            uses[file] = FileUse::Unused(UnusedReason::AnswersAnotherRow(row));
        }
        for (file, reason) in proofs.left() {
            uses[file] = FileUse::Unused(reason);
        }
        for (file, reason) in self
            .with_pdfs(batch.facts.environment, &content, &mut matched, pdfs)
            .await?
        {
            uses[file] = FileUse::Unused(reason);
        }
        let mut delivered = Vec::new();
        for some in matched.chunks(PER_STEP) {
            delivered.extend(self.deliver(batch, &content, some).await?);
        }
        drop(turn);
        let is_new: HashSet<_> = delivered.iter().map(|it: &DeliveredRow| it.row).collect();
        for matched in matched {
            let row = matched.candidate.row;
            // Another process may have delivered the row in the meantime.
            let became = if is_new.contains(&row) {
                FileUse::Delivered(row)
            } else {
                FileUse::Unused(UnusedReason::AlreadyDelivered(row))
            };
            let pdf = matched.pdf.map(|(file, _)| file);
            for file in std::iter::once(matched.file).chain(pdf) {
                uses[file] = became.clone();
            }
        }
        Ok(ImportReport {
            delivered,
            files: uses,
        })
    }

    /// The rows for which a proof was found, in row order.
    async fn matched(
        &self,
        batch: &StoredBatch,
        proofs: &mut ProofIndex,
    ) -> Result<Vec<Matched>, BatchError> {
        let mut matched = Vec::new();
        let mut rows = self.rows_of(batch, RowNumber(0))?;
        while let Some(chunk) = rows.next_chunk().await? {
            let catalogue = self.sources.lookups.reader.catalogue();
            for (row, stored, lookup) in chunk {
                let RowKind::Ready(query) = stored.kind else {
                    continue;
                };
                let key = query.criterion.tracking_key();
                if key.is_none_or(|key| proofs.lacks(key.as_str())) {
                    continue;
                }
                let Resolution { transfer, .. } = inference::resolve(query.clone(), &catalogue);
                let Ok(transfer) = transfer else { continue };
                let asking = AskingRow {
                    row,
                    transfer: &transfer,
                    named: query.issuer.map(|issuer| catalogue.institution(issuer)),
                    state: self.state_of(lookup.as_ref()).map_err(unreadable)?,
                };
                let environment = batch.facts.environment;
                let seals = self.sources.lookups.reader.seals();
                let taken = proofs.take(asking, |proof| {
                    let seal = seals.check(environment, proof);
                    let verdict = seal.of_sent_file(environment);
                    (seal, verdict)
                });
                if let Some(Taken { file, proof, seal }) = taken {
                    let presented = Presented {
                        environment: batch.facts.environment,
                        issuer: Some(transfer.issuer()),
                        proof: &proof.proof,
                    };
                    let marks = self.sources.history.marks(presented);
                    matched.push(Matched {
                        file,
                        xml: proof.xml,
                        chain: proof.proof.chain,
                        seal,
                        marks,
                        seen: None,
                        pdf: None,
                        candidate: Candidate {
                            row,
                            query,
                            transfer,
                            lookup,
                        },
                    });
                }
            }
        }
        Ok(matched)
    }

    /// Reads earlier deliveries of the proofs. If there are any, returns the batch's delivered rows by the
    /// marks of their proofs.
    async fn marks_of_rows(
        &self,
        batch: &StoredBatch,
        matched: &mut [Matched],
    ) -> Result<HashMap<ProofMark, RowNumber>, BatchError> {
        let facts = &batch.facts;
        let request_id = RequestId::from_uuid(facts.id.0);
        let mut are_new = true;
        for matched in &mut *matched {
            let marks = &matched.marks;
            matched.seen = self
                .sources
                .history
                .earlier(facts.customer, marks, (None, &request_id))
                .await;
            are_new &= matched.seen.is_some_and(|seen| seen.times == 0);
        }
        let mut marks = HashMap::new();
        if are_new {
            return Ok(marks);
        }
        // A delivered proof has its row's amount, so only rows with the same amounts are decrypted.
        let amounts: HashSet<_> = matched.iter().map(|it| it.candidate.query.amount).collect();
        let mut rows = self.rows_of(batch, RowNumber(0))?;
        while let Some(chunk) = rows.next_chunk().await? {
            for (row, stored, lookup) in chunk {
                let (RowKind::Ready(query), Some(lookup)) = (stored.kind, lookup) else {
                    continue;
                };
                if !amounts.contains(&query.amount) {
                    continue;
                }
                let answer = self.sources.lookups.reader.encryption.answer(&lookup);
                let Some(answer) = answer.map_err(unreadable)? else {
                    continue;
                };
                let Ok(proof) = Proof::read(&answer.xml) else {
                    continue;
                };
                let presented = Presented {
                    environment: facts.environment,
                    issuer: None,
                    proof: &proof,
                };
                let mark = self.sources.history.marks(presented).first().copied();
                marks.extend(mark.map(|mark| (mark, row)));
            }
        }
        Ok(marks)
    }

    /// Adds the PDFs that show the original chain of a matched proof, if the batch keeps PDFs; returns the
    /// other PDFs.
    async fn with_pdfs(
        &self,
        environment: Environment,
        content: &BatchContent,
        matched: &mut [Matched],
        pdfs: Vec<(usize, Bytes)>,
    ) -> Result<Vec<(usize, UnusedReason)>, BatchError> {
        let all_for = |reason: UnusedReason| {
            let files = pdfs.iter();
            Ok(files.map(|(file, _)| (*file, reason.clone())).collect())
        };
        if !content.files.includes_pdf() {
            return all_for(UnusedReason::PdfNotKept);
        }
        if matched.is_empty() {
            return all_for(UnusedReason::PdfAlone);
        }
        let mut by_seal: HashMap<_, Vec<_>> = HashMap::new();
        for (place, matched) in matched.iter().enumerate() {
            let seal = matched.chain.seal().to_owned();
            by_seal.entry(seal).or_default().push(place);
        }
        let read = self
            .sources
            .files
            .shown_by(pdfs.iter().map(|(_, pdf)| pdf.clone()), environment)
            .await
            .map_err(not_read)?;
        let mut unused = Vec::new();
        for ((file, pdf), reading) in pdfs.into_iter().zip(read) {
            let reason = match reading {
                PdfReading::Unreadable => UnusedReason::PdfUnreadable,
                PdfReading::NotRead => UnusedReason::PdfNotRead,
                PdfReading::Shows(shown) => {
                    let mut same_seal = by_seal.get(shown.seal()).into_iter().flatten();
                    let is_shown = |place: &&usize| {
                        let matched: &Matched = &matched[**place];
                        let key = matched.candidate.query.criterion.tracking_key();
                        let is_shown = |key: &TrackingKey| shown.is(&matched.chain, key.as_str());
                        matched.pdf.is_none() && key.is_some_and(is_shown)
                    };
                    if let Some(place) = same_seal.find(is_shown).copied() {
                        matched[place].pdf = Some((file, pdf));
                        continue;
                    }
                    UnusedReason::PdfAlone
                }
            };
            unused.push((file, reason));
        }
        Ok(unused)
    }

    /// Stores proofs as the results of their rows; returns the rows that were delivered by this call.
    async fn deliver(
        &self,
        batch: &StoredBatch,
        content: &BatchContent,
        matched: &[Matched],
    ) -> Result<Vec<DeliveredRow>, BatchError> {
        let now = self.clock.now();
        let mut proofs = Vec::with_capacity(matched.len());
        let facts = &batch.facts;
        let request_id = RequestId::from_uuid(facts.id.0);
        for matched in matched {
            let proof = self.imported(facts, content, matched);
            proofs.push(proof.map_err(unavailable)?);
        }
        let imported = self
            .sources
            .store
            .import_proofs(facts.customer, facts.id, &proofs, now);
        let imported = imported.await.map_err(store_failed)?;
        let imported = imported.ok_or(BatchError::Canceled)?;
        self.sources.webhooks.work();
        metrics::proofs_imported(&proofs, &imported);
        let mut delivered = Vec::with_capacity(imported.len());
        let mut marks = Vec::with_capacity(imported.len());
        for lookup in imported {
            self.sources.lookups.signal_change(lookup.id);
            let row = lookup.batch.map(|BatchRow { row, .. }| row);
            let of_row = matched.iter().find(|it| Some(it.candidate.row) == row);
            if let Some(matched) = of_row {
                delivered.push(DeliveredRow {
                    row: matched.candidate.row,
                    seen: matched.seen,
                    notices: Notice::of_delivery(ProofOrigin::Imported, &matched.seal),
                });
                marks.extend(matched.marks.first());
            }
            let existing = matched
                .iter()
                .filter_map(|matched| matched.candidate.lookup.as_ref())
                .find(|existing| existing.facts.id == lookup.id);
            // A row without a lookup was never charged.
            if let Some(existing) = existing {
                let charged = charged(&lookup);
                if existing.state == LookupState::Queued {
                    // No attempt was begun, so the store has refunded it.
                    self.sources.gatekeeper.refund_unattended(&charged).await;
                }
                let settlement = Settlement::of(Outcome::Delivered);
                let conclusion =
                    self.sources
                        .gatekeeper
                        .conclude(charged, settlement, Duration::ZERO);
                conclusion.await;
            }
        }
        // Recorded here, because no request was made for a row without a lookup.
        self.sources
            .history
            .add(facts.customer, &marks, now, &request_id)
            .await;
        Ok(delivered)
    }

    fn imported(
        &self,
        batch: &BatchFacts,
        content: &BatchContent,
        matched: &Matched,
    ) -> Result<ImportedProof, Cause> {
        let encryption = &self.sources.lookups.reader.encryption;
        let candidate = &matched.candidate;
        let answer = Answer {
            xml: matched.xml.clone(),
            pdf: matched.pdf.as_ref().map(|(_, pdf)| pdf.clone()),
            issuer: candidate.transfer.issuer(),
            seen: matched.seen,
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
            seal: matched.seal.verdict.into(),
        })
    }

    /// State of a row, derived from its lookup.
    fn state_of(&self, lookup: Option<&StoredLookup>) -> Result<AskingState, Cause> {
        let Some(lookup) = lookup else {
            return Ok(AskingState::Open);
        };
        if lookup.state == LookupState::Canceled {
            return Ok(AskingState::Canceled);
        }
        if lookup.proof.is_some() {
            return Ok(AskingState::Delivered);
        }
        let finding = self.sources.lookups.reader.encryption.finding(lookup)?;
        let payment = finding.and_then(|finding| finding.payment);
        let denied = payment.filter(|payment| payment.state.denies_receipt());
        Ok(denied.map_or(AskingState::Open, AskingState::Denied))
    }
}

fn not_read(error: NotRead) -> BatchError {
    unavailable(Arc::new(error))
}
