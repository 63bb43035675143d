//! Example bodies and errors of the routes of webhooks.

use std::time::Duration;

use application::{CreatedWebhook, DeliveryView, WebhookView};
use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::Environment;
use domain::page::{Cursor, Page};
use domain::webhooks::{
    AnswerText, AttemptResult, DeliveryAttempt, DeliveryId, DeliveryState, EndpointId,
    EndpointSecret, EndpointState, EventType, EventTypes, WebhookUrl, attempts_left,
};
use serde_json::Value;
use uuid::Uuid;
use web::views::webhooks::{Webhook, WebhookDelivery};

use crate::people::listing::Listing;
use crate::webhooks::CreatedWebhookBody;

fn id(last: u128) -> Uuid {
    Uuid::from_u128(0x019a_a0b2_7d3e_7c55_8d3f_4be0_a3f6_1000 + last)
}

/// 20 November 2026, noon.
fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_176_000, 0).unwrap_or_default()
}

fn view() -> WebhookView {
    let events = [EventType::LookupDelivered, EventType::LookupExpired];
    WebhookView {
        id: EndpointId(id(1)),
        environment: Environment::Live,
        url: WebhookUrl::from_stored("https://hooks.example.com/cep").expect("it is a URL"),
        events: EventTypes::new(&events).expect("they are events"),
        state: EndpointState::Enabled,
        failing_since: None,
        created_at: now() - TimeDelta::days(3),
        updated_at: now() - TimeDelta::days(3),
        previous_secret_until: None,
    }
}

fn value(view: &impl serde::Serialize) -> Value {
    serde_json::to_value(view).unwrap_or_default()
}

pub(super) fn webhook() -> Value {
    value(&Webhook::from(&view()))
}

pub(super) fn created() -> Value {
    value(&CreatedWebhookBody::new(&CreatedWebhook {
        webhook: view(),
        secret: EndpointSecret::new([0x2A; 32]),
    }))
}

fn delivered() -> DeliveryView {
    DeliveryView {
        id: DeliveryId(id(2)),
        kind: EventType::LookupDelivered,
        subject: id(3),
        state: DeliveryState::Delivered,
        created_at: now(),
        next_attempt_at: None,
        attempts_left: None,
        attempts: 1,
        last_attempt: Some(DeliveryAttempt {
            at: now(),
            duration: Duration::from_millis(87),
            result: AttemptResult::Answered(200),
            answer: AnswerText::of(b"ok"),
        }),
    }
}

pub(super) fn sent() -> Value {
    value(&WebhookDelivery::from(&DeliveryView {
        state: DeliveryState::Pending,
        next_attempt_at: Some(now()),
        attempts_left: Some(attempts_left(EventType::LookupDelivered, 0, now())),
        attempts: 0,
        last_attempt: None,
        ..delivered()
    }))
}

pub(super) fn deliveries() -> Value {
    let page = Page {
        items: vec![(Cursor::at(now(), id(2)), delivered())],
        has_next: false,
        total: None,
    };
    value(&Listing::of(page, |view| WebhookDelivery::from(&view)))
}
