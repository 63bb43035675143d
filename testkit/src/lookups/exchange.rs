//! Exchanges that create stored lookups.

use async_trait::async_trait;
use domain::inference::InferredBanks;
use ports::inbound::{
    FetchError, InvalidRequest, LookupExchange, LookupRequest, LookupView, RepeatableExchange,
    ServedRequest,
};
use tokio::sync::oneshot;

/// What an exchange asks.
pub enum Question {
    /// For this lookup.
    Good(LookupRequest),
    /// For something that is no lookup.
    Invalid,
    /// Nothing: it panics.
    Panics,
}

impl From<LookupRequest> for Question {
    fn from(request: LookupRequest) -> Self {
        Self::Good(request)
    }
}

/// The answer of an exchange.
pub struct Answer {
    /// The served request.
    pub served: ServedRequest,
    /// The lookup that was created.
    pub created: Option<LookupView>,
    /// The refusals that it was told.
    pub refusals: Vec<FetchError>,
}

/// The exchange of one creation.
pub struct Exchange {
    question: Question,
    refusals: Vec<FetchError>,
    answer: oneshot::Sender<Answer>,
}

impl Exchange {
    /// An exchange with a question, and its answer.
    pub fn asking(question: impl Into<Question>) -> (Box<Self>, oneshot::Receiver<Answer>) {
        let (answer, receiver) = oneshot::channel();
        let exchange = Self {
            question: question.into(),
            refusals: Vec::new(),
            answer,
        };
        (Box::new(exchange), receiver)
    }
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
