//! Lists of keys.

use super::{ApiKey, Environment, KeyStatus};
use crate::limits::MonthlyUse;
use crate::month::Month;
use crate::page::{Direction, PageRequest};

/// A query for keys, with filter and order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyQuery {
    /// The filter.
    pub filter: KeyFilter,
    /// The sort column.
    pub order: KeySort,
    /// The sort direction.
    pub direction: Direction,
    /// The page.
    pub page: PageRequest,
}

/// Filter of keys; each condition narrows the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyFilter {
    /// With one of these statuses; any when empty.
    pub statuses: Vec<KeyStatus>,
    /// Of this environment.
    pub environment: Option<Environment>,
    /// With this text in the name, or at the beginning of the prefix, ASCII letters compared
    /// without case; in a list of everybody's keys, also in the owner's subject.
    pub text: Option<String>,
}

/// Sort column of a list of keys. Equal values are ordered by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySort {
    /// Time of creation.
    Created,
    /// Name, as the database compares text.
    Name,
}

/// Visibility of revoked keys in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokedKeys {
    /// Revoked keys are listed.
    Included,
    /// Revoked keys are left out.
    Hidden,
}

/// A key and its use of a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOverview {
    /// The key.
    pub key: ApiKey,
    /// The month of `used`.
    pub month: Month,
    /// The key's use of the month.
    pub used: MonthlyUse,
}

impl KeyOverview {
    /// Requests left of the month's quota; `None` without a cap.
    pub fn remaining(&self) -> Option<u64> {
        let quota = self.key.limits.monthly_quota()?;
        Some(quota.saturating_sub(self.used.net()))
    }
}
