//! Times of a lookup's attempts.

use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::LookupState;
use crate::calendar;
use crate::outcome::Outcome;

/// Waits after the first answers without a proof; later ones are [`HOURLY`]. Most proofs appear within
/// half an hour of the payment.
const STEPS: [Duration; 6] = [
    Duration::from_mins(1),
    Duration::from_mins(2),
    Duration::from_mins(5),
    Duration::from_mins(10),
    Duration::from_mins(15),
    Duration::from_mins(30),
];
const HOURLY: Duration = Duration::from_hours(1);
/// Wait after the first failure; it doubles with each further one.
const FIRST_BACK_OFF: Duration = Duration::from_secs(10);
/// Longest wait after a failure.
const MAX_BACK_OFF: Duration = Duration::from_mins(30);

/// Factor that shortens the waits between attempts, for demonstrations; 1 leaves them unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryScale(f64);

/// Error of a factor that is not above 0, or above 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a number above 0 and at most 1")]
pub struct RetryScaleError;

impl RetryScale {
    /// The factor 1.
    pub const NONE: Self = Self(1.0);

    /// Checks a factor above 0 and at most 1.
    ///
    /// # Errors
    /// [`RetryScaleError`] for any other number.
    pub fn new(factor: f64) -> Result<Self, RetryScaleError> {
        if factor > 0.0 && factor <= 1.0 {
            Ok(Self(factor))
        } else {
            Err(RetryScaleError)
        }
    }

    fn apply(self, wait: Duration) -> Duration {
        wait.mul_f64(self.0)
    }
}

/// Properties of a lookup that determine its schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryRule {
    /// Date of the transfer.
    pub date: NaiveDate,
    /// Latest time of the last attempt.
    pub until: DateTime<Utc>,
    /// Factor for all waits.
    pub scale: RetryScale,
}

/// The next step after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// The lookup is attempted again.
    Again {
        /// Time of the attempt, never after [`RetryRule::until`].
        at: DateTime<Utc>,
    },
    /// The lookup ends in this state.
    End(LookupState),
}

impl RetryRule {
    /// The step after the last of these outcomes, at time `now`. If the bank's `retry_after` is longer
    /// than a failure's scheduled wait, it replaces that wait.
    pub fn next(
        &self,
        outcomes: &[Outcome],
        now: DateTime<Utc>,
        retry_after: Option<Duration>,
    ) -> NextStep {
        let Some(last) = outcomes.last() else {
            return NextStep::Again { at: now };
        };
        let wait = match last {
            Outcome::Delivered => return NextStep::End(LookupState::Delivered),
            Outcome::Ambiguous => return NextStep::End(LookupState::Ambiguous),
            Outcome::NotFound if !self.may_appear(now) => {
                return NextStep::End(LookupState::NotFound);
            }
            // These states are final at the bank, whatever it answered before.
            Outcome::PaymentReturned | Outcome::PaymentRejected | Outcome::PaymentCanceled => {
                return NextStep::End(LookupState::NotFound);
            }
            Outcome::NotIssued | Outcome::PaymentInProcess | Outcome::NotFound => {
                let answers = outcomes
                    .iter()
                    .filter(|outcome| outcome.is_answer_without_proof());
                let step = STEPS.get(answers.count() - 1);
                self.scale.apply(*step.unwrap_or(&HOURLY))
            }
            Outcome::BankProtocolError
            | Outcome::BankUnavailable
            | Outcome::BankThrottled
            | Outcome::BankTimeout
            | Outcome::InternalError => {
                let scheduled = self.scale.apply(back_off(outcomes));
                scheduled.max(retry_after.unwrap_or_default())
            }
            // A valid lookup doesn't get these outcomes, unless the catalogue of participants changed.
            Outcome::InvalidRequest
            | Outcome::InferenceFailed
            | Outcome::ReceiptRead
            | Outcome::ReaderUnavailable
            | Outcome::RateLimited
            | Outcome::QuotaExceeded
            | Outcome::Canceled => return NextStep::End(LookupState::Failed),
        };
        if now >= self.until {
            return NextStep::End(end(outcomes));
        }
        let wait = TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
        let at = now.checked_add_signed(wait).unwrap_or(self.until);
        NextStep::Again {
            at: at.min(self.until),
        }
    }

    /// Returns `true` while the transfer may still appear at the bank: until the end of the banking day
    /// after its date.
    fn may_appear(&self, now: DateTime<Utc>) -> bool {
        calendar::next_banking_day(self.date) >= calendar::today(now)
    }
}

/// Wait after the consecutive failures at the end of these outcomes.
fn back_off(outcomes: &[Outcome]) -> Duration {
    let failures = outcomes
        .iter()
        .rev()
        .take_while(|outcome| !outcome.is_answer_without_proof());
    let doublings = u32::try_from(failures.count() - 1).unwrap_or(u32::MAX);
    let factor = 2_u32.checked_pow(doublings).unwrap_or(u32::MAX);
    FIRST_BACK_OFF.saturating_mul(factor).min(MAX_BACK_OFF)
}

/// Final state of a lookup whose time is over, by the bank's last answer.
fn end(outcomes: &[Outcome]) -> LookupState {
    match last_answer(outcomes) {
        Some(Outcome::NotIssued | Outcome::PaymentInProcess) => LookupState::Expired,
        Some(_) => LookupState::NotFound,
        None => LookupState::Failed,
    }
}

/// The last outcome that is an answer of the bank without a proof; `None` if there is none.
pub fn last_answer(outcomes: &[Outcome]) -> Option<Outcome> {
    let mut latest = outcomes.iter().rev();
    latest
        .find(|outcome| outcome.is_answer_without_proof())
        .copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    use Outcome::{
        BankTimeout, BankUnavailable, Delivered, InternalError, NotFound, NotIssued,
        PaymentCanceled, PaymentInProcess, PaymentRejected, PaymentReturned,
    };

    /// Noon in Mexico City of a day in November 2026.
    fn noon(day: u32) -> DateTime<Utc> {
        let noon = NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        noon.and_hms_opt(18, 0, 0).unwrap().and_utc()
    }

    fn rule(day: u32, until: DateTime<Utc>) -> RetryRule {
        RetryRule {
            date: NaiveDate::from_ymd_opt(2026, 11, day).unwrap(),
            until,
            scale: RetryScale::NONE,
        }
    }

    fn wait(outcomes: &[Outcome]) -> Duration {
        let now = noon(20);
        match rule(20, noon(25)).next(outcomes, now, None) {
            NextStep::Again { at } => (at - now).to_std().unwrap(),
            end @ NextStep::End(_) => panic!("{end:?}"),
        }
    }

    #[test]
    fn a_proof_is_looked_for_less_and_less_often() {
        let answers = [NotIssued; 9];
        let minutes = (1..=9).map(|many| wait(&answers[..many]).as_secs() / 60);
        assert!(minutes.eq([1, 2, 5, 10, 15, 30, 60, 60, 60]));
        for (answers, seconds) in [
            (&[NotFound, NotIssued, NotFound][..], 300),
            (&[NotFound, PaymentInProcess, NotIssued], 300),
            (&[PaymentInProcess], 60),
        ] {
            assert_eq!(wait(answers).as_secs(), seconds, "{answers:?}");
        }
    }

    #[test]
    fn failures_back_off_and_do_not_count_as_answers() {
        let failures = [BankTimeout; 12];
        let seconds = (1..=12).map(|many| wait(&failures[..many]).as_secs());
        let doubled = [10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800, 1800, 1800];
        assert!(seconds.eq(doubled));
        let after_an_answer = [InternalError, NotIssued, BankUnavailable];
        assert_eq!(wait(&after_an_answer).as_secs(), 10);
        assert_eq!(wait(&[NotIssued, BankTimeout, NotIssued]).as_secs(), 120);
        let many = vec![BankTimeout; 2_000];
        assert_eq!(wait(&many).as_secs(), 1_800);
    }

    #[test]
    fn the_banks_own_wait_is_kept() {
        let next =
            |retry_after| rule(20, noon(25)).next(&[BankUnavailable], noon(20), Some(retry_after));
        let at = |seconds| NextStep::Again {
            at: noon(20) + TimeDelta::seconds(seconds),
        };
        assert_eq!(next(Duration::from_mins(5)), at(300));
        assert_eq!(next(Duration::from_secs(3)), at(10));
    }

    #[test]
    fn all_waits_are_scaled() {
        let rule = RetryRule {
            scale: RetryScale::new(0.05).unwrap(),
            ..rule(20, noon(25))
        };
        let step = rule.next(&[NotIssued, NotIssued], noon(20), None);
        let at = noon(20) + TimeDelta::seconds(6);
        assert_eq!(step, NextStep::Again { at });
        for factor in [0.0, -1.0, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(RetryScale::new(factor), Err(RetryScaleError));
        }
        assert_eq!(RetryScale::new(1.0), Ok(RetryScale::NONE));
    }

    #[test]
    fn an_unknown_transfer_is_looked_for_until_the_next_banking_day_ends() {
        // A Friday's transfer until the end of the Monday, and no longer.
        for (day, last) in [(20, 23), (22, 23), (23, 24)] {
            let step = |now| rule(day, noon(30)).next(&[NotFound], now, None);
            let at = noon(last) + TimeDelta::minutes(1);
            assert_eq!(step(noon(last)), NextStep::Again { at }, "{day}");
            let end = NextStep::End(LookupState::NotFound);
            assert_eq!(step(noon(last + 1)), end, "{day}");
        }
    }

    #[rstest]
    #[case(LookupState::Expired, &[&[NotIssued][..], &[NotFound, NotIssued, BankTimeout]])]
    #[case(LookupState::Expired, &[&[NotIssued, PaymentInProcess][..], &[PaymentInProcess, BankTimeout]])]
    #[case(LookupState::NotFound, &[&[NotIssued, NotFound][..], &[PaymentInProcess, NotFound, BankTimeout]])]
    #[case(LookupState::Failed, &[&[BankTimeout, InternalError][..], &[Outcome::InferenceFailed]])]
    #[case(LookupState::Delivered, &[&[BankTimeout, Delivered][..]])]
    #[case(LookupState::Ambiguous, &[&[Outcome::Ambiguous][..], &[NotIssued, Outcome::Ambiguous]])]
    fn the_end_follows_from_the_banks_last_answer(
        #[case] state: LookupState,
        #[case] answers: &[&[Outcome]],
    ) {
        let now = noon(20);
        for outcomes in answers {
            let step = rule(20, now).next(outcomes, now, None);
            assert_eq!(step, NextStep::End(state), "{outcomes:?}");
        }
    }

    #[test]
    fn a_payment_that_gets_no_proof_ends_its_lookup_at_once() {
        let late = [
            NotFound,
            NotIssued,
            PaymentInProcess,
            BankTimeout,
            PaymentReturned,
        ];
        for outcomes in [
            &[PaymentReturned][..],
            &[PaymentRejected],
            &[PaymentCanceled],
            &late,
        ] {
            for day in [20, 25] {
                let step = rule(20, noon(25)).next(outcomes, noon(day), None);
                assert_eq!(step, NextStep::End(LookupState::NotFound));
            }
        }
    }

    #[test]
    fn the_last_attempt_is_made_when_the_time_is_over() {
        let until = noon(20) + TimeDelta::seconds(30);
        let step = rule(20, until).next(&[NotIssued], noon(20), None);
        assert_eq!(step, NextStep::Again { at: until });
        let first = rule(20, until).next(&[], until, None);
        assert_eq!(first, NextStep::Again { at: until });
    }

    proptest! {
        #[test]
        fn every_lookup_ends(
            failing in proptest::collection::vec(0..5_usize, 1..40),
            retry_for in 0..259_200_i64,
        ) {
            let kinds = [NotIssued, NotFound, BankTimeout, BankUnavailable, PaymentInProcess];
            let until = noon(20) + TimeDelta::seconds(retry_for);
            let rule = rule(20, until);
            let (mut now, mut outcomes) = (noon(20), Vec::new());
            let state = loop {
                outcomes.push(kinds[failing[outcomes.len() % failing.len()]]);
                match rule.next(&outcomes, now, None) {
                    NextStep::Again { at } => {
                        prop_assert!(at > now && at <= until);
                        now = at;
                    }
                    NextStep::End(state) => break state,
                }
                prop_assert!(outcomes.len() < 1_000);
            };
            prop_assert!(state.is_final());
            prop_assert_ne!(state, LookupState::Delivered);
        }
    }
}
