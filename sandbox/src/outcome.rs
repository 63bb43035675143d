//! What becomes of an inquiry: the magic amounts, and what is found otherwise.

use chrono::{Days, NaiveDate};
use domain::participant::{Catalogue, ParticipantCode};
use domain::payment::PaymentState;

use crate::order::Order;

/// The portal's answer to a readable form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// There is a proof.
    Found,
    /// There is a proof, but the download brings that of another transfer.
    FoundAnother,
    /// The payment is known and has no proof.
    KnownWithoutProof(PaymentState),
    /// No such payment, as the portal says it of recent dates.
    NotFoundRecent,
    /// No such payment, as the portal says it of older dates.
    NotFoundHistoric,
    /// Over the limit.
    TooManyQueries,
    /// The portal wants a captcha solved.
    CaptchaWanted,
    /// HTTP 500.
    ServerError,
    /// A page that nobody has seen before.
    UnseenPage,
    /// The connection is closed without an answer.
    HangUp,
    /// No answer, ever.
    Silence,
}

/// How long the portal says "not found" in the recent form. Inferred: only the two forms are on
/// record, not the day on which one gives way to the other.
const RECENT: Days = Days::new(45);

impl Outcome {
    /// What becomes of `order`; `today` is Mexico City's.
    pub(crate) fn of(order: &Order, today: NaiveDate) -> Self {
        match order.amount.centavos() {
            404_00 => Self::NotFoundRecent,
            404_01 => Self::NotFoundHistoric,
            404_02 => Self::KnownWithoutProof(PaymentState::Settled),
            404_03 => Self::KnownWithoutProof(PaymentState::Returned),
            429_00 => Self::TooManyQueries,
            429_01 => Self::CaptchaWanted,
            500_00 => Self::ServerError,
            502_00 => Self::UnseenPage,
            502_01 => Self::FoundAnother,
            503_00 => Self::HangUp,
            504_00 => Self::Silence,
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

/// Any order could exist, except in the future, within one institution, or of somebody who was no
/// participant on its date.
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
