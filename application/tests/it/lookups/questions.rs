//! Questions of tests, and the exchange that asks them.

use async_trait::async_trait;
use domain::calendar::parse_date;
use domain::file::RequestedFiles;
use domain::inference::InferredBanks;
use domain::lookup::{Metadata, RetryFor};
use domain::query::ProofQuery;
use ports::inbound::{FetchError, InvalidRequest, LookupExchange, RepeatableExchange};

use super::*;

pub(super) const XML: RequestedFiles = RequestedFiles::Xml;
pub(super) const BOTH: RequestedFiles = RequestedFiles::Both;

/// The question of the exchange.
pub(super) enum Question {
    Good(LookupRequest),
    Invalid,
    Panics,
}

impl From<LookupRequest> for Question {
    fn from(request: LookupRequest) -> Self {
        Self::Good(request)
    }
}

pub(super) struct Exchange {
    pub(super) question: Question,
    pub(super) refusals: Vec<FetchError>,
    pub(super) answer: oneshot::Sender<Answer>,
}

pub(super) struct Answer {
    pub(super) served: ServedRequest,
    pub(super) created: Option<LookupView>,
    pub(super) refusals: Vec<FetchError>,
}

#[async_trait]
impl RepeatableExchange for Exchange {
    async fn content(&mut self) -> Option<Vec<u8>> {
        None
    }
}

#[async_trait]
impl LookupExchange for Exchange {
    async fn decode(&mut self) -> Result<LookupRequest, InvalidRequest> {
        match &self.question {
            Question::Good(request) => Ok(request.clone()),
            Question::Invalid => Err(InvalidRequest),
            Question::Panics => panic!("as ordered"),
        }
    }

    fn refuse(&mut self, error: &FetchError, _: &InferredBanks) {
        self.refusals.push(error.clone());
    }

    async fn finish(self: Box<Self>, served: ServedRequest, created: Option<LookupView>) {
        let refusals = self.refusals;
        drop(self.answer.send(Answer {
            served,
            created,
            refusals,
        }));
    }
}

/// The payment of a day.
pub(super) fn query(date: &str, amount: &str) -> ProofQuery {
    ProofQuery {
        date: parse_date(date).unwrap(),
        ..query_of(amount)
    }
}

/// A lookup of a transfer of two days ago, for which nobody waits.
pub(super) fn lookup(amount: &str) -> LookupRequest {
    LookupRequest {
        query: query_of(amount),
        files: XML,
        retry_for: RetryFor::DEFAULT,
        metadata: Metadata::default(),
        wait: Duration::ZERO,
    }
}

/// The same of a transfer of today.
pub(super) fn lookup_of_today(amount: &str) -> LookupRequest {
    LookupRequest {
        query: query("2026-11-20", amount),
        ..lookup(amount)
    }
}

/// The same, for which its creator waits.
pub(super) fn awaited(amount: &str) -> LookupRequest {
    LookupRequest {
        wait: seconds(25),
        ..lookup(amount)
    }
}

pub(super) fn retried_for(seconds: u64, request: LookupRequest) -> LookupRequest {
    LookupRequest {
        retry_for: RetryFor::from_secs(seconds).unwrap(),
        ..request
    }
}
