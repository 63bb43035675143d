//! Metrics of webhooks.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::webhooks::{AttemptResult, SendFailure};
use ports::outbound::{OutgoingMessage, QueuedDeliveries, ReceiverAnswer, WebhookSender};

use super::{Metrics, names, number};

/// Sender that measures the time of its attempts.
pub(crate) struct MeteredSender {
    metrics: Arc<Metrics>,
    sender: Arc<dyn WebhookSender>,
}

impl MeteredSender {
    /// Measures the attempts of this sender.
    pub(crate) fn new(metrics: &Arc<Metrics>, sender: Arc<dyn WebhookSender>) -> Self {
        Self {
            metrics: Arc::clone(metrics),
            sender,
        }
    }
}

#[async_trait]
impl WebhookSender for MeteredSender {
    async fn send(&self, message: &OutgoingMessage) -> Result<ReceiverAnswer, SendFailure> {
        let started = Instant::now();
        let sent = self.sender.send(message).await;
        let result = match &sent {
            Ok(answer) if AttemptResult::Answered(answer.status).is_success() => "delivered",
            Ok(_) => "refused",
            Err(failure) => failure.name(),
        };
        let durations = &names::WEBHOOK_ATTEMPT_DURATION;
        let duration = self.metrics.histogram(durations, &[("result", result)]);
        duration.record(started.elapsed());
        sent
    }
}

impl Metrics {
    /// Records the length and the age of the queue of deliveries.
    pub(crate) fn webhook_queue(&self, queue: QueuedDeliveries, now: DateTime<Utc>) {
        let length = |state, deliveries| {
            let gauge = self.gauge(&names::WEBHOOK_QUEUE, &[("state", state)]);
            gauge.set(number(deliveries));
        };
        length("due", queue.due);
        length("waiting", queue.waiting);
        let age = queue.oldest.and_then(|oldest| (now - oldest).to_std().ok());
        let age = age.unwrap_or_default().as_secs_f64();
        self.gauge(&names::WEBHOOK_QUEUE_AGE, &[]).set(age);
    }
}
