//! Queries for lists of keys.

use super::{ApiKey, Environment, KeyStatus};
use crate::limits::MonthlyUse;
use crate::month::Month;
use crate::page::{Direction, PageRequest};

/// A query for keys, with filter and order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyQuery {
    /// Conditions on the keys.
    pub filter: KeyFilter,
    /// Column by which the list is sorted.
    pub order: KeySort,
    /// Ascending or descending.
    pub direction: Direction,
    /// The requested page.
    pub page: PageRequest,
}

/// Filter of keys; each condition narrows the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyFilter {
    /// Only keys with one of these statuses; empty for all.
    pub statuses: Vec<KeyStatus>,
    /// Only keys of this environment; `None` for both.
    pub environment: Option<Environment>,
    /// Only keys with this text in the name or at the start of the prefix; in a list of all customers'
    /// keys, also in the owner's subject. ASCII letters are compared without case.
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

/// A key and its usage in a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOverview {
    /// The key without its secret.
    pub key: ApiKey,
    /// The month that `used` covers.
    pub month: Month,
    /// Requests of the key in the month.
    pub used: MonthlyUse,
}

impl KeyOverview {
    /// Requests left of the month's quota; `None` without a cap.
    pub fn remaining(&self) -> Option<u64> {
        let quota = self.key.limits.monthly_quota()?;
        Some(quota.saturating_sub(self.used.net()))
    }
}
