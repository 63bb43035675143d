//! Values of metrics.

/// Converts a count to the type of metric values.
#[expect(
    clippy::cast_precision_loss,
    reason = "a metric needs no more than 15 digits"
)]
pub(super) fn number(number: u64) -> f64 {
    number as f64
}
