//! Keys that the shared limiter decided about, and what it said of them last.

use std::collections::HashMap;

use domain::key::KeyId;
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{Snapshot, Verdict};

/// Keys that are noted, at most: a few megabytes. One that found no room is noted when it is asked
/// for again after they were taken.
const MOST_KEYS: usize = 100_000;

/// The keys since they were taken last.
#[derive(Debug, Default)]
pub(crate) struct Active(HashMap<KeyId, Said>);

/// What the shared limiter said of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    month: Month,
    per_minute: u32,
    /// The quota, and what is used of it.
    quota: Option<(u64, u64)>,
}

impl Active {
    /// Notes what was said. Verdicts that name no month say nothing: of a key that is never admitted
    /// for its minute is full, something was admitted a minute before.
    pub(super) fn note(&mut self, key: KeyId, verdict: &Verdict) {
        let (month, limit_status) = match verdict {
            Verdict::Admitted {
                limit_status,
                month,
                ..
            } => (*month, limit_status),
            Verdict::QuotaExceeded {
                limit_status,
                month,
            } => (month.month(), limit_status),
            Verdict::RateLimited { .. } | Verdict::Revoked | Verdict::Unknown { .. } => return,
        };
        let said = Said::of(month, limit_status);
        if let Some(before) = self.0.get_mut(&key) {
            *before = said;
        } else if self.0.len() < MOST_KEYS {
            self.0.insert(key, said);
        }
    }

    /// Takes them out.
    pub(crate) fn take(&mut self) -> HashMap<KeyId, Said> {
        let room = HashMap::with_capacity(self.0.len());
        std::mem::replace(&mut self.0, room)
    }

    /// Puts back what was taken, unless it was noted anew.
    pub(crate) fn put_back(&mut self, keys: HashMap<KeyId, Said>) {
        for (key, said) in keys {
            if self.0.len() < MOST_KEYS {
                self.0.entry(key).or_insert(said);
            }
        }
    }
}

impl Said {
    fn of(month: Month, limit_status: &LimitStatus) -> Self {
        Self {
            month,
            per_minute: limit_status.minute.limit,
            quota: limit_status.month.map(|month| (month.limit, month.used)),
        }
    }

    /// The month that it was said of.
    pub(crate) fn month(&self) -> Month {
        self.month
    }

    /// Whether the store says the same of the key. Without a quota nobody asks for the use.
    pub(crate) fn agrees_with(&self, snapshot: &Snapshot) -> bool {
        let Snapshot { state, month, used } = snapshot;
        let used = |quota| (quota, used.net());
        !state.revoked
            && self.month == *month
            && self.per_minute == state.limits.per_minute()
            && self.quota == state.limits.monthly_quota().map(used)
    }
}

#[cfg(test)]
mod tests;
