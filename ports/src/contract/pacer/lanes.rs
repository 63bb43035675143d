//! The order of turns, and the number of callers that may wait.

use super::*;

const BACKGROUND: Lane = lane(9, 1, LookupClass::Background);
const GREEDY: Lane = lane(1, 1, LookupClass::Interactive);
const GREEDY_OTHER_KEY: Lane = lane(1, 2, LookupClass::Interactive);
const MODEST: Lane = lane(2, 1, LookupClass::Interactive);
const MODEST_BACKGROUND: Lane = lane(2, 1, LookupClass::Background);

/// Lets callers of these lanes wait, one after another, and returns the order in which they were
/// served.
async fn served(subject: &Subject, lanes: &[Lane]) -> Vec<usize> {
    for _ in 0..3 {
        subject.go().await;
    }
    let served = Mutex::new(Vec::new());
    let count = || served.lock().expect("nobody panics").len();
    let caller = async |place: usize| {
        let before = u32::try_from(place).expect("few lanes");
        subject
            .until(async || subject.waiting().await == before)
            .await;
        let turn = subject.acquire_in(lanes[place], PATIENT).await;
        turn.expect("its turn comes");
        served.lock().expect("nobody panics").push(place);
    };
    let clock = async {
        let all = u32::try_from(lanes.len()).expect("few lanes");
        subject.until(async || subject.waiting().await == all).await;
        for turns in 1..=lanes.len() {
            // Clocks may round to milliseconds.
            subject.advance(spacing() + Duration::from_millis(1)).await;
            subject.until(async || count() == turns).await;
        }
    };
    join(join_all((0..lanes.len()).map(caller)), clock).await;
    served.into_inner().expect("nobody panics")
}

pub(super) async fn turns_are_given_in_order_by_customer_key_and_class(make: impl MakePacer) {
    let keys = [GREEDY, GREEDY, GREEDY, GREEDY_OTHER_KEY, MODEST, MODEST];
    let classes = [&[BACKGROUND, MODEST_BACKGROUND][..], &[GREEDY; 6]].concat();
    for (lanes, order) in [
        // A lane is first in, first out.
        (&[GREEDY; 4][..], &[0, 1, 2, 3][..]),
        (&keys, &[0, 4, 3, 5, 1, 2]),
        (&classes, &[2, 3, 4, 5, 0, 6, 7, 1]),
    ] {
        let subject = Subject::new(&make, USUAL).await;
        assert_eq!(served(&subject, lanes).await, order);
    }
}

pub(super) async fn a_key_has_sixteen_waiting_callers(make: impl MakePacer) {
    let subject = Subject::busy(&make).await;
    let greedy = (0..MAX_WAITING_PER_KEY).map(|_| subject.acquire_in(GREEDY, PATIENT));
    let others = [GREEDY_OTHER_KEY, MODEST].map(|lane| subject.acquire_in(lane, PATIENT));
    let waiting = join_all(greedy);
    let check = async {
        subject.until(async || subject.waiting().await == 16).await;
        let refused = subject.acquire_in(GREEDY, PATIENT).await;
        // The window's end, and one turn more.
        let retry_after = WINDOW + 2 * spacing();
        assert_eq!(refused, Err(Throttled::QueueFull { retry_after }));
        let waiting = join_all(others);
        let check = subject.until(async || subject.waiting().await == 18);
        leave_when(waiting, check).await;
    };
    leave_when(waiting, check).await;
}

pub(super) async fn background_callers_wait_in_any_number(make: impl MakePacer) {
    let subject = Subject::busy(&make).await;
    let many = (0..20).map(|_| subject.acquire_in(BACKGROUND, PATIENT));
    let check = subject.until(async || {
        let budget = subject.0.pacer.budget().await.expect("budget");
        let expected = QueueLength {
            interactive: 0,
            background: 20,
        };
        budget.waiting == expected
    });
    leave_when(join_all(many), check).await;
    subject.until(async || subject.waiting().await == 0).await;
}

pub(super) async fn a_new_customer_is_not_refused_for_the_queue_of_another(make: impl MakePacer) {
    let subject = Subject::busy(&make).await;
    // Time for two turns, the way to the pacer, and the cycle.
    let patience = 2 * spacing() + Duration::from_secs(4);
    let greedy = (0..10).map(|_| subject.acquire_in(GREEDY, PATIENT));
    let check = async {
        subject.until(async || subject.waiting().await == 10).await;
        let refused = subject.acquire_in(GREEDY, patience).await;
        assert_eq!(refused, Err(used_up(11 * spacing())));
        let modest = subject.acquire_in(MODEST, patience);
        let check = subject.until(async || subject.waiting().await == 11);
        leave_when(modest, check).await;
    };
    leave_when(join_all(greedy), check).await;
}

/// Drops callers that wait once the check has ended.
async fn leave_when(waiting: impl Future, check: impl Future) {
    let Either::Right(_) = select(pin!(waiting), pin!(check)).await else {
        panic!("their turns have not come");
    };
}
