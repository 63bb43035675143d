//! Lists of keys.

use super::{ApiKey, Environment, KeyStatus};
use crate::limits::MonthlyUse;
use crate::month::Month;
use crate::page::{Direction, PageRequest};

/// Which keys are listed, in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyQuery {
    /// Which.
    pub filter: KeyFilter,
    /// By what.
    pub order: KeySort,
    /// From which end.
    pub direction: Direction,
    /// Which page.
    pub page: PageRequest,
}

/// Which keys; each condition narrows the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyFilter {
    /// In one of these states; any when empty.
    pub statuses: Vec<KeyStatus>,
    /// Of this environment.
    pub environment: Option<Environment>,
    /// With this text in the name, or at the beginning of the prefix, the upper and lower case of
    /// ASCII letters being alike; for a list of everybody's keys, in the owner's subject too.
    pub text: Option<String>,
}

/// What a list of keys is ordered by. Equal ones are ordered by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySort {
    /// When they were made.
    Created,
    /// Their names, as the database compares text.
    Name,
}

/// Whether a list shows revoked keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokedKeys {
    /// It does.
    Included,
    /// It doesn't.
    Hidden,
}

/// A key, and what it used of a month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOverview {
    /// The key.
    pub key: ApiKey,
    /// The month.
    pub month: Month,
    /// What it used of it.
    pub used: MonthlyUse,
}

impl KeyOverview {
    /// Requests left of the month's quota; `None` without a cap.
    pub fn remaining(&self) -> Option<u64> {
        let quota = self.key.limits.monthly_quota()?;
        Some(quota.saturating_sub(self.used.net()))
    }
}
