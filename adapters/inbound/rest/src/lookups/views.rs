//! JSON view of a lookup.

use std::collections::BTreeMap;

use application::{Files, LookupView};
use chrono::{DateTime, SecondsFormat, Utc};
use domain::lookups::{Attempt, LookupState, QueuePlace};
use domain::outcome::Outcome;
use domain::proofs::notice::ProofOrigin;
use domain::query::ExpectedBeneficiary;
use domain::seals::SealVerdict;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, Type};
use web::Language;
use web::problem::{HintDetail, InferredDetails, NoticeDetail, PaymentDetail, what_to_do};
use web::views::proof::Proof;

use super::question::QuestionBody;
use crate::openapi::schemas::words;
use crate::proofs::views::{ParsedProof, SealView, SeenView, or_null};

/// A stored lookup.
#[derive(Serialize, ToSchema)]
#[schema(as = Lookup)]
pub(crate) struct LookupBody {
    /// Its id.
    #[schema(format = "uuid")]
    id: String,
    #[schema(schema_with = words::<LookupState>)]
    state: &'static str,
    /// Result of the last attempt that gave no proof: `not_in_spei`, `proof_not_issued`, `payment_in_process`,
    /// the final `payment_returned`, `payment_rejected` or `payment_canceled`, or the failure. Null before
    /// the first attempt ends, and once the proof is delivered.
    #[schema(required)]
    reason: Option<&'static str>,
    #[schema(required, schema_with = seal)]
    seal: Option<&'static str>,
    #[schema(format = "date-time")]
    created_at: String,
    /// Time of the last change.
    #[schema(format = "date-time")]
    updated_at: String,
    /// Time of the last attempt, at the latest.
    #[schema(format = "date-time")]
    retry_until: String,
    /// Time at which it is erased. Null until it is final.
    #[schema(required, format = "date-time")]
    erase_at: Option<String>,
    /// Number of attempts that ended.
    attempts: u32,
    /// All attempts, oldest first. Null in lists.
    #[schema(required)]
    history: Option<Vec<AttemptBody>>,
    /// Time of the next attempt. Null while one is made, and once it is final.
    #[schema(required, format = "date-time")]
    next_attempt_at: Option<String>,
    /// Its place in the queue, while it is due and nobody works on it. Null otherwise, in lists, and in the
    /// answer to its creation.
    #[schema(required)]
    queue: Option<QueueBody>,
    question: QuestionBody,
    /// The banks that were inferred.
    #[schema(required, inline)]
    inferred: Option<InferredDetails>,
    /// The payment, when the bank knew it at its last answer and had no proof of it.
    #[schema(required)]
    payment: Option<PaymentDetail>,
    /// Things to check, most likely first, when the bank did not know the transfer at its last answer.
    hints: Vec<HintDetail>,
    /// The next step, in a sentence. Null once a proof with a valid seal is delivered.
    #[schema(required)]
    what_to_do: Option<String>,
    /// The fields of the proof. Null unless it is delivered, and in lists.
    #[schema(required)]
    cep: Option<Proof>,
    /// The check of its seal, as of now.
    #[schema(required)]
    sello: Option<SealView>,
    /// Earlier deliveries of the proof to your account, as of its delivery.
    #[schema(required)]
    visto: Option<SeenView>,
    /// Facts that the seal doesn't tell. Null unless it is delivered, and in lists.
    #[schema(required)]
    avisos: Option<Vec<NoticeDetail>>,
    /// `fetched` from the bank, or `imported`: brought in a file. Null unless it is delivered.
    #[schema(required)]
    origin: Option<&'static str>,
    /// The batch that it is a row of, if it is one.
    #[schema(required, format = "uuid")]
    batch: Option<String>,
    /// Paths of the files, by format.
    files: BTreeMap<&'static str, String>,
    #[schema(schema_with = metadata)]
    metadata: Map<String, Value>,
}

/// Place of a lookup in the queue.
#[derive(Serialize, ToSchema)]
#[schema(as = LookupQueue)]
pub(crate) struct QueueBody {
    /// Its number among the due lookups of all accounts, from 1 on. Accounts take turns, and of an account
    /// the lookup goes first that was due first: so each other account has as many lookups before yours as
    /// you have yourself, or one more, and no more than it has in all. Lookups whose callers wait
    /// (`Prefer: wait`) have a queue of their own, which goes first.
    position: u64,
    /// Estimated time of its turn at the bank, by the bank's budget and the position alone. Null for
    /// `test` keys, whose sandbox has no budget.
    #[schema(required, format = "date-time")]
    eta: Option<String>,
}

impl QueueBody {
    fn new(place: QueuePlace) -> Self {
        Self {
            position: place.position,
            eta: place.eta.map(instant),
        }
    }
}

/// An attempt of a lookup.
#[derive(Serialize, ToSchema)]
#[schema(as = LookupAttempt)]
pub(crate) struct AttemptBody {
    /// Time of its end.
    #[schema(format = "date-time")]
    at: String,
    /// `delivered`, or a reason as in the lookup's `reason`.
    outcome: &'static str,
}

impl LookupBody {
    pub(crate) fn new(lookup: &LookupView, language: Language) -> Self {
        let proof = lookup
            .delivery
            .as_ref()
            .map(|delivery| ParsedProof::new(delivery, &ExpectedBeneficiary::default(), language));
        let (mut cep, mut sello, mut visto, mut avisos) = (None, None, None, None);
        if let Some(proof) = proof {
            (cep, sello, visto) = (Some(proof.cep), Some(proof.sello), proof.visto);
            avisos = Some(proof.avisos);
        }
        let hints = lookup.hints.iter().cloned();
        let hints = hints.map(|hint| HintDetail::new(&hint.into(), language));
        let pairs = lookup.metadata.pairs().iter();
        let pairs = pairs.map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        Self {
            id: lookup.id.to_string(),
            state: lookup.state.name(),
            reason: lookup.reason().map(Outcome::reason_name),
            seal: lookup.seal.map(SealVerdict::name),
            created_at: instant(lookup.created_at),
            updated_at: instant(lookup.updated_at),
            retry_until: instant(lookup.retry_until),
            erase_at: lookup.erase_at.map(instant),
            attempts: lookup.attempts,
            history: lookup.history.as_deref().map(history),
            next_attempt_at: lookup.next_attempt_at.map(instant),
            queue: lookup.queue.map(QueueBody::new),
            question: QuestionBody::from(&lookup.question),
            inferred: InferredDetails::of(&lookup.inferred),
            payment: lookup.payment.as_ref().map(PaymentDetail::new),
            hints: hints.collect(),
            what_to_do: what_to_do(lookup, language),
            cep,
            sello,
            visto,
            avisos,
            origin: lookup.origin().map(ProofOrigin::name),
            batch: lookup.batch.map(|batch| batch.to_string()),
            files: files(lookup),
            metadata: pairs.collect(),
        }
    }
}

fn history(attempts: &[Attempt]) -> Vec<AttemptBody> {
    let attempt = |attempt: &Attempt| AttemptBody {
        at: instant(attempt.at),
        outcome: attempt.outcome.reason_name(),
    };
    attempts.iter().map(attempt).collect()
}

fn files(lookup: &LookupView) -> BTreeMap<&'static str, String> {
    let files = lookup.delivery.as_ref().map(|delivery| &delivery.files);
    let extensions = files.map_or(&[][..], Files::extensions);
    let path = |format: &&'static str| (*format, format!("{}/{format}", super::path(lookup.id)));
    extensions.iter().map(path).collect()
}

fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn seal() -> ObjectBuilder {
    or_null::<SealVerdict>(
        "The verdict on the seal of its proof, as of its delivery, in lists, too. Null until then, and of \
         lookups that an older version delivered.",
    )
}

pub(super) fn metadata() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some("Your metadata."))
        .additional_properties(Some(ObjectBuilder::new().schema_type(Type::String)))
}
