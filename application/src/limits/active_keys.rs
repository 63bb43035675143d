//! Keys that the shared limiter decided about, with its latest view of each.

use std::collections::HashMap;

use domain::key::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{Snapshot, Verdict};

/// Keys that are recorded, at most: a few megabytes. One that found no room is recorded when it is
/// asked for again after they were taken.
const MOST_KEYS: usize = 100_000;

/// The keys since they were taken last.
#[derive(Debug, Default)]
pub(crate) struct ActiveKeys(HashMap<CountedKey, LimiterView>);

/// The shared limiter's view of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimiterView {
    month: Month,
    per_minute: u32,
    /// The quota, and the use of it.
    quota: Option<(u64, u64)>,
}

impl ActiveKeys {
    /// Records a verdict. One that names no month is ignored: of a key that is never admitted
    /// because its minute is full, something was admitted a minute before.
    pub(super) fn record(&mut self, key: CountedKey, verdict: &Verdict) {
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
        let view = LimiterView::of(month, limit_status);
        if let Some(before) = self.0.get_mut(&key) {
            *before = view;
        } else if self.0.len() < MOST_KEYS {
            self.0.insert(key, view);
        }
    }

    /// Takes them out.
    pub(crate) fn take(&mut self) -> HashMap<CountedKey, LimiterView> {
        let room = HashMap::with_capacity(self.0.len());
        std::mem::replace(&mut self.0, room)
    }

    /// Puts back what was taken, unless it was recorded anew.
    pub(crate) fn put_back(&mut self, keys: HashMap<CountedKey, LimiterView>) {
        for (key, view) in keys {
            if self.0.len() < MOST_KEYS {
                self.0.entry(key).or_insert(view);
            }
        }
    }
}

impl LimiterView {
    fn of(month: Month, limit_status: &LimitStatus) -> Self {
        Self {
            month,
            per_minute: limit_status.minute.limit,
            quota: limit_status.month.map(|month| (month.limit, month.used)),
        }
    }

    /// The month that it is of.
    pub(crate) fn month(&self) -> Month {
        self.month
    }

    /// Returns true when the store's snapshot is the same. Without a quota the use doesn't matter.
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
