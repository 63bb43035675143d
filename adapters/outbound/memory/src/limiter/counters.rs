//! Counters of the keys of one chain of rotations.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use domain::limits::window::SlidingWindow;
use domain::limits::{LimitStatus, Limits, MonthStatus, MonthlyUse};
use domain::month::Month;
use ports::outbound::{Charge, Snapshot, Verdict};
use uuid::Uuid;

/// Number of refunded requests remembered, so that a repeated refund changes nothing.
const REFUNDS_REMEMBERED: usize = 256;

/// Counts of the minute and the month of one [`CounterId`](domain::keys::CounterId).
pub(super) struct Counters {
    /// `false` once they are forgotten: the month isn't known then. The window is kept, so that a
    /// key that is forgotten and hydrated can't use the minute's limit twice.
    is_known: bool,
    window: SlidingWindow,
    month: Month,
    used: MonthlyUse,
    refunds: VecDeque<Uuid>,
}

impl Counters {
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        Self {
            is_known: true,
            window: SlidingWindow::default(),
            month: snapshot.month,
            used: snapshot.used,
            refunds: VecDeque::new(),
        }
    }

    /// Returns `true` unless they were forgotten.
    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }

    /// Forgets the month.
    pub(super) fn forget(&mut self) {
        self.is_known = false;
    }

    /// Returns `true` if nothing was admitted in the last minute.
    pub(super) fn is_idle(&mut self, now_ms: u64) -> bool {
        self.window.is_empty(now_ms)
    }

    /// Admits one request of a key with these limits.
    pub(super) fn admit(&mut self, limits: Limits, now: DateTime<Utc>, now_ms: u64) -> Verdict {
        (self.month, self.used) = self.month_of(now);
        if let Err(full) = self.window.check(now_ms, limits.per_minute()) {
            let limit_status = self.limit_status(limits, now, now_ms);
            return Verdict::RateLimited {
                limit_status,
                retry_after: full.retry_after,
            };
        }
        if limits
            .monthly_quota()
            .is_some_and(|quota| self.used.net() >= quota)
        {
            let limit_status = self.limit_status(limits, now, now_ms);
            let month = limit_status
                .month
                .expect("a quota is used up, so there is one");
            return Verdict::QuotaExceeded {
                limit_status,
                month,
            };
        }
        self.window.count(now_ms, limits.per_minute());
        self.used.charged += 1;
        Verdict::Admitted {
            limit_status: self.limit_status(limits, now, now_ms),
            month: self.month,
            charge: Charge::Unwritten,
        }
    }

    /// Returns the limit status of a key with these limits. Doesn't begin a month: only an
    /// admission does.
    pub(super) fn limit_status(
        &mut self,
        limits: Limits,
        now: DateTime<Utc>,
        now_ms: u64,
    ) -> LimitStatus {
        let (month, used) = self.month_of(now);
        let month = limits
            .monthly_quota()
            .map(|quota| MonthStatus::new(month, quota, used.net(), now));
        LimitStatus {
            minute: self.window.limit_status(now_ms, limits.per_minute()),
            month,
        }
    }

    /// Merges the use of a snapshot.
    pub(super) fn merge(&mut self, snapshot: &Snapshot, now: DateTime<Utc>) {
        if has_begun(snapshot.month, now) {
            self.restore(snapshot.month);
            self.roll_to(snapshot.month);
        }
        if snapshot.month == self.month {
            self.used = self.used.merge(snapshot.used);
        }
    }

    pub(super) fn refund(&mut self, month: Month, request: Uuid) {
        if !self.is_known || month != self.month || self.refunds.contains(&request) {
            return;
        }
        self.used.refunded += 1;
        self.refunds.push_back(request);
        if self.refunds.len() > REFUNDS_REMEMBERED {
            self.refunds.pop_front();
        }
    }

    /// The month that a request of `now` is charged to, and its use: the clock may have entered a
    /// new month since the last admission.
    fn month_of(&self, now: DateTime<Utc>) -> (Month, MonthlyUse) {
        let month = Month::of(now);
        if month > self.month {
            (month, MonthlyUse::default())
        } else {
            (self.month, self.used)
        }
    }

    /// Takes the snapshot's month over, if the counters were forgotten.
    fn restore(&mut self, month: Month) {
        if !self.is_known {
            (self.is_known, self.month, self.used) = (true, month, MonthlyUse::default());
        }
    }

    /// Begins a new month; never returns to an older one.
    fn roll_to(&mut self, month: Month) {
        if month > self.month {
            self.month = month;
            self.used = MonthlyUse::default();
        }
    }
}

/// Returns whether the month of a snapshot has begun here: its source may have a clock that is
/// ahead.
pub(super) fn has_begun(month: Month, now: DateTime<Utc>) -> bool {
    month <= Month::of(now)
}
