//! One question that several callers have at the same moment is asked once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use ports::inbound::FetchError;
use tracing::{Instrument as _, Span};

use super::memory::{Remembered, Subject};

type Answer = Result<Arc<Remembered>, FetchError>;
type Flight = Shared<BoxFuture<'static, Answer>>;

/// The questions that are being asked.
#[derive(Clone, Default)]
pub(super) struct Flights(Arc<Mutex<Board>>);

#[derive(Default)]
struct Board {
    flights: HashMap<Subject, Running>,
    started: u64,
}

/// A question that is being asked.
struct Running {
    number: u64,
    answer: WeakShared<BoxFuture<'static, Answer>>,
    /// Of whoever asked first: the question belongs to that trace.
    asker: Span,
}

impl Flights {
    /// Waits with whoever asks about `subject` already, or asks `question`. A question whose
    /// askers have all gone away is asked anew.
    ///
    /// Traces show the question where it was asked first. The others show a wait there, with a link
    /// to who asked.
    pub(super) async fn join_or_start(
        &self,
        subject: &Subject,
        question: impl FnOnce() -> BoxFuture<'static, Answer>,
    ) -> Answer {
        match self.flight(subject, question) {
            (flight, None) => flight.await,
            (flight, Some(asker)) => {
                let wait = tracing::info_span!(target: "cep::trace", "wait for a shared lookup");
                wait.follows_from(&asker);
                drop(asker);
                flight.instrument(wait).await
            }
        }
    }

    /// The flight to wait for, and who asks already.
    fn flight(
        &self,
        subject: &Subject,
        question: impl FnOnce() -> BoxFuture<'static, Answer>,
    ) -> (Flight, Option<Span>) {
        let mut board = self.board();
        if let Some(running) = board.flights.get(subject)
            && let Some(flight) = running.answer.upgrade()
        {
            return (flight, Some(running.asker.clone()));
        }
        board.started += 1;
        let number = board.started;
        let landing = Landing {
            flights: self.clone(),
            subject: subject.clone(),
            number,
        };
        let question = question();
        let flight = async move {
            let _landing = landing;
            question.await
        }
        .boxed()
        .shared();
        if let Some(answer) = flight.downgrade() {
            let running = Running {
                number,
                answer,
                asker: Span::current(),
            };
            board.flights.insert(subject.clone(), running);
        }
        (flight, None)
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.0
            .lock()
            .expect("nothing panics while it holds the board")
    }
}

/// Takes a flight off the board when it ends, however it ends.
struct Landing {
    flights: Flights,
    subject: Subject,
    number: u64,
}

impl Drop for Landing {
    fn drop(&mut self) {
        let mut board = self.flights.board();
        if board
            .flights
            .get(&self.subject)
            .is_some_and(|running| running.number == self.number)
        {
            board.flights.remove(&self.subject);
        }
    }
}
