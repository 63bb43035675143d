//! Deterministic pseudo-random numbers.

use chrono::{DateTime, Utc};
use uuid::{Builder, Uuid};

/// Knuth's MMIX generator.
pub(crate) struct SeededRng(pub(crate) u64);

impl SeededRng {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }

    pub(crate) fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end)).unwrap_or_default()
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.next().to_le_bytes()[0]);
    }

    /// An id of version 7.
    pub(crate) fn id(&mut self, at: DateTime<Utc>) -> Uuid {
        let mut bytes = [0; 10];
        self.fill(&mut bytes);
        let millis = u64::try_from(at.timestamp_millis()).unwrap_or_default();
        Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }
}
