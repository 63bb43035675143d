//! Expected refusals of mutations.

/// Rule that the input of a mutation breaks, or state that forbids the mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UserProblem {
    Name,
    Grace,
    PerMinute,
    MonthlyQuota,
    NoLimit,
    PlanAndLimits,
    NotFound,
    Forbidden,
    Revoked,
    AlreadyRotated,
    TooManyKeys { most: u64 },
}
