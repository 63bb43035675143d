//! Conversion of durations to a GraphQL `Int`.

use std::time::Duration;

/// Whole milliseconds, rounded down.
pub(super) fn milliseconds(span: Duration) -> u32 {
    int(span.as_millis())
}

/// Whole seconds, rounded up.
pub(super) fn seconds(span: Duration) -> u32 {
    int(span.as_millis().div_ceil(1_000))
}

/// Caps a number at the maximum of a GraphQL `Int`, 2³¹ - 1.
fn int(number: u128) -> u32 {
    const MAX: u32 = i32::MAX.unsigned_abs();
    u32::try_from(number).map_or(MAX, |number| number.min(MAX))
}
