//! Questions of tests, and the exchange that asks them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::calendar::parse_date;
use domain::inference::InferredBanks;
use domain::lookup::{Metadata, RetryFor};
use domain::participant::Catalogue;
use domain::query::{Institutions, ProofQuery, RawQuery, Token};
use ports::inbound::{
    FetchError, InvalidRequest, LookupExchange, LookupRequest, LookupView, RepeatableExchange,
    ServedRequest,
};
use tokio::sync::oneshot;

use super::steps::{XML, seconds};

/// The question of the exchange.
pub(crate) enum Question {
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
    pub(super) refusals: Arc<Mutex<Vec<FetchError>>>,
    pub(super) answer: oneshot::Sender<Answer>,
}

pub(crate) struct Answer {
    pub(crate) served: ServedRequest,
    pub(crate) created: Option<LookupView>,
    pub(crate) refusals: Vec<FetchError>,
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
        self.refusals.lock().unwrap().push(error.clone());
    }

    async fn finish(self: Box<Self>, served: ServedRequest, created: Option<LookupView>) {
        let refusals = self.refusals.lock().unwrap().clone();
        let answer = Answer {
            served,
            created,
            refusals,
        };
        drop(self.answer.send(answer));
    }
}

/// Tracking key of every transfer here.
pub(crate) const TRACKING_KEY: &str = "MBAN01002611180000000001";

pub(crate) fn query(date: &str, amount: &str) -> ProofQuery {
    let raw = RawQuery {
        date: Token::Text(date.to_owned().into()),
        tracking_key: Token::Text(TRACKING_KEY.into()),
        account: Token::Text("002010077777777771".into()),
        amount: Token::Number(amount),
        ..RawQuery::default()
    };
    let today = parse_date("2026-11-20").unwrap();
    ProofQuery::parse(&raw, Institutions::Inferable, today, Catalogue::embedded()).unwrap()
}

/// A lookup of a transfer of two days ago, for which nobody waits.
pub(crate) fn lookup(amount: &str) -> LookupRequest {
    LookupRequest {
        query: query("2026-11-18", amount),
        files: XML,
        retry_for: RetryFor::DEFAULT,
        metadata: Metadata::default(),
        wait: Duration::ZERO,
    }
}

/// The same of a transfer of today.
pub(crate) fn lookup_of_today(amount: &str) -> LookupRequest {
    LookupRequest {
        query: query("2026-11-20", amount),
        ..lookup(amount)
    }
}

/// The same, for which its creator waits.
pub(crate) fn awaited(amount: &'static str) -> LookupRequest {
    LookupRequest {
        wait: seconds(25),
        ..lookup(amount)
    }
}

pub(crate) fn retried_for(seconds: u64, request: LookupRequest) -> LookupRequest {
    LookupRequest {
        retry_for: RetryFor::from_secs(seconds).unwrap(),
        ..request
    }
}
