//! Enums of lookups, their payments and batches.

use async_graphql::Enum;

/// State of a stored lookup.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::lookups::LookupState")]
pub(crate) enum LookupState {
    /// It waits for its first attempt.
    Queued,
    /// An attempt is being made.
    Running,
    /// It waits for its next attempt.
    Waiting,
    /// The proof was delivered. Final, as all that follow.
    Delivered,
    /// The bank knows no such transfer, or issues no proof of it: it was returned, rejected or canceled.
    NotFound,
    /// The bank gave no answer at all. Given back to the quota.
    Failed,
    /// The bank knows the transfer, and issued no proof in time.
    Expired,
    /// Somebody canceled it, or its key was revoked.
    Canceled,
}

/// State of a payment at the central bank.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::payment::PaymentState")]
pub(crate) enum PaymentState {
    /// `En proceso`.
    InProcess,
    /// `Liquidado`: its proof may still be issued.
    Settled,
    /// `Cancelado`.
    Canceled,
    /// `Rechazado`.
    Rejected,
    /// `En proceso de devolución`.
    ReturnInProcess,
    /// `Devuelto`.
    Returned,
    /// `No liquidado`.
    NotSettled,
    /// `No encontrado`.
    NotFound,
    /// `Retornado`.
    SentBack,
}

/// State of a batch.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::batches::BatchState")]
pub(crate) enum BatchState {
    /// None of its rows was looked up yet.
    Queued,
    /// Its rows are being looked up.
    Running,
    /// Its rows wait for quota.
    Paused,
    /// Each of its rows has ended. Final, as the one that follows.
    Finished,
    /// Somebody canceled it, or its key was revoked.
    Canceled,
}

/// State of a row of a batch: that of its lookup, or the reason for which it has none.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(name = "BatchRowState", remote = "domain::batches::RowState")]
pub(crate) enum RowState {
    /// It has errors, and is never looked up.
    Faulty,
    /// It asks the same as an earlier row, and is never looked up.
    Duplicate,
    /// Nobody began to look it up; or never will, in a canceled batch.
    NotBegun,
    /// It waits for its first attempt.
    Queued,
    /// An attempt is being made.
    Running,
    /// It waits for its next attempt.
    Waiting,
    /// The proof was delivered. Final, as all that follow.
    Delivered,
    /// The bank knows no such transfer, or issues no proof of it: it was returned, rejected or canceled.
    NotFound,
    /// The bank gave no answer at all. Given back to the quota.
    Failed,
    /// The bank knows the transfer, and issued no proof in time.
    Expired,
    /// Somebody canceled it, or its key was revoked.
    Canceled,
    /// It ended, and somebody erased its lookup.
    Erased,
}
