//! Keys that the shared limiter gave verdicts on, with its latest counts of each.

use std::collections::HashMap;

use domain::keys::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::outbound::{Snapshot, Verdict};

/// Maximum number of recorded keys, a few megabytes. A key beyond that is recorded with a later verdict,
/// after the others were taken.
const MOST_KEYS: usize = 100_000;

/// Keys with verdicts since the last [`Self::take`].
#[derive(Debug, Default)]
pub(crate) struct ActiveKeys(HashMap<CountedKey, LimiterView>);

/// The shared limiter's limits and counts of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimiterView {
    month: Month,
    per_minute: u32,
    /// The quota and its used part; `None` without a quota.
    quota: Option<(u64, u64)>,
}

impl ActiveKeys {
    /// Records a verdict. One without a month is ignored: if a key is refused because of its minute, an
    /// earlier request in that minute was admitted and recorded.
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

    /// Returns and removes all entries.
    pub(crate) fn take(&mut self) -> HashMap<CountedKey, LimiterView> {
        let room = HashMap::with_capacity(self.0.len());
        std::mem::replace(&mut self.0, room)
    }

    /// Puts entries back, except keys with newer ones.
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

    /// The month of the counts.
    pub(crate) fn month(&self) -> Month {
        self.month
    }

    /// Returns `true` if the store's snapshot has the same values. The use is only compared if there is a
    /// quota.
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
