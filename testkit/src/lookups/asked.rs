//! Questions of callers, as an inbound adapter hands them on.

use application::{LookupRequest, Question};
use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::ready;

/// A question that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid;

/// A lookup that somebody asks for.
pub enum Asked {
    /// For this lookup.
    Good(Box<LookupRequest>),
    /// For something that is no lookup.
    Invalid,
    /// Nothing: reading it panics.
    Panics,
}

impl From<LookupRequest> for Asked {
    fn from(request: LookupRequest) -> Self {
        Self::Good(Box::new(request))
    }
}

impl Asked {
    /// The question, before it is read.
    pub fn question(self) -> Question<'static, LookupRequest, Invalid> {
        question(move || match self {
            Self::Good(request) => Ok(*request),
            Self::Invalid => Err(Invalid),
            Self::Panics => panic!("as ordered"),
        })
    }
}

/// A question with an empty body, which is parsed so.
pub fn question<'a, Q>(
    parse: impl FnOnce() -> Result<Q, Invalid> + Send + 'a,
) -> Question<'a, Q, Invalid> {
    Question {
        body: ready(Ok(Bytes::new())).boxed(),
        content: Box::new(|body| Some(body.ok()?.to_vec())),
        parse: Box::new(|_| parse()),
    }
}
