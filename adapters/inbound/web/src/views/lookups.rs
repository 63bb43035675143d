//! Stored lookups, and the questions that they ask.

use application::LookupView;
use async_graphql::{Enum, SimpleObject};
use domain::amount::pesos;
use domain::lookups;
use domain::participants::ParticipantCode;
use domain::proofs::candidate::Candidate;
use domain::query::ProofQuery;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, Type};

use super::keys::Environment;
use super::requests::Outcome;
use super::scalars::{Count, DateTime, Id};
use super::seals::{ProofOrigin, SealVerdict};
use crate::language::Language;
use crate::problem::{HintDetail, InferredDetails, PaymentDetail, what_to_do};

/// State of a stored lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::lookups::LookupState")]
#[serde(rename_all = "snake_case")]
pub enum LookupState {
    /// It waits for its first attempt.
    Queued,
    /// An attempt is being made.
    Running,
    /// It waits for its next attempt.
    Waiting,
    /// The proof was delivered. Final, as all that follow.
    Delivered,
    /// Several transfers have the reference number: choose one of `candidates`, and look it up by its tracking key.
    Ambiguous,
    /// The bank knows no such transfer, or issues no proof of it: it was returned, rejected or canceled.
    NotFound,
    /// The bank gave no usable answer. Given back to the quota.
    Failed,
    /// The bank knows the transfer, and issued no proof in time.
    Expired,
    /// Somebody canceled it, or its key was revoked.
    Canceled,
}

/// A stored lookup without its proof: a request for a proof that is carried to its end while nobody waits.
#[derive(SimpleObject, Serialize, ToSchema)]
#[graphql(name = "LookupSummary")]
#[schema(as = LookupSummary)]
pub struct Lookup {
    /// Id of the lookup.
    id: Id,
    /// The key that it was created with.
    key_id: Id,
    /// The bank that is asked.
    env: Environment,
    /// Its state.
    state: LookupState,
    /// Outcome of the last attempt that gave no proof; null before the first attempt ends, and once the
    /// proof is delivered.
    #[schema(required)]
    reason: Option<Outcome>,
    /// The verdict on the seal of its proof, as of its delivery; null until then, and of lookups that an
    /// older version delivered.
    #[schema(required)]
    seal: Option<SealVerdict>,
    /// Origin of its proof; null unless it is delivered.
    #[schema(required)]
    origin: Option<ProofOrigin>,
    /// Time of its creation.
    created_at: DateTime,
    /// Time of the last change.
    updated_at: DateTime,
    /// Time of the last attempt, at the latest.
    retry_until: DateTime,
    /// Time at which it is erased; null until it is final.
    #[schema(required)]
    erase_at: Option<DateTime>,
    /// Number of attempts that ended.
    attempt_count: u32,
    /// The attempts that ended, oldest first; null in lists.
    #[schema(required)]
    attempts: Option<Vec<LookupAttempt>>,
    /// Time of the next attempt; null while one is made, and once it is final.
    #[schema(required)]
    next_attempt_at: Option<DateTime>,
    /// Its place in the queue, while it is due and nobody works on it; null otherwise, in lists, and in
    /// the answer to its creation.
    #[schema(required)]
    queue: Option<LookupQueue>,
    /// The batch that it is a row of; null when it is none.
    #[schema(required)]
    batch_id: Option<Id>,
    /// The question.
    question: Question,
    /// The banks that were inferred; null when none was.
    #[schema(required)]
    inferred: Option<InferredDetails>,
    /// The payment, when the bank knew it at its last answer and had no proof of it.
    #[schema(required)]
    payment: Option<PaymentDetail>,
    /// The transfers that have the reference number, in the order of their credit; empty unless the state is
    /// `ambiguous`.
    candidates: Vec<LookupCandidate>,
    /// Things to check, most likely first, when the bank didn't know the transfer at its last answer.
    hints: Vec<HintDetail>,
    /// The next step, in the caller's language; null once a proof with a valid seal is delivered.
    #[schema(required)]
    what_to_do: Option<String>,
    /// Pairs that its creator gave, in their order.
    #[serde(serialize_with = "as_object")]
    #[schema(schema_with = metadata)]
    metadata: Vec<MetadataPair>,
}

/// An attempt of a lookup.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct LookupAttempt {
    /// Time of its end.
    at: DateTime,
    /// Its outcome.
    outcome: Outcome,
}

/// One of several transfers that have the reference number, as the bank's PDF shows it. It is of the date, the
/// account and the amount that were asked for.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct LookupCandidate {
    /// Its tracking key, by which it is looked up.
    clave_rastreo: String,
    /// Day of the credit in Mexico City: `2026-11-20`.
    #[schema(format = "date")]
    fecha: String,
    /// Time of the credit in Mexico City: `10:53:36`.
    hora: String,
    /// Name of the payer; null when the bank doesn't know it.
    #[schema(required)]
    ordenante: Option<String>,
    /// Concept; null when there is none.
    #[schema(required)]
    concepto: Option<String>,
    /// The amount in pesos: `1234.56`.
    #[schema(pattern = r"^[0-9]+\.[0-9]{2}$", examples("1234.56"))]
    monto: String,
    /// The verdict on the seal that the PDF shows.
    seal: SealVerdict,
}

/// Place of a lookup in the queue.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct LookupQueue {
    /// Its number among the due lookups of all accounts, from 1 on. Accounts take turns, and of an account
    /// the lookup goes first that was due first: so each other account has as many lookups before yours as
    /// you have yourself, or one more, and no more than it has in all. Lookups whose callers wait
    /// (`Prefer: wait`) have a queue of their own, which goes first.
    position: Count,
    /// Estimated time of its turn at the bank, by the bank's budget and the position alone; null for
    /// `test` keys, whose sandbox has no budget.
    #[schema(required)]
    eta: Option<DateTime>,
}

/// A question, as it was asked.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct Question {
    /// The calendar day of the transfer in Mexico City: `2026-11-20`.
    #[schema(format = "date")]
    fecha: String,
    /// The tracking key; null when the reference number was given in its place.
    #[schema(required)]
    clave_rastreo: Option<String>,
    /// The reference number; null when the tracking key was given.
    #[schema(required)]
    numero_referencia: Option<String>,
    /// The digits of the receiver's account.
    cuenta: String,
    /// Your other own accounts that fit a masked or missing account, in the order in which they are asked for; empty
    /// if it was whole. Once the bank knows the transfer, `cuenta` is the one that it is of.
    otras_cuentas: Vec<String>,
    /// The amount in pesos: `1234.56`.
    #[schema(pattern = r"^[0-9]+\.[0-9]{2}$", examples("1234.56"))]
    monto: String,
    /// Code of the bank that sent the transfer; null when it was left out. `inferred` has it then, if it
    /// could be inferred.
    #[schema(required)]
    emisor: Option<String>,
    /// Code of the bank that received it; null when it was left out. `inferred` has it then, if it could be
    /// inferred.
    #[schema(required)]
    receptor: Option<String>,
}

/// A pair of a lookup's metadata.
#[derive(SimpleObject)]
pub struct MetadataPair {
    /// Its name.
    name: String,
    /// Its value.
    value: String,
}

/// Writes the pairs as members of an object.
fn as_object<S: Serializer>(pairs: &[MetadataPair], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|pair| (&pair.name, &pair.value)))
}

/// Schema of the object of metadata.
pub fn metadata() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some("Your metadata."))
        .additional_properties(Some(ObjectBuilder::new().schema_type(Type::String)))
}

impl Lookup {
    /// A lookup with its messages in one language.
    pub fn new(view: &LookupView, language: Language) -> Self {
        let attempts = view.history.as_deref();
        let hint = |hint: &domain::hints::Hint| HintDetail::new(&hint.clone().into(), language);
        let pair = |(name, value): &(String, String)| MetadataPair {
            name: name.clone(),
            value: value.clone(),
        };
        Self {
            id: view.id.into(),
            key_id: view.key.into(),
            env: view.environment.into(),
            state: view.state.into(),
            reason: view.reason().map(Outcome::from),
            seal: view.seal.map(SealVerdict::from),
            origin: view.origin().map(ProofOrigin::from),
            created_at: DateTime(view.created_at),
            updated_at: DateTime(view.updated_at),
            retry_until: DateTime(view.retry_until),
            erase_at: view.erase_at.map(DateTime),
            attempt_count: view.attempts,
            attempts: attempts.map(|all| all.iter().map(LookupAttempt::from).collect()),
            next_attempt_at: view.next_attempt_at.map(DateTime),
            queue: view.queue.map(LookupQueue::from),
            batch_id: view.batch.map(Id::from),
            question: Question::from(&view.question),
            inferred: InferredDetails::of(&view.inferred),
            payment: view.payment.as_ref().map(PaymentDetail::new),
            candidates: view.candidates.iter().map(LookupCandidate::from).collect(),
            hints: view.hints.iter().map(hint).collect(),
            what_to_do: what_to_do(view, language),
            metadata: view.metadata.pairs().iter().map(pair).collect(),
        }
    }
}

impl From<&lookups::Attempt> for LookupAttempt {
    fn from(attempt: &lookups::Attempt) -> Self {
        Self {
            at: DateTime(attempt.at),
            outcome: attempt.outcome.into(),
        }
    }
}

impl From<&Candidate> for LookupCandidate {
    fn from(candidate: &Candidate) -> Self {
        Self {
            clave_rastreo: candidate.tracking_key.to_string(),
            fecha: candidate.credited_at.date().to_string(),
            hora: candidate.credited_at.time().to_string(),
            ordenante: candidate.payer.clone(),
            concepto: candidate.concept.clone(),
            monto: pesos(candidate.centavos),
            seal: candidate.seal.into(),
        }
    }
}

impl From<lookups::QueuePlace> for LookupQueue {
    fn from(place: lookups::QueuePlace) -> Self {
        Self {
            position: Count(place.position),
            eta: place.eta.map(DateTime),
        }
    }
}

impl From<&ProofQuery> for Question {
    fn from(query: &ProofQuery) -> Self {
        let code = |code: Option<ParticipantCode>| code.map(|code| code.to_string());
        Self {
            fecha: query.date.to_string(),
            clave_rastreo: query.criterion.tracking_key().map(ToString::to_string),
            numero_referencia: query.criterion.reference().map(|it| it.to_string()),
            cuenta: query.account.as_str().to_owned(),
            otras_cuentas: query
                .others
                .iter()
                .map(|other| other.account.as_str().to_owned())
                .collect(),
            monto: query.amount.to_string(),
            emisor: code(query.issuer),
            receptor: code(query.receiver),
        }
    }
}
