//! Rows of webhook targets and deliveries.

use std::time::Duration;

use chrono::DateTime;
use domain::keys::{Environment, HashGeneration};
use domain::people::customer::CustomerId;
use domain::webhooks::{
    AnswerText, AttemptResult, DeliveryAttempt, DeliveryId, DeliveryState, DisabledReason,
    EndpointId, EndpointState, EventType, EventTypes, RotatedSecrets, SendFailure, WebhookUrl,
};
use ports::outbound::{EncryptedSecret, StoreError, StoredDelivery, StoredEndpoint};
use sea_orm::Set;

use super::entity::{deliveries, endpoints};
use crate::row::Row;

/// Row of a webhook target to which nothing was sent so far.
pub(super) fn written_endpoint(endpoint: &StoredEndpoint) -> endpoints::ActiveModel {
    let (disabled_reason, disabled_at) = disabled(endpoint.state);
    let RotatedSecrets { current, previous } = &endpoint.secrets;
    let old = previous.as_ref();
    endpoints::ActiveModel {
        id: Set(endpoint.id.to_string()),
        customer_id: Set(endpoint.customer.to_string()),
        environment: Set(endpoint.environment.name().to_owned()),
        url: Set(endpoint.url.as_str().to_owned()),
        events: Set(endpoint.events.stored()),
        disabled_reason: Set(disabled_reason),
        disabled_at: Set(disabled_at),
        failing_since: Set(endpoint.failing_since.map(|at| at.timestamp_millis())),
        served_at: Set(0),
        created_at: Set(endpoint.created_at.timestamp_millis()),
        updated_at: Set(endpoint.updated_at.timestamp_millis()),
        generation: Set(current.generation.0.into()),
        secret: Set(current.content.clone()),
        previous_generation: Set(old.map(|(secret, _)| secret.generation.0.into())),
        previous_secret: Set(old.map(|(secret, _)| secret.content.clone())),
        previous_until: Set(old.map(|(_, until)| until.timestamp_millis())),
    }
}

/// Columns of a webhook target's state.
pub(super) fn disabled(state: EndpointState) -> (Option<String>, Option<i64>) {
    match state {
        EndpointState::Enabled => (None, None),
        EndpointState::Disabled { reason, at } => {
            (Some(reason.name().to_owned()), Some(at.timestamp_millis()))
        }
    }
}

pub(super) fn endpoint(model: &endpoints::Model) -> Result<StoredEndpoint, StoreError> {
    let row = Row {
        table: "webhook_endpoints",
        id: &model.id,
    };
    let environment = Environment::from_name(&model.environment);
    let generation = |number: i64| {
        let generation = u16::try_from(number).map(HashGeneration);
        generation.map_err(|_| row.unreadable("generation"))
    };
    let previous = match (
        model.previous_generation,
        &model.previous_secret,
        model.previous_until,
    ) {
        (Some(number), Some(content), Some(until)) => {
            let secret = EncryptedSecret {
                generation: generation(number)?,
                content: content.clone(),
            };
            Some((secret, row.instant(until, "previous_until")?))
        }
        _ => None,
    };
    Ok(StoredEndpoint {
        id: EndpointId(row.uuid(&model.id, "id")?),
        customer: CustomerId(row.uuid(&model.customer_id, "customer_id")?),
        environment: environment.ok_or_else(|| row.unreadable("environment"))?,
        url: WebhookUrl::from_stored(&model.url).ok_or_else(|| row.unreadable("url"))?,
        events: EventTypes::from_stored(&model.events).ok_or_else(|| row.unreadable("events"))?,
        state: state(model)?,
        failing_since: row.optional_instant(model.failing_since, "failing_since")?,
        created_at: row.instant(model.created_at, "created_at")?,
        updated_at: row.instant(model.updated_at, "updated_at")?,
        secrets: RotatedSecrets {
            current: EncryptedSecret {
                generation: generation(model.generation)?,
                content: model.secret.clone(),
            },
            previous,
        },
    })
}

pub(super) fn state(model: &endpoints::Model) -> Result<EndpointState, StoreError> {
    let row = Row {
        table: "webhook_endpoints",
        id: &model.id,
    };
    let (Some(reason), Some(at)) = (&model.disabled_reason, model.disabled_at) else {
        return Ok(EndpointState::Enabled);
    };
    let reason = DisabledReason::from_name(reason);
    Ok(EndpointState::Disabled {
        reason: reason.ok_or_else(|| row.unreadable("disabled_reason"))?,
        at: row.instant(at, "disabled_at")?,
    })
}

/// Row of a delivery that was never tried.
pub(super) fn written_delivery(delivery: &StoredDelivery) -> deliveries::ActiveModel {
    deliveries::ActiveModel {
        id: Set(delivery.id.to_string()),
        endpoint_id: Set(delivery.endpoint.to_string()),
        customer_id: Set(delivery.customer.to_string()),
        event: Set(delivery.kind.name().to_owned()),
        subject_id: Set(delivery.subject.to_string()),
        body: Set(delivery.body.clone()),
        created_at: Set(delivery.created_at.timestamp_millis()),
        state: Set(delivery.state.name().to_owned()),
        due_at: Set(delivery.due_at.map(|at| at.timestamp_millis())),
        lease_token: Set(None),
        attempts: Set(delivery.attempts.into()),
        step: Set(delivery.step.into()),
        last_at: Set(None),
        last_duration: Set(None),
        last_status: Set(None),
        last_failure: Set(None),
        last_answer: Set(None),
        ended_at: Set(None),
    }
}

pub(super) fn delivery(model: deliveries::Model) -> Result<StoredDelivery, StoreError> {
    let row = Row {
        table: "webhook_deliveries",
        id: &model.id,
    };
    let small = |number: i64, column| u32::try_from(number).map_err(|_| row.unreadable(column));
    let state = DeliveryState::from_name(&model.state);
    Ok(StoredDelivery {
        id: DeliveryId(row.uuid(&model.id, "id")?),
        endpoint: EndpointId(row.uuid(&model.endpoint_id, "endpoint_id")?),
        customer: CustomerId(row.uuid(&model.customer_id, "customer_id")?),
        kind: EventType::from_name(&model.event).ok_or_else(|| row.unreadable("event"))?,
        subject: row.uuid(&model.subject_id, "subject_id")?,
        created_at: row.instant(model.created_at, "created_at")?,
        state: state.ok_or_else(|| row.unreadable("state"))?,
        due_at: row.optional_instant(model.due_at, "due_at")?,
        attempts: small(model.attempts, "attempts")?,
        step: small(model.step, "step")?,
        last_attempt: last_attempt(&model, row)?,
        body: model.body,
    })
}

fn last_attempt(
    model: &deliveries::Model,
    row: Row<'_>,
) -> Result<Option<DeliveryAttempt>, StoreError> {
    let Some(at) = model.last_at else {
        return Ok(None);
    };
    let result = match (model.last_status, &model.last_failure) {
        (Some(status), _) => {
            let status = u16::try_from(status);
            AttemptResult::Answered(status.map_err(|_| row.unreadable("last_status"))?)
        }
        (None, failure) => {
            let failure = failure.as_deref().and_then(SendFailure::from_name);
            AttemptResult::Failed(failure.ok_or_else(|| row.unreadable("last_failure"))?)
        }
    };
    let millis = row.count(model.last_duration.unwrap_or_default(), "last_duration")?;
    let answer = model.last_answer.clone().unwrap_or_default();
    Ok(Some(DeliveryAttempt {
        at: DateTime::from_timestamp_millis(at).ok_or_else(|| row.unreadable("last_at"))?,
        duration: Duration::from_millis(millis),
        result,
        answer: AnswerText::from_stored(answer),
    }))
}
