//! Stored lookups, their attempts, and their delivered proofs.

use application::{Delivery, LookupView};
use async_graphql::{ID, SimpleObject};
use domain::lookups::LookupId;
use domain::page::{Page, PageRequest};
use web::Language;
use web::problem::{NoticeDetail, what_to_do};
use web::views::proof::Proof;

use super::bank_answer::{Hint, Payment};
use super::connection::{PageInfo, connection};
use super::context::Ports;
use super::enums::{Environment, LookupState, Reason, SealVerdict};
use super::proof::{EarlierDeliveries, ProofSeal};
use super::question::{InferredBanks, Question};
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
    reason: Option<Reason>,
    /// The verdict on the seal of its proof, as of its delivery; null until then, and of lookups that an
    /// older version delivered.
    seal: Option<SealVerdict>,
    /// The proof was brought in a file, not fetched from the bank: no seal covers its tracking key.
    imported: bool,
    /// Time of its creation.
    created_at: DateTime,
    /// Time of the last change.
    updated_at: DateTime,
    /// Time of the last attempt, at the latest.
    retry_until: DateTime,
    /// Time at which it is erased; null until it is final.
    erase_at: Option<DateTime>,
    /// Number of attempts that ended.
    attempt_count: u32,
    /// Time of the next attempt; null while one is made, and once it is final.
    next_attempt_at: Option<DateTime>,
    /// The question.
    question: Question,
    /// The banks that were inferred; null when none was.
    inferred: Option<InferredBanks>,
    /// The payment, when the bank knew it at its last answer and had no proof of it.
    payment: Option<Payment>,
    /// Things to check, most likely first, when the bank didn't know the transfer at its last answer.
    hints: Vec<Hint>,
    /// The next step, in the caller's language; null once a proof with a valid seal is delivered.
    what_to_do: Option<String>,
    /// Pairs that its creator gave, in their order.
    metadata: Vec<MetadataPair>,
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
    pub(super) fn new(view: &LookupView, ports: &Ports, language: Language) -> Self {
        let pair = |(name, value): &(String, String)| MetadataPair {
            name: name.clone(),
            value: value.clone(),
        };
        Self {
            id: view.id.into(),
            key_id: view.key.into(),
            environment: view.environment.into(),
            state: view.state.into(),
            reason: view.reason().map(Reason::from),
            seal: view.seal.map(SealVerdict::from),
            imported: view.is_imported(),
            created_at: view.created_at.into(),
            updated_at: view.updated_at.into(),
            retry_until: view.retry_until.into(),
            erase_at: view.erase_at.map(DateTime::from),
            attempt_count: view.attempts,
            next_attempt_at: view.next_attempt_at.map(DateTime::from),
            question: Question::from(&view.question),
            inferred: InferredBanks::of(&view.inferred, ports, ports.today()),
            payment: view.payment.as_ref().map(Payment::from),
            hints: Hint::all_of(&view.hints, language),
            what_to_do: what_to_do(view, language),
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
    pub(super) fn new(
        page: Page<LookupView>,
        request: &PageRequest,
        ports: &Ports,
        language: Language,
    ) -> Self {
        Self {
            page_info: PageInfo::new(&page, request),
            edges: LookupEdge::of(page.items, |view| Lookup::new(&view, ports, language)),
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
    outcome: Reason,
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
    notices: Vec<NoticeDetail>,
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
        let attempt = |attempt: &domain::lookups::Attempt| LookupAttempt {
            at: attempt.at.into(),
            outcome: attempt.outcome.into(),
        };
        let delivery = view.delivery.as_ref();
        Self {
            summary: Lookup::new(view, ports, language),
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
            proof: Proof::new(&delivery.proof, Some(delivery.issuer)),
            seal: ProofSeal::from(&delivery.seal),
            sealed_fields: delivery.proof.covered_fields(),
            notices: NoticeDetail::of_delivery(delivery, language),
            earlier: delivery.seen.map(EarlierDeliveries::from),
            files: delivery.files.extensions().iter().map(file).collect(),
        }
    }
}
