//! Rows of webhook targets and deliveries.

use chrono::{DateTime, Utc};
use domain::webhooks::{
    AnswerText, AttemptResult, DeliveryAttempt, DisabledReason, EndpointState, RotatedSecrets,
};
use ports::outbound::{EncryptedSecret, StoreError, StoredDelivery, StoredEndpoint};
use sea_orm::Set;

use crate::entity::{deliveries, endpoints};
use crate::error::unreadable;
use crate::stored::{Stored, Time};

/// Row of a webhook target to which nothing was sent so far.
pub(super) fn written_endpoint(endpoint: &StoredEndpoint) -> endpoints::ActiveModel {
    let (disabled_reason, disabled_at) = disabled(endpoint.state);
    let RotatedSecrets { current, previous } = &endpoint.secrets;
    let old = previous.as_ref();
    endpoints::ActiveModel {
        id: Set(Stored(endpoint.id)),
        customer_id: Set(Stored(endpoint.customer)),
        environment: Set(Stored(endpoint.environment)),
        url: Set(Stored(endpoint.url.clone())),
        events: Set(Stored(endpoint.events.clone())),
        disabled_reason: Set(disabled_reason),
        disabled_at: Set(disabled_at),
        failing_since: Set(endpoint.failing_since.map(Stored)),
        served_at: Set(Stored(DateTime::<Utc>::UNIX_EPOCH)),
        created_at: Set(Stored(endpoint.created_at)),
        updated_at: Set(Stored(endpoint.updated_at)),
        generation: Set(Stored(current.generation)),
        secret: Set(current.content.clone()),
        previous_generation: Set(old.map(|(secret, _)| Stored(secret.generation))),
        previous_secret: Set(old.map(|(secret, _)| secret.content.clone())),
        previous_until: Set(old.map(|(_, until)| Stored(*until))),
    }
}

/// Columns of a webhook target's state.
pub(super) fn disabled(state: EndpointState) -> (Option<Stored<DisabledReason>>, Option<Time>) {
    match state {
        EndpointState::Enabled => (None, None),
        EndpointState::Disabled { reason, at } => (Some(Stored(reason)), Some(Stored(at))),
    }
}

pub(super) fn endpoint(model: endpoints::Model) -> StoredEndpoint {
    let state = state(&model);
    let secret = |Stored(generation), content| EncryptedSecret {
        generation,
        content,
    };
    let previous = model.previous_generation.zip(model.previous_secret);
    let previous = previous.map(|(generation, content)| secret(generation, content));
    StoredEndpoint {
        id: model.id.0,
        customer: model.customer_id.0,
        environment: model.environment.0,
        url: model.url.0,
        events: model.events.0,
        state,
        failing_since: model.failing_since.map(Stored::value),
        created_at: model.created_at.0,
        updated_at: model.updated_at.0,
        secrets: RotatedSecrets {
            current: secret(model.generation, model.secret),
            previous: previous.zip(model.previous_until.map(Stored::value)),
        },
    }
}

pub(super) fn state(model: &endpoints::Model) -> EndpointState {
    match (model.disabled_reason, model.disabled_at) {
        (Some(Stored(reason)), Some(Stored(at))) => EndpointState::Disabled { reason, at },
        _ => EndpointState::Enabled,
    }
}

/// Row of a delivery that was never tried.
pub(super) fn written_delivery(delivery: &StoredDelivery) -> deliveries::ActiveModel {
    deliveries::ActiveModel {
        id: Set(Stored(delivery.id)),
        endpoint_id: Set(Stored(delivery.endpoint)),
        customer_id: Set(Stored(delivery.customer)),
        event: Set(Stored(delivery.kind)),
        subject_id: Set(Stored(delivery.subject)),
        body: Set(delivery.body.clone()),
        created_at: Set(Stored(delivery.created_at)),
        state: Set(Stored(delivery.state)),
        due_at: Set(delivery.due_at.map(Stored)),
        lease_token: Set(None),
        attempts: Set(Stored(delivery.attempts)),
        step: Set(Stored(delivery.step)),
        last_at: Set(None),
        last_duration: Set(None),
        last_status: Set(None),
        last_failure: Set(None),
        last_answer: Set(None),
        ended_at: Set(None),
    }
}

pub(super) fn delivery(model: deliveries::Model) -> Result<StoredDelivery, StoreError> {
    Ok(StoredDelivery {
        id: model.id.0,
        endpoint: model.endpoint_id.0,
        customer: model.customer_id.0,
        kind: model.event.0,
        subject: model.subject_id.0,
        created_at: model.created_at.0,
        state: model.state.0,
        due_at: model.due_at.map(Stored::value),
        attempts: model.attempts.0,
        step: model.step.0,
        last_attempt: last_attempt(&model)?,
        body: model.body,
    })
}

fn last_attempt(model: &deliveries::Model) -> Result<Option<DeliveryAttempt>, StoreError> {
    let Some(Stored(at)) = model.last_at else {
        return Ok(None);
    };
    let result = match (model.last_status, model.last_failure) {
        (Some(Stored(status)), _) => AttemptResult::Answered(status),
        (None, Some(Stored(failure))) => AttemptResult::Failed(failure),
        (None, None) => return Err(unreadable("webhook_deliveries", "last_failure", model.id.0)),
    };
    let answer = model.last_answer.clone().unwrap_or_default();
    Ok(Some(DeliveryAttempt {
        at,
        duration: model.last_duration.map(Stored::value).unwrap_or_default(),
        result,
        answer: AnswerText::from_stored(answer),
    }))
}
