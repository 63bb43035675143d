//! Bodies of answers, which are in flight until they were sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use super::idle::InFlight;

/// A body of an answer, which counts as a request in flight until it is dropped: a download may take longer than a
/// connection may be idle.
pub(super) struct CountedBody {
    body: Body,
    #[expect(dead_code, reason = "dropping it ends the count")]
    answering: InFlight,
}

impl CountedBody {
    pub(super) fn new(body: Body, answering: InFlight) -> Self {
        Self { body, answering }
    }
}

impl hyper::body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hyper::body::Body as _;
    use tokio::time::{Instant, advance};

    use super::super::idle::Activity;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_in_flight_until_its_body_is_dropped() {
        let activity = Activity::new();
        let body = CountedBody::new(Body::from("proof"), activity.begin());
        assert_eq!(body.size_hint().exact(), Some(5));
        assert!(!body.is_end_stream());
        advance(Duration::from_mins(10)).await;
        assert!(activity.look_again(Instant::now()).is_some());
        drop(body);
        assert!(activity.look_again(Instant::now()).is_some());
        advance(Duration::from_mins(2)).await;
        assert!(activity.look_again(Instant::now()).is_none());
    }
}
