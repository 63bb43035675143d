//! One question that several callers have at the same moment is asked once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use ports::inbound::FetchError;

use super::memory::{Remembered, Subject};

type Answer = Result<Arc<Remembered>, FetchError>;
type Flight = Shared<BoxFuture<'static, Answer>>;

/// The questions that are being asked.
#[derive(Clone, Default)]
pub(super) struct Flights(Arc<Mutex<Board>>);

#[derive(Default)]
struct Board {
    flights: HashMap<Subject, (u64, WeakShared<BoxFuture<'static, Answer>>)>,
    started: u64,
}

impl Flights {
    /// Waits with whoever asks about `subject` already, or asks `question`. A question whose
    /// askers have all gone away is asked anew.
    pub(super) async fn join_or_start(
        &self,
        subject: &Subject,
        question: impl FnOnce() -> BoxFuture<'static, Answer>,
    ) -> Answer {
        let flight = self.flight(subject, question);
        flight.await
    }

    fn flight(
        &self,
        subject: &Subject,
        question: impl FnOnce() -> BoxFuture<'static, Answer>,
    ) -> Flight {
        let mut board = self.board();
        let running = board
            .flights
            .get(subject)
            .and_then(|(_, flight)| flight.upgrade());
        if let Some(flight) = running {
            return flight;
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
        if let Some(weak) = flight.downgrade() {
            board.flights.insert(subject.clone(), (number, weak));
        }
        flight
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
            .is_some_and(|(number, _)| *number == self.number)
        {
            board.flights.remove(&self.subject);
        }
    }
}
