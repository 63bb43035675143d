//! Decryption of stored lookups.

use std::sync::Arc;

use super::types::LookupView;
use crate::own_accounts::OwnAccounts;
use crate::participants::SharedCatalogue;
use crate::proofs::{Delivery, Files};
use bytes::Bytes;
use chrono::TimeDelta;
use domain::hints;
use domain::lookups::{Attempt, LookupState};
use domain::page::{CursorError, Page, PageRequest};
use domain::participants::Catalogue;
use domain::participants::inference::{self, Resolution};
use domain::people::customer::CustomerId;
use domain::proofs::Proof;
use domain::proofs::file::FileStem;
use domain::query::ProofQuery;
use domain::tracking_key::TrackingKey;
use ports::Cause;
use ports::outbound::{
    ListError, LookupFacts, LookupFilter, LookupStore, SealChecks, StoreError, StoredLookup,
};

use super::content::{Answer, Question};
use super::encryption::LookupEncryption;

/// Reason why stored lookups can't be read.
#[derive(Debug)]
pub(super) enum ReadError {
    Store(StoreError),
    /// The cursor belongs to another list.
    Cursor(CursorError),
    /// A lookup can't be decrypted, for this reason.
    Unreadable(Cause),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<ListError> for ReadError {
    fn from(error: ListError) -> Self {
        match error {
            ListError::Cursor(error) => Self::Cursor(error),
            ListError::Store(error) => Self::Store(error),
        }
    }
}

/// Decrypts stored lookups.
pub struct LookupReader {
    pub(crate) encryption: Arc<LookupEncryption>,
    pub(crate) participants: Arc<SharedCatalogue>,
    pub(crate) own_accounts: OwnAccounts,
    seals: Arc<dyn SealChecks>,
    retention: TimeDelta,
}

impl LookupReader {
    /// Creates a reader that checks seals with `seals` at each read. Lookups are erased `retention` after
    /// their end.
    pub fn new(
        encryption: Arc<LookupEncryption>,
        participants: Arc<SharedCatalogue>,
        seals: Arc<dyn SealChecks>,
        own_accounts: OwnAccounts,
        retention: TimeDelta,
    ) -> Self {
        Self {
            encryption,
            participants,
            own_accounts,
            seals,
            retention,
        }
    }

    /// A lookup with its proof and its attempts, which are read from `store`.
    pub(super) async fn read(
        &self,
        store: &dyn LookupStore,
        lookup: &StoredLookup,
    ) -> Result<LookupView, ReadError> {
        let LookupFacts { customer, id, .. } = lookup.facts;
        let attempts = store.attempts(customer, id).await?;
        self.whole(lookup, attempts).map_err(ReadError::Unreadable)
    }

    /// A page of a customer's lookups. Those that can't be decrypted, because their secret is lost, are left
    /// out, so that the customer can still list the others.
    pub(super) async fn page(
        &self,
        store: &dyn LookupStore,
        customer: CustomerId,
        filter: &LookupFilter,
        page: &PageRequest,
    ) -> Result<Page<LookupView>, ReadError> {
        let Page {
            items,
            has_next,
            total,
        } = store.lookups(customer, filter, page).await?;
        let view = |(cursor, lookup): (_, StoredLookup)| match self.listed(&lookup) {
            Ok(view) => Some((cursor, view)),
            Err(cause) => {
                let id = lookup.facts.id;
                tracing::error!(target: "cep::lookup", %id, %cause, "a lookup can't be decrypted, and isn't listed");
                None
            }
        };
        Ok(Page {
            items: items.into_iter().filter_map(view).collect(),
            has_next,
            total,
        })
    }

    /// The service that checks seals.
    pub(crate) fn seals(&self) -> &dyn SealChecks {
        &*self.seals
    }

    /// The query of a lookup.
    pub(crate) fn question(&self, lookup: &StoredLookup) -> Result<ProofQuery, Cause> {
        Ok(self.encryption.question(lookup)?.query)
    }

    /// The current catalogue of participants.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.participants.catalogue()
    }

    /// A lookup of a batch's row, without its attempts.
    pub(crate) fn of_row(&self, lookup: &StoredLookup) -> Result<LookupView, Cause> {
        let view = self.whole(lookup, Vec::new())?;
        Ok(LookupView {
            history: None,
            ..view
        })
    }

    /// A lookup for lists: without attempts and proof.
    fn listed(&self, lookup: &StoredLookup) -> Result<LookupView, Cause> {
        let question = self.encryption.question(lookup)?;
        self.summary(lookup, question)
    }

    /// A lookup without attempts and proof. Inferred banks are computed with the current catalogue, as a new
    /// attempt would; hints refer to the date of the bank's answer.
    fn summary(&self, lookup: &StoredLookup, question: Question) -> Result<LookupView, Cause> {
        let finding = self.encryption.finding(lookup)?;
        let catalogue = self.participants.catalogue();
        let Resolution { inferred, transfer } =
            inference::resolve(question.query.clone(), &catalogue);
        let hints = match (&transfer, &finding) {
            (Ok(transfer), Some(finding)) if finding.is_of_unknown_payment() => {
                let of_transfer = hints::hints(transfer, &inferred, finding.on, &catalogue);
                let more = hints::more_own_accounts(&question.query).into_iter();
                more.chain(of_transfer).collect()
            }
            _ => Vec::new(),
        };
        let (facts, state) = (&lookup.facts, lookup.state);
        let erase_at = state.is_final().then(|| lookup.updated_at + self.retention);
        let waits = matches!(state, LookupState::Queued | LookupState::Waiting);
        Ok(LookupView {
            id: facts.id,
            key: facts.key.id,
            environment: facts.environment,
            state,
            created_at: facts.created_at,
            updated_at: lookup.updated_at,
            retry_until: facts.retry_until,
            erase_at,
            attempts: lookup.attempts,
            last_attempt: lookup.last_attempt,
            history: None,
            next_attempt_at: lookup.due_at.filter(|_| waits),
            queue: None,
            question: question.query,
            inferred,
            unresolved: transfer.err(),
            payment: finding.as_ref().and_then(|finding| finding.payment),
            candidates: finding
                .map(|finding| finding.candidates)
                .unwrap_or_default(),
            hints,
            batch: facts.batch.map(|row| row.batch),
            metadata: question.metadata,
            seal: lookup.seal,
            delivery: None,
        })
    }

    /// A lookup with attempts and proof.
    fn whole(&self, lookup: &StoredLookup, attempts: Vec<Attempt>) -> Result<LookupView, Cause> {
        let question = self.encryption.question(lookup)?;
        let answer = self.encryption.answer(lookup)?;
        let delivery = match answer {
            Some(answer) => Some(self.delivery(lookup, answer)?),
            None => None,
        };
        Ok(LookupView {
            history: Some(attempts),
            delivery,
            ..self.summary(lookup, question)?
        })
    }

    /// The proof of a lookup, with its seal checked now.
    fn delivery(&self, lookup: &StoredLookup, answer: Answer) -> Result<Delivery, Cause> {
        let proof = Proof::parse(&answer.xml).map_err(|error| Arc::new(error) as Cause)?;
        let key = TrackingKey::parse(proof.tracking_key());
        let key = key.map_err(|error| Arc::new(error) as Cause)?;
        let seal = self.seals.check(lookup.facts.environment, &proof);
        Ok(Delivery {
            stem: FileStem::new(proof.operation_date(), &key),
            files: files(answer.xml, answer.pdf),
            issuer: answer.issuer,
            origin: answer.origin,
            seen: answer.seen,
            proof: Arc::new(proof),
            seal,
        })
    }
}

/// The files that are stored with a lookup.
fn files(xml: Bytes, pdf: Option<Bytes>) -> Files {
    match pdf {
        Some(pdf) => Files::Both { xml, pdf },
        None => Files::Xml(xml),
    }
}
