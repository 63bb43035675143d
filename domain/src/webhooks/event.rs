//! Webhook events and the message that reports one.

use chrono::{DateTime, SecondsFormat, Utc};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use super::{DeliveryId, EndpointId};
use crate::batches::{BatchId, BatchState};
use crate::keys::Environment;
use crate::lookups::LookupState;
use crate::outcome::Outcome;
use crate::people::customer::CustomerId;
use crate::proofs::notice::ProofOrigin;
use crate::seals::SealVerdict;
use crate::variants::named_enum;

named_enum! {
    /// Type of an event.
    pub enum EventType {
        /// A lookup ended with a proof.
        #[strum(serialize = "lookup.delivered")]
        LookupDelivered,
        /// A lookup ended because several transfers have the reference number.
        #[strum(serialize = "lookup.ambiguous")]
        LookupAmbiguous,
        /// A lookup ended because the bank has no record of the transfer.
        #[strum(serialize = "lookup.not_found")]
        LookupNotFound,
        /// A lookup ended without any answer from the bank.
        #[strum(serialize = "lookup.failed")]
        LookupFailed,
        /// A lookup ended because the bank issued no proof in time.
        #[strum(serialize = "lookup.expired")]
        LookupExpired,
        /// All rows of a batch have ended.
        #[strum(serialize = "batch.finished")]
        BatchFinished,
        /// A batch was paused because the monthly quota is used up.
        #[strum(serialize = "batch.paused")]
        BatchPaused,
        /// A test message requested by a person. It can't be subscribed to.
        #[strum(serialize = "webhook.test")]
        Test,
    }
}

impl EventType {
    /// The event for a lookup's state; `None` for a state that isn't final, and for a cancellation,
    /// which the caller requested.
    pub fn of_lookup(state: LookupState) -> Option<Self> {
        match state {
            LookupState::Delivered => Some(Self::LookupDelivered),
            LookupState::Ambiguous => Some(Self::LookupAmbiguous),
            LookupState::NotFound => Some(Self::LookupNotFound),
            LookupState::Failed => Some(Self::LookupFailed),
            LookupState::Expired => Some(Self::LookupExpired),
            LookupState::Queued
            | LookupState::Running
            | LookupState::Waiting
            | LookupState::Canceled => None,
        }
    }
}

/// Event types that a webhook is subscribed to: at least one, no duplicates, in the order of the APIs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTypes(Vec<EventType>);

/// Reason why a list of event types is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventTypesError {
    /// The list is empty.
    #[error("name at least one type of event")]
    None,
    /// The list contains [`EventType::Test`].
    #[error("webhook.test can't be subscribed to: it is sent when somebody asks for it")]
    Test,
}

impl EventTypes {
    /// Builds the list without duplicates, in the order of the APIs.
    ///
    /// # Errors
    /// See [`EventTypesError`].
    pub fn new(types: &[EventType]) -> Result<Self, EventTypesError> {
        if types.contains(&EventType::Test) {
            return Err(EventTypesError::Test);
        }
        let listed = EventType::ALL
            .into_iter()
            .filter(|kind| types.contains(kind));
        let listed: Vec<_> = listed.collect();
        if listed.is_empty() {
            return Err(EventTypesError::None);
        }
        Ok(Self(listed))
    }

    /// The subscribed types, in the order of the APIs.
    pub fn list(&self) -> &[EventType] {
        &self.0
    }

    /// Returns `true` if events of this type are sent.
    pub fn contains(&self, kind: EventType) -> bool {
        self.0.contains(&kind)
    }

    /// The stored form: the names with a comma before, between and after them.
    pub fn stored(&self) -> String {
        let mut text = String::from(",");
        for kind in &self.0 {
            text.push_str(kind.name());
            text.push(',');
        }
        text
    }

    /// Parses the stored form; `None` if it is malformed.
    pub fn from_stored(text: &str) -> Option<Self> {
        let names = text.strip_prefix(',')?.strip_suffix(',')?.split(',');
        let types: Option<Vec<_>> = names.map(EventType::from_name).collect();
        Self::new(&types?).ok()
    }
}

/// An event that is reported to a customer's webhooks. It has no personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookEvent {
    /// The customer whose webhooks get the event.
    pub customer: CustomerId,
    /// Environment of the lookup, batch or webhook.
    pub environment: Environment,
    /// Type of the event.
    pub kind: EventType,
    /// Id of the lookup or batch; of the webhook for a test.
    pub subject: Uuid,
    /// Name of the subject's new state.
    pub state: &'static str,
    /// Name of the reason for that state; `None` if it needs none.
    pub reason: Option<&'static str>,
    /// Verdict on the proof's seal; `None` unless a lookup was delivered.
    pub seal: Option<SealVerdict>,
    /// Origin of the proof; `None` unless a lookup was delivered.
    pub origin: Option<ProofOrigin>,
    /// Batch of the lookup; `None` if it belongs to none.
    pub batch: Option<Uuid>,
    /// Time of the event.
    pub at: DateTime<Utc>,
}

/// End of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupEnd {
    /// It ended with a proof.
    Delivered {
        /// Verdict on the proof's seal.
        seal: SealVerdict,
        /// Origin of the proof.
        origin: ProofOrigin,
    },
    /// It ended without a proof.
    Without {
        /// Its final state.
        state: LookupState,
        /// Outcome of its last attempt; `None` if it had none.
        last: Option<Outcome>,
    },
}

impl WebhookEvent {
    /// The event for the end of a lookup, with its batch if it has one; `None` if the state isn't
    /// reported.
    pub fn of_lookup(
        (customer, environment): (CustomerId, Environment),
        (subject, batch): (Uuid, Option<Uuid>),
        end: LookupEnd,
        at: DateTime<Utc>,
    ) -> Option<Self> {
        let (state, last, proof) = match end {
            LookupEnd::Delivered { seal, origin } => {
                (LookupState::Delivered, None, Some((seal, origin)))
            }
            LookupEnd::Without { state, last } => (state, last, None),
        };
        let (seal, origin) = proof.unzip();
        Some(Self {
            customer,
            environment,
            kind: EventType::of_lookup(state)?,
            subject,
            state: state.name(),
            reason: last.map(Outcome::reason_name),
            seal,
            origin,
            batch,
            at,
        })
    }

    /// The event for a batch's new state; `None` if the state isn't reported.
    pub fn of_batch(
        (customer, environment): (CustomerId, Environment),
        BatchId(subject): BatchId,
        state: BatchState,
        at: DateTime<Utc>,
    ) -> Option<Self> {
        let (kind, reason) = match state {
            BatchState::Finished => (EventType::BatchFinished, None),
            BatchState::Paused => {
                let reason = Outcome::QuotaExceeded.reason_name();
                (EventType::BatchPaused, Some(reason))
            }
            // The caller requested the cancellation.
            BatchState::Queued | BatchState::Running | BatchState::Canceled => return None,
        };
        Some(Self {
            customer,
            environment,
            kind,
            subject,
            state: state.name(),
            reason,
            seal: None,
            origin: None,
            batch: None,
            at,
        })
    }

    /// The event of a test; its subject is the webhook.
    pub fn test(
        (customer, environment): (CustomerId, Environment),
        EndpointId(subject): EndpointId,
        at: DateTime<Utc>,
    ) -> Self {
        Self {
            customer,
            environment,
            kind: EventType::Test,
            subject,
            state: "test",
            reason: None,
            seal: None,
            origin: None,
            batch: None,
            at,
        }
    }

    /// The message's body in JSON. It has only ids, names and timestamps, so no string needs escaping.
    pub fn body(&self) -> String {
        let kind = self.kind.name();
        let timestamp = self.at.to_rfc3339_opts(SecondsFormat::Millis, true);
        let (id, state) = (self.subject, self.state);
        let reason = quoted(self.reason.map(str::to_owned));
        let seal = quoted(self.seal.map(|seal| seal.name().to_owned()));
        let origin = quoted(self.origin.map(|origin| origin.name().to_owned()));
        let batch = quoted(self.batch.map(|id| id.to_string()));
        format!(
            "{{\"type\":\"{kind}\",\"timestamp\":\"{timestamp}\",\"data\":{{\"id\":\"{id}\",\
             \"state\":\"{state}\",\"reason\":{reason},\"seal\":{seal},\"origin\":{origin},\
             \"batch_id\":{batch}}}}}"
        )
    }

    /// Id of the event's delivery to a webhook. It is derived from the event, so the same event is sent
    /// only once.
    pub fn delivery(&self, endpoint: EndpointId) -> DeliveryId {
        let digest = Sha256::new()
            .chain_update(endpoint.0.as_bytes())
            .chain_update(self.kind.name())
            .chain_update([0])
            .chain_update(self.subject.as_bytes())
            .chain_update(self.at.timestamp_millis().to_be_bytes())
            .finalize();
        let mut random = [0; 10];
        random.copy_from_slice(&digest[..10]);
        let millis = u64::try_from(self.at.timestamp_millis()).unwrap_or_default();
        DeliveryId(Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }
}

fn quoted(text: Option<String>) -> String {
    text.map_or_else(|| "null".to_owned(), |text| format!("\"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUSTOMER: CustomerId = CustomerId(Uuid::from_u128(1));

    fn event() -> WebhookEvent {
        WebhookEvent {
            customer: CUSTOMER,
            environment: Environment::Live,
            kind: EventType::LookupExpired,
            subject: Uuid::from_u128(2),
            state: "expired",
            reason: Some("proof_not_issued"),
            seal: None,
            origin: None,
            batch: Some(Uuid::from_u128(3)),
            at: DateTime::from_timestamp_millis(1_795_262_400_123).unwrap(),
        }
    }

    #[test]
    fn the_body_says_what_happened_and_to_what() {
        let expected = "{\"type\":\"lookup.expired\",\"timestamp\":\"2026-11-21T12:00:00.123Z\",\
                        \"data\":{\"id\":\"00000000-0000-0000-0000-000000000002\",\"state\":\"expired\",\
                        \"reason\":\"proof_not_issued\",\"seal\":null,\"origin\":null,\
                        \"batch_id\":\"00000000-0000-0000-0000-000000000003\"}}";
        assert_eq!(event().body(), expected);
        let bare = WebhookEvent {
            reason: None,
            batch: None,
            ..event()
        };
        let end = "\"reason\":null,\"seal\":null,\"origin\":null,\"batch_id\":null}}";
        assert!(bare.body().ends_with(end));
    }

    #[test]
    fn an_event_has_one_id_for_each_endpoint() {
        let endpoint = |number| EndpointId(Uuid::from_u128(number));
        assert_eq!(event().delivery(endpoint(1)), event().delivery(endpoint(1)));
        assert_ne!(event().delivery(endpoint(1)), event().delivery(endpoint(2)));
        let changes: [fn(&mut WebhookEvent); 3] = [
            |it| it.kind = EventType::LookupFailed,
            |it| it.subject = Uuid::from_u128(9),
            |it| it.at += chrono::TimeDelta::milliseconds(1),
        ];
        for change in changes {
            let mut other = event();
            change(&mut other);
            assert_ne!(other.delivery(endpoint(1)), event().delivery(endpoint(1)));
        }
    }

    fn of_lookup(end: LookupEnd) -> Option<WebhookEvent> {
        let owner = (CUSTOMER, Environment::Test);
        WebhookEvent::of_lookup(owner, (Uuid::nil(), None), end, event().at)
    }

    #[test]
    fn every_end_but_a_cancellation_is_told() {
        let last = Some(Outcome::NotIssued);
        let ends = LookupState::ALL.map(|state| LookupEnd::Without { state, last });
        let told = ends.into_iter().filter_map(of_lookup);
        let told: Vec<_> = told.map(|event| (event.kind.name(), event.state)).collect();
        let expected = [
            ("lookup.delivered", "delivered"),
            ("lookup.ambiguous", "ambiguous"),
            ("lookup.not_found", "not_found"),
            ("lookup.failed", "failed"),
            ("lookup.expired", "expired"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_delivered_lookup_has_the_verdict_on_its_seal_and_any_other_a_reason() {
        let told = |end| of_lookup(end).unwrap();
        let (seal, origin) = (SealVerdict::Invalid, ProofOrigin::Imported);
        let delivered = told(LookupEnd::Delivered { seal, origin });
        assert_eq!(delivered.reason, None);
        let words = "\"reason\":null,\"seal\":\"invalid\",\"origin\":\"imported\"";
        assert!(delivered.body().contains(words));
        for (last, reason) in [
            (Outcome::NotFound, "not_in_spei"),
            (Outcome::PaymentReturned, "payment_returned"),
        ] {
            let (state, last) = (LookupState::NotFound, Some(last));
            let without = told(LookupEnd::Without { state, last });
            assert_eq!((without.reason, without.seal), (Some(reason), None));
        }
    }

    #[test]
    fn types_are_listed_once_and_tests_are_no_subscription() {
        use EventType::{BatchPaused, LookupFailed};
        let types = EventTypes::new(&[BatchPaused, LookupFailed, BatchPaused]).unwrap();
        assert_eq!(types.stored(), ",lookup.failed,batch.paused,");
        assert_eq!(EventTypes::from_stored(&types.stored()), Some(types));
        assert_eq!(EventTypes::new(&[]), Err(EventTypesError::None));
        let of_tests = EventTypes::new(&[EventType::Test]);
        assert_eq!(of_tests, Err(EventTypesError::Test));
        for text in ["", ",", ",,", "lookup.failed", ",lookup_failed,"] {
            assert_eq!(EventTypes::from_stored(text), None, "{text}");
        }
    }
}
