//! Sender of webhook messages: one request for each attempt.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::webhooks::{
    HEADER_ID, HEADER_SIGNATURE, HEADER_TIMESTAMP, Reach, SendFailure, WebhookUrl,
};
use ports::outbound::{OutgoingMessage, ReceiverAnswer, WebhookSender};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response};

use crate::resolver::{AddressRefused, GuardedResolver, NameLookup, NameNotFound, SystemNames};

/// Timeout of an attempt, from the DNS resolution to the last byte read.
const TIMEOUT: Duration = Duration::from_secs(15);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of bytes read of a response.
const MAX_ANSWER: usize = 8 * 1_024;

/// Sends messages, each over a connection of its own.
pub struct HttpSender {
    client: Client,
    reach: Reach,
}

impl HttpSender {
    /// Creates a sender that resolves names with the operating system.
    ///
    /// # Errors
    /// The certificates of the operating system can't be loaded.
    pub fn new(reach: Reach) -> Result<Self, reqwest::Error> {
        Self::with_names(reach, Arc::new(SystemNames))
    }

    /// Creates a sender that resolves names with `names`.
    ///
    /// # Errors
    /// The certificates of the operating system can't be loaded.
    pub fn with_names(reach: Reach, names: Arc<dyn NameLookup>) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .user_agent(concat!("cep-gateway/", env!("CARGO_PKG_VERSION")))
            .https_only(reach == Reach::Public)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            // A kept connection would ignore changes of its name's address.
            .pool_max_idle_per_host(0)
            .dns_resolver(Arc::new(GuardedResolver { names, reach }))
            .build()?;
        Ok(Self { client, reach })
    }
}

#[async_trait]
impl WebhookSender for HttpSender {
    async fn send(&self, message: &OutgoingMessage) -> Result<ReceiverAnswer, SendFailure> {
        // The rules may have changed since the URL was accepted, and a literal address isn't
        // resolved.
        let url = WebhookUrl::parse(message.url.as_str(), self.reach);
        let url = url.map_err(|_| SendFailure::AddressRefused)?;
        if url
            .literal()
            .is_some_and(|address| !self.reach.allows(address))
        {
            return Err(SendFailure::AddressRefused);
        }
        let request = self
            .client
            .post(url.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header(HEADER_ID, message.id.to_string())
            .header(HEADER_TIMESTAMP, message.at.timestamp())
            .header(HEADER_SIGNATURE, &message.signature)
            .body(message.body.clone());
        let answer = request.send().await.map_err(|error| failure(&error))?;
        Ok(ReceiverAnswer {
            status: answer.status().as_u16(),
            retry_after: retry_after(answer.headers(), message.at),
            body: beginning(answer).await,
        })
    }
}

/// Reads the beginning of a body. The result of the attempt is in the status, so an interrupted
/// body changes nothing.
async fn beginning(mut answer: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < MAX_ANSWER {
        match answer.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) | Err(_) => break,
        }
    }
    body.truncate(MAX_ANSWER);
    body
}

/// Parses `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3).
fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = DateTime::parse_from_rfc2822(text).ok()?;
    (at.with_timezone(&Utc) - now).to_std().ok()
}

fn failure(error: &reqwest::Error) -> SendFailure {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<AddressRefused>() {
            return SendFailure::AddressRefused;
        }
        if inner.is::<NameNotFound>() {
            return SendFailure::NameNotFound;
        }
        cause = inner.source();
    }
    if error.is_timeout() {
        SendFailure::TimedOut
    } else if error.is_connect() {
        SendFailure::Unreachable
    } else {
        SendFailure::InvalidAnswer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_asks_for_time_in_seconds_or_until_a_date() {
        let now = DateTime::from_timestamp(1_445_412_480, 0).unwrap();
        let asked = |text: &str| {
            let headers = [(RETRY_AFTER, text.parse().unwrap())];
            retry_after(&headers.into_iter().collect(), now)
        };
        assert_eq!(asked("120"), Some(Duration::from_mins(2)));
        let date = asked("Wed, 21 Oct 2015 07:29:00 GMT");
        assert_eq!(date, Some(Duration::from_mins(1)));
        assert_eq!(asked("Wed, 21 Oct 2015 07:27:00 GMT"), None);
        assert_eq!(asked("soon"), None);
        assert_eq!(asked("-1"), None);
    }
}
