//! Contract of the proofs that were delivered to each customer, written by the journal.

use chrono::{DateTime, TimeDelta, Utc};
use domain::outcome::Outcome;
use domain::people::customer::CustomerId;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};

use super::fixture::customer;
use super::journal::{JournalUnderTest, noon, request};
use super::ok;
use crate::outbound::RequestEntry;

cases! {
    $ seen_proofs(JournalUnderTest)
    self::deliveries_are_counted_and_the_first_is_kept,
    self::customers_and_proofs_are_counted_apart,
    self::each_proof_of_a_request_is_counted,
    self::deliveries_without_a_request_are_counted_with_the_others,
}

fn mark(number: u8) -> ProofMark {
    ProofMark([number; 32])
}

fn times(times: u64, first: DateTime<Utc>) -> EarlierDeliveries {
    EarlierDeliveries {
        times,
        first: Some(first),
    }
}

impl JournalUnderTest {
    /// Concludes the `number`th request of the suite, which delivered a proof.
    async fn delivered(&self, number: u128, of: CustomerId, mark: ProofMark, at: DateTime<Utc>) {
        let key = self.stores.added(u16::try_from(number).unwrap_or_default());
        self.journal.conclude(RequestEntry {
            customer: of,
            delivered: vec![mark],
            at,
            ..request(number, key.await.id, Outcome::Delivered)
        });
    }

    async fn deliveries(&self, of: CustomerId, marks: &[ProofMark]) -> EarlierDeliveries {
        self.flush().await;
        ok(self.stores.seen_proofs.deliveries(of, marks)).await
    }
}

async fn deliveries_are_counted_and_the_first_is_kept(under_test: JournalUnderTest) {
    let of = customer(1).id;
    let none = EarlierDeliveries::default();
    assert_eq!(under_test.deliveries(of, &[mark(1)]).await, none);
    assert_eq!(under_test.deliveries(of, &[]).await, none);
    let later = noon() + TimeDelta::minutes(5);
    // Commits may come out of order.
    for (number, at) in [(1, later), (2, noon()), (3, later)] {
        under_test.delivered(number, of, mark(1), at).await;
        under_test.flush().await;
    }
    let deliveries = under_test.deliveries(of, &[mark(1)]).await;
    assert_eq!(deliveries, times(3, noon()));
    // All of one commit are counted.
    for number in 4..=23 {
        under_test.delivered(number, of, mark(1), later).await;
    }
    let deliveries = under_test.deliveries(of, &[mark(1)]).await;
    assert_eq!(deliveries, times(23, noon()));
}

async fn customers_and_proofs_are_counted_apart(under_test: JournalUnderTest) {
    let one = under_test.stores.enrolled(1).await.id;
    let other = under_test.stores.enrolled(2).await.id;
    let earlier = noon() - TimeDelta::days(1);
    under_test.delivered(1, one, mark(1), earlier).await;
    under_test.delivered(2, one, mark(2), noon()).await;
    under_test.delivered(3, one, mark(2), noon()).await;
    under_test.delivered(4, other, mark(2), noon()).await;
    for (of, marks, expected) in [
        (one, &[mark(1)][..], times(1, earlier)),
        (one, &[mark(2)], times(2, noon())),
        (other, &[mark(1)], EarlierDeliveries::default()),
        (other, &[mark(2)], times(1, noon())),
        // Marks of one proof under several secrets.
        (one, &[mark(2), mark(1)], times(3, earlier)),
    ] {
        assert_eq!(under_test.deliveries(of, marks).await, expected);
    }
}

async fn each_proof_of_a_request_is_counted(under_test: JournalUnderTest) {
    let key = under_test.stores.added(1).await.id;
    let entry = |number, outcome, delivered| RequestEntry {
        delivered,
        ..request(number, key, outcome)
    };
    let both = vec![mark(1), mark(2)];
    for entry in [
        entry(1, Outcome::Delivered, both),
        entry(2, Outcome::NotFound, vec![]),
    ] {
        under_test.journal.conclude(entry);
    }
    let of = customer(1).id;
    for mark in [mark(1), mark(2)] {
        assert_eq!(under_test.deliveries(of, &[mark]).await, times(1, noon()));
    }
}

async fn deliveries_without_a_request_are_counted_with_the_others(under_test: JournalUnderTest) {
    let of = under_test.stores.enrolled(1).await.id;
    under_test.delivered(1, of, mark(1), noon()).await;
    under_test.flush().await;
    let seen_proofs = &under_test.stores.seen_proofs;
    let earlier = noon() - TimeDelta::days(1);
    for marks in [&[mark(1), mark(2)][..], &[mark(1)], &[]] {
        ok(seen_proofs.add_deliveries(of, marks, earlier)).await;
    }
    for (mark, times) in [(mark(1), times(3, earlier)), (mark(2), times(1, earlier))] {
        assert_eq!(under_test.deliveries(of, &[mark]).await, times);
    }
}
