//! Stored lookups, their attempts, and what was delivered.

use async_graphql::{ID, SimpleObject};
use chrono::NaiveDate;
use domain::inference::Inferred;
use domain::lookup::LookupId;
use domain::page::{Page, PageRequest};
use domain::seal::covered_fields;
use ports::inbound::{Delivery, LookupView};
use web::Language;

use super::connection::{PageInfo, connection};
use super::context::Ports;
use super::enums::{Confidence, Environment, InferenceSource, LookupState, Outcome, SealVerdict};
use super::proof::{EarlierDeliveries, Proof, ProofNotice, ProofSeal};
use super::requests::Participant;
use super::scalars::DateTime;

/// A stored lookup: a request for a proof that is carried to its end while nobody waits.
#[derive(SimpleObject)]
pub(crate) struct Lookup {
    /// Its identity.
    id: ID,
    /// The key that it was created with.
    key_id: ID,
    /// The bank that is asked.
    environment: Environment,
    /// Its state.
    state: LookupState,
    /// Outcome of the last attempt that gave no proof; null before the first attempt ends, and once
    /// the proof is delivered.
    reason: Option<Outcome>,
    /// The verdict on the seal of its proof, as of its delivery; null until then, and of lookups that an
    /// older version delivered.
    seal: Option<SealVerdict>,
    /// Time of its creation.
    created_at: DateTime,
    /// Time of the last change.
    updated_at: DateTime,
    /// Time of the last attempt, at the latest.
    retry_until: DateTime,
    /// Time at which it is erased; null until it is final.
    erased_at: Option<DateTime>,
    /// Number of attempts that ended.
    attempt_count: u32,
    /// Time of the next attempt; null while one is made, and once it is final.
    next_attempt_at: Option<DateTime>,
    /// The bank that sent the transfer, when it was inferred.
    inferred_issuer: Option<InferredBank>,
    /// The bank that received the transfer, when it was inferred.
    inferred_receiver: Option<InferredBank>,
    /// Pairs that its creator gave, in their order.
    metadata: Vec<MetadataPair>,
}

/// A bank that was inferred.
#[derive(SimpleObject)]
pub(crate) struct InferredBank {
    /// The bank.
    participant: Participant,
    /// The datum that it was inferred from.
    source: InferenceSource,
    /// Confidence in it.
    confidence: Confidence,
}

/// A pair of a lookup's metadata.
#[derive(SimpleObject)]
pub(crate) struct MetadataPair {
    /// Its name.
    name: String,
    /// Its value.
    value: String,
}

impl Lookup {
    pub(super) fn new(view: &LookupView, ports: &Ports, today: NaiveDate) -> Self {
        let inferred = |inferred: &Inferred| InferredBank {
            participant: Participant::of(inferred.code, ports, today),
            source: InferenceSource::from(&inferred.evidence),
            confidence: inferred.evidence.confidence().into(),
        };
        let pair = |(name, value): &(String, String)| MetadataPair {
            name: name.clone(),
            value: value.clone(),
        };
        Self {
            id: view.id.into(),
            key_id: view.key.into(),
            environment: view.environment.into(),
            state: view.state.into(),
            reason: view.reason().map(Outcome::from),
            seal: view.seal.map(SealVerdict::from),
            created_at: view.created_at.into(),
            updated_at: view.updated_at.into(),
            retry_until: view.retry_until.into(),
            erased_at: view.erased_at.map(DateTime::from),
            attempt_count: view.attempts,
            next_attempt_at: view.next_attempt_at.map(DateTime::from),
            inferred_issuer: view.inferred.issuer.as_ref().map(inferred),
            inferred_receiver: view.inferred.receiver.as_ref().map(inferred),
            metadata: view.metadata.pairs().iter().map(pair).collect(),
        }
    }
}

connection! {
    /// One page of the lookups, newest first.
    LookupConnection,
    /// A lookup and its place in the list.
    LookupEdge of Lookup
}

impl LookupConnection {
    pub(super) fn new(page: Page<LookupView>, request: &PageRequest, ports: &Ports) -> Self {
        let today = ports.today();
        Self {
            page_info: PageInfo::new(&page, request),
            edges: LookupEdge::of(page.items, |view| Lookup::new(&view, ports, today)),
        }
    }
}

/// A stored lookup with its attempts and what was delivered.
#[derive(SimpleObject)]
pub(crate) struct LookupDetail {
    /// The lookup itself, as in lists.
    summary: Lookup,
    /// Its attempts that ended, oldest first.
    attempts: Vec<LookupAttempt>,
    /// The proof; null unless it was delivered.
    delivery: Option<LookupDelivery>,
}

/// An attempt of a lookup.
#[derive(SimpleObject)]
pub(crate) struct LookupAttempt {
    /// Time of its end.
    at: DateTime,
    /// Its outcome.
    outcome: Outcome,
}

/// The proof of a lookup and its files.
#[derive(SimpleObject)]
pub(crate) struct LookupDelivery {
    /// The fields of the proof.
    proof: Proof,
    /// The check of its seal, as of now.
    seal: ProofSeal,
    /// Names of the fields of the REST API's `cep` that the seal covers.
    sealed_fields: Vec<&'static str>,
    /// Facts that the seal doesn't tell: the REST API's `avisos`.
    notices: Vec<ProofNotice>,
    /// Earlier deliveries of the proof to the account, as of its delivery; null when they couldn't be
    /// read.
    earlier: Option<EarlierDeliveries>,
    /// The files that are kept.
    files: Vec<LookupFile>,
}

/// A file of a delivered lookup, for the session that reads it.
#[derive(SimpleObject)]
pub(crate) struct LookupFile {
    /// Its extension: `xml`, `pdf`, or `zip` with both.
    extension: &'static str,
    /// The path to `GET` it from.
    path: String,
}

impl LookupDetail {
    pub(super) fn new(view: &LookupView, ports: &Ports, language: Language) -> Self {
        let attempts = view.history.iter().flatten();
        let attempt = |attempt: &domain::lookup::Attempt| LookupAttempt {
            at: attempt.at.into(),
            outcome: attempt.outcome.into(),
        };
        let delivery = view.delivery.as_ref();
        Self {
            summary: Lookup::new(view, ports, ports.today()),
            attempts: attempts.map(attempt).collect(),
            delivery: delivery.map(|delivery| LookupDelivery::new(delivery, view.id, language)),
        }
    }
}

impl LookupDelivery {
    fn new(delivery: &Delivery, id: LookupId, language: Language) -> Self {
        let file = |extension: &&'static str| LookupFile {
            extension,
            path: format!("/lookups/{id}/{extension}"),
        };
        Self {
            proof: Proof::new(&delivery.proof, delivery.issuer),
            seal: ProofSeal::from(&delivery.seal),
            sealed_fields: covered_fields(&delivery.proof),
            notices: ProofNotice::of_delivery(delivery.origin, language),
            earlier: delivery.seen.map(EarlierDeliveries::from),
            files: delivery.files.extensions().iter().map(file).collect(),
        }
    }
}
