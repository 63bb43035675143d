//! Mergeable latency histogram, which stores counts instead of single durations.

use std::time::Duration;

/// Number of buckets in a histogram.
pub const BUCKETS: usize = 16;

/// Durations counted in [`BUCKETS`] buckets. Bucket 0 counts durations below 1 ms, bucket `n` those
/// from 2ⁿ⁻¹ to below 2ⁿ ms, and the last one all from 16.384 s on (the usual timeout of a request is
/// 25 s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    counts: [u64; BUCKETS],
}

/// Percentiles of a histogram. Each is exact to its bucket: within a factor of two of the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percentiles {
    /// Median.
    pub p50: Duration,
    /// 95th percentile.
    pub p95: Duration,
    /// 99th percentile.
    pub p99: Duration,
}

impl Latencies {
    /// Builds a histogram from the count of each bucket.
    pub fn from_counts(counts: [u64; BUCKETS]) -> Self {
        Self { counts }
    }

    /// The count of each bucket.
    pub fn counts(&self) -> [u64; BUCKETS] {
        self.counts
    }

    /// Index of the bucket of a duration.
    pub fn bucket(duration: Duration) -> usize {
        let millis = duration.as_millis();
        let bits = u128::BITS - millis.leading_zeros();
        usize::try_from(bits).map_or(BUCKETS - 1, |bits| bits.min(BUCKETS - 1))
    }

    /// Adds one duration.
    pub fn record(&mut self, duration: Duration) {
        self.counts[Self::bucket(duration)] += 1;
    }

    /// Adds another histogram.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
    }

    /// Total number of durations.
    pub fn total(&self) -> u64 {
        self.counts
            .iter()
            .fold(0, |total, count| total.saturating_add(*count))
    }

    /// The percentiles; `None` if the histogram is empty.
    pub fn percentiles(&self) -> Option<Percentiles> {
        Some(Percentiles {
            p50: self.quantile(50)?,
            p95: self.quantile(95)?,
            p99: self.quantile(99)?,
        })
    }

    /// The percentile, interpolated within its bucket as if durations were evenly distributed there.
    fn quantile(&self, percent: u64) -> Option<Duration> {
        let total = u128::from(self.total());
        if total == 0 {
            return None;
        }
        let rank = (total * u128::from(percent)).div_ceil(100).max(1);
        let mut below = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            let count = u128::from(*count);
            if below + count >= rank {
                let (from, to) = bounds(bucket);
                let span = u128::from(to - from);
                let into = span * (rank - below) / count;
                let micros = u128::from(from) + into;
                return Some(Duration::from_micros(u64::try_from(micros).unwrap_or(to)));
            }
            below += count;
        }
        None
    }
}

/// Bounds of a bucket in microseconds. The last one has no upper bound; it is treated as twice its
/// lower bound.
fn bounds(bucket: usize) -> (u64, u64) {
    let to = 1_000 << bucket;
    (if bucket == 0 { 0 } else { to / 2 }, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(millis: &[u64]) -> Latencies {
        let mut latencies = Latencies::default();
        for millis in millis {
            latencies.record(Duration::from_millis(*millis));
        }
        latencies
    }

    #[test]
    fn an_empty_histogram_has_no_percentiles() {
        assert_eq!(Latencies::default().percentiles(), None);
    }

    #[test]
    fn a_bucket_holds_its_lower_bound_and_not_its_upper_one() {
        let bucket = |micros| Latencies::bucket(Duration::from_micros(micros));
        assert_eq!([0, 999, 1_000, 1_999].map(bucket), [0, 0, 1, 1]);
        let last = [2_000, 16_383_999, 16_384_000, u64::MAX];
        assert_eq!(last.map(bucket), [2, 14, 15, 15]);
    }

    proptest! {
        #[test]
        fn a_percentile_is_within_a_factor_of_two(
            mut millis in prop::collection::vec(1_u64..16_000, 1..200),
        ) {
            let found = of(&millis).percentiles().unwrap();
            millis.sort_unstable();
            for (percent, found) in [(50, found.p50), (95, found.p95), (99, found.p99)] {
                let rank = (millis.len() * percent).div_ceil(100).max(1);
                let exact = Duration::from_millis(millis[rank - 1]);
                prop_assert!(found >= exact / 2 && found <= exact * 2, "{found:?} for {exact:?}");
            }
            prop_assert!(found.p50 <= found.p95 && found.p95 <= found.p99);
        }

        #[test]
        fn adding_histograms_is_recording_all_of_it(
            a in prop::collection::vec(0_u64..100_000, 0..50),
            b in prop::collection::vec(0_u64..100_000, 0..50),
        ) {
            let mut sum = of(&a);
            sum.add(&of(&b));
            prop_assert_eq!(sum, of(&[a, b].concat()));
        }
    }
}
