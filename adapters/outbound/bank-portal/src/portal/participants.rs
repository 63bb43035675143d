//! The list of participants: `instituciones.do`.

use async_trait::async_trait;
use chrono::NaiveDate;
use domain::pacing::Lane;
use domain::participants::ListedParticipant;
use ports::outbound::{BankError, ParticipantSource};
use serde::Deserialize;
use std::time::Duration;

use super::Portal;
use crate::cookies::CookieJar;
use crate::error::LookupError;
use crate::http;
use crate::page::classify;

/// Maximum size of the response; the list of 2026 has about 6 kB.
const MAX_LIST_BYTES: usize = 256 * 1024;

/// The response; its other fields are ignored.
#[derive(Deserialize)]
struct Answer {
    /// Pairs of code and name.
    instituciones: Vec<(String, String)>,
}

#[async_trait]
impl ParticipantSource for Portal {
    async fn participants(
        &self,
        date: NaiveDate,
        patience: Duration,
    ) -> Result<Vec<ListedParticipant>, BankError> {
        tokio::time::timeout(patience, self.list_participants(date, patience))
            .await
            .unwrap_or(Err(BankError::Timeout))
    }
}

impl Portal {
    async fn list_participants(
        &self,
        date: NaiveDate,
        patience: Duration,
    ) -> Result<Vec<ListedParticipant>, BankError> {
        let slot = self.acquire_slot(Lane::GATEWAY, patience).await?;
        let request = self
            .endpoints
            .client
            .get(self.endpoints.participants.clone())
            .query(&[("fecha", date.format("%d-%m-%Y").to_string())]);
        let trace_parent = self.endpoints.trace_parent.as_ref();
        let mut jar = CookieJar::default();
        let response = http::exchange(request, &mut jar, MAX_LIST_BYTES, trace_parent).await?;
        let answer = response.status.is_success().then(|| read(&response.body));
        let Some(Reading::Pairs(pairs)) = answer else {
            let page = classify(response.status, &response.body);
            return Err(self.failure(page, &response, slot).await);
        };
        self.record_success(slot).await;
        entries(&pairs).ok_or_else(|| LookupError::DamagedList.into())
    }
}

/// Content of a response.
enum Reading {
    Pairs(Vec<(String, String)>),
    /// Anything else, usually an HTML page.
    NoList,
}

fn read(body: &[u8]) -> Reading {
    match serde_json::from_slice::<Answer>(body) {
        Ok(answer) => Reading::Pairs(answer.instituciones),
        Err(_) => Reading::NoList,
    }
}

/// Reads the entries; `None` when one of them is invalid.
fn entries(pairs: &[(String, String)]) -> Option<Vec<ListedParticipant>> {
    let entries = pairs.iter();
    entries
        .map(|(code, name)| ListedParticipant::parse(code, name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_without_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Reading::Pairs(pairs) = read(&body) {
                let _ = entries(&pairs);
            }
        }
    }
}
