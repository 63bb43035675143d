//! The stated bounds, whatever fails when.

use futures::executor::block_on;
use proptest::prelude::*;

use super::*;

/// Admissions that the journal has accepted and not written, at most.
const UNWRITTEN: usize = 4;

#[derive(Clone, Copy, Debug)]
enum Step {
    Ask(usize),
    Refund(usize),
    Write,
    Wait(u64),
    SharedWorks,
    Shared(Fault),
    StoreFails,
    StoreWorks,
    ForgetIdle,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (1..15_usize).prop_map(Step::Ask),
        2 => any::<usize>().prop_map(Step::Refund),
        2 => Just(Step::Write),
        4 => prop_oneof![0..2_000_u64, 0..70_000_u64].prop_map(Step::Wait),
        2 => Just(Step::SharedWorks),
        2 => prop_oneof![2 => Just(Fault::Fails), 1 => Just(Fault::LosesAnswers)]
            .prop_map(Step::Shared),
        1 => Just(Step::StoreFails),
        2 => Just(Step::StoreWorks),
        1 => Just(Step::ForgetIdle),
    ];
    prop::collection::vec(step, 1..120)
}

/// A replica, and what was admitted there.
struct History {
    replica: Replica,
    store_works: bool,
    shared_works: bool,
    admitted_at: Vec<DateTime<Utc>>,
    unwritten: Vec<Month>,
    refunded: usize,
    unwritten_refunds: Vec<Uuid>,
}

impl History {
    async fn take(&mut self, step: Step) {
        match step {
            Step::Ask(times) => {
                for _ in 0..times {
                    self.ask().await;
                }
            }
            Step::Refund(_) if self.refunded == self.admitted_at.len() => {}
            Step::Refund(number) => {
                let request = Uuid::from_u128(number as u128 * 1_000 + self.refunded as u128);
                self.refunded += 1;
                let month = Month::of(noon());
                let refund = self.replica.limiter.refund(KEY, month, request);
                refund.await.unwrap();
                self.unwritten_refunds.push(request);
            }
            Step::Write => self.write(),
            Step::Wait(ms) => self.replica.clock.advance(Duration::from_millis(ms)),
            Step::SharedWorks => {
                self.replica.shared.faults().clear();
                self.shared_works = true;
            }
            Step::Shared(fault) => {
                self.replica.shared.faults().inject(fault);
                self.shared_works = false;
            }
            Step::StoreFails => {
                self.replica.store.go_down();
                self.store_works = false;
            }
            Step::StoreWorks => {
                self.replica.store.come_back();
                self.store_works = true;
            }
            Step::ForgetIdle => {
                self.replica.own.forget_idle();
            }
        }
    }

    async fn ask(&mut self) {
        match self.replica.ask().await {
            Ok(Verdict::Admitted { month, charge, .. }) => {
                assert!(self.shared_works || self.store_works, "open with both down");
                self.admitted_at.push(self.replica.clock.now());
                match charge {
                    Charge::Unwritten => self.unwritten.push(month),
                    Charge::Written => assert!(self.store_works, "charged nowhere"),
                }
                if self.unwritten.len() > UNWRITTEN {
                    self.write();
                }
            }
            // As the gatekeeper does, once all is written.
            Ok(Verdict::Unknown { .. }) if self.store_works => {
                self.write();
                let snapshot = self.replica.in_store().await;
                let _hydrated = self.replica.limiter.hydrate(KEY, snapshot).await;
            }
            Ok(_) => {}
            Err(_) => assert!(!self.store_works, "an error while the store works"),
        }
    }

    fn write(&mut self) {
        for month in self.unwritten.drain(..) {
            self.replica.write_down(month);
        }
        let month = Month::of(noon());
        for request in self.unwritten_refunds.drain(..) {
            self.replica.journal.conclude(refund_of(request, month));
        }
    }

    fn most_in_a_minute(&self) -> usize {
        let in_the_minute_from = |begin: &DateTime<Utc>| {
            let end = *begin + Duration::from_mins(1);
            let within = |at: &&DateTime<Utc>| *begin <= **at && **at < end;
            self.admitted_at.iter().filter(within).count()
        };
        let counts = self.admitted_at.iter().map(in_the_minute_from);
        counts.max().unwrap_or_default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn one_window_more_and_the_unwritten_more_are_the_worst(
        steps in steps(),
        replicas in 1..4_u32,
        per_minute in 1..30_u32,
        quota in 1..120_u64,
    ) {
        block_on(async {
            let replica = Replica::one_of(replicas, limits(per_minute, Some(quota))).await;
            let mut history = History {
                replica,
                store_works: true,
                shared_works: true,
                admitted_at: vec![],
                unwritten: vec![],
                refunded: 0,
                unwritten_refunds: vec![],
            };
            let share = (per_minute / replicas).max(1);
            let quota = usize::try_from(quota).unwrap();
            for step in steps {
                history.take(step).await;
                let net = history.admitted_at.len() - history.refunded;
                prop_assert!(net <= quota + UNWRITTEN, "{net} of {quota} a month");
            }
            let minute = history.most_in_a_minute();
            prop_assert!(minute <= (per_minute + share) as usize, "{minute} of {per_minute}");
            Ok(())
        })?;
    }
}
