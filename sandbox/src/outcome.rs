//! Decides the response to a query: special amounts, and the rule for all others.

use chrono::{Days, NaiveDate};
use domain::participants::{Catalogue, ParticipantCode};
use domain::payment::PaymentState;

use crate::order::Order;
use crate::query_counts::QueryCounts;

/// The portal's response to a valid form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The payment is found and has a proof.
    Found,
    /// Several payments with the reference number are found.
    FoundSeveral,
    /// There is a proof, but the download returns the proof of another transfer.
    FoundAnother,
    /// The payment is known but has no proof.
    KnownWithoutProof(PaymentState),
    /// The payment is unknown; the page has the portal's wording for recent dates.
    NotFoundRecent,
    /// The payment is unknown; the page has the portal's wording for older dates.
    NotFoundHistoric,
    /// The portal's page for too many queries.
    TooManyQueries,
    /// The portal asks for a captcha.
    CaptchaWanted,
    /// The portal responds with HTTP 500.
    ServerError,
    /// A page that clients don't recognise.
    UnseenPage,
    /// The connection is closed without a response.
    HangUp,
    /// The request never gets a response.
    Silence,
}

/// Age up to which the recent wording of "not found" is used. This is a guess: both wordings were
/// recorded, but not the age at which the portal switches.
const RECENT: Days = Days::new(45);
/// Number of queries after which a late proof appears.
const QUERIES_BEFORE_PROOF: u32 = 2;

impl Outcome {
    /// Decides the response to `order`; `today` is the date in Mexico City. Counts the queries if the
    /// response depends on their number.
    pub(crate) fn of(
        (order, is_by_reference): (&Order, bool),
        today: NaiveDate,
        queries: &QueryCounts,
    ) -> Self {
        let is_early = || queries.add(order) < QUERIES_BEFORE_PROOF;
        match order.amount.to_string().as_str() {
            "300.00" if is_by_reference && exists(order, today) => Self::FoundSeveral,
            "404.00" => Self::NotFoundRecent,
            "404.01" => Self::NotFoundHistoric,
            "404.02" => Self::KnownWithoutProof(PaymentState::Settled),
            "404.03" => Self::KnownWithoutProof(PaymentState::Returned),
            "404.04" => Self::KnownWithoutProof(PaymentState::InProcess),
            "404.05" => Self::KnownWithoutProof(PaymentState::Canceled),
            "404.06" => Self::KnownWithoutProof(PaymentState::Rejected),
            "404.07" => Self::KnownWithoutProof(PaymentState::ReturnInProcess),
            "404.08" => Self::KnownWithoutProof(PaymentState::NotSettled),
            "404.09" => Self::KnownWithoutProof(PaymentState::NotFound),
            "404.10" => Self::KnownWithoutProof(PaymentState::SentBack),
            "429.00" => Self::TooManyQueries,
            "429.01" => Self::CaptchaWanted,
            "500.00" => Self::ServerError,
            "502.00" => Self::UnseenPage,
            "502.01" => Self::FoundAnother,
            "503.00" => Self::HangUp,
            "504.00" => Self::Silence,
            "700.00" if is_early() => Self::KnownWithoutProof(PaymentState::Settled),
            "700.01" if is_early() => Self::NotFoundRecent,
            "700.02" => match queries.add(order) {
                0 => Self::KnownWithoutProof(PaymentState::InProcess),
                1 => Self::KnownWithoutProof(PaymentState::Settled),
                _ => Self::Found,
            },
            "700.03" => match queries.add(order) {
                0 => Self::KnownWithoutProof(PaymentState::Settled),
                _ => Self::KnownWithoutProof(PaymentState::Returned),
            },
            _ if exists(order, today) => Self::Found,
            _ if order
                .date
                .checked_add_days(RECENT)
                .is_some_and(|end| end < today) =>
            {
                Self::NotFoundHistoric
            }
            _ => Self::NotFoundRecent,
        }
    }
}

/// Returns `true` if a payment can exist: not in the future, not within one institution, and both
/// institutions were participants on its date.
fn exists(order: &Order, today: NaiveDate) -> bool {
    let takes_part = |code: ParticipantCode| {
        Catalogue::embedded()
            .find(code)
            .is_some_and(|participant| participant.is_valid_on(order.date))
    };
    order.date <= today
        && order.issuer != order.receiver
        && takes_part(order.issuer)
        && takes_part(order.receiver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::tests::order;
    use rstest::rstest;

    fn outcome(date: &str, issuer: &str, receiver: &str, centavos: u64) -> Outcome {
        let day = |text: &str| domain::calendar::parse_date(text).unwrap();
        let order = Order {
            date: day(date),
            issuer: ParticipantCode::parse(issuer).unwrap(),
            receiver: ParticipantCode::parse(receiver).unwrap(),
            ..order("KEY", "002010077777777771", centavos, 20)
        };
        Outcome::of((&order, false), day("2026-11-20"), &QueryCounts::new())
    }

    #[rstest]
    #[case::any_transfer("2026-11-20", "40012", "40002", 123_456, Outcome::Found)]
    #[case::years_ago("2019-01-02", "40012", "40002", 123_456, Outcome::Found)]
    #[case::of_the_central_bank("2026-11-20", "2001", "40002", 123_456, Outcome::Found)]
    #[case::within_a_bank("2026-11-20", "40012", "40012", 100, Outcome::NotFoundRecent)]
    #[case::within_a_bank_long_ago("2026-10-05", "40012", "40012", 100, Outcome::NotFoundHistoric)]
    #[case::nobodys_code("2026-11-20", "40999", "40002", 100, Outcome::NotFoundRecent)]
    #[case::before_its_code("2026-08-04", "40012", "40638", 100, Outcome::NotFoundHistoric)]
    #[case::tomorrow("2026-11-21", "40012", "40002", 100, Outcome::NotFoundRecent)]
    #[case::magic_wins("2026-11-21", "40012", "40012", 50_400, Outcome::Silence)]
    fn an_order_that_can_exist_is_found(
        #[case] date: &str,
        #[case] issuer: &str,
        #[case] receiver: &str,
        #[case] centavos: u64,
        #[case] expected: Outcome,
    ) {
        assert_eq!(outcome(date, issuer, receiver, centavos), expected);
    }
}
