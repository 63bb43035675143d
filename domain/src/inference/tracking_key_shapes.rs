//! Shapes of tracking keys and the banks that make them.

use chrono::NaiveDate;

use super::Inferred;
use crate::participant::Catalogue;
use crate::tracking_key::TrackingKey;

/// The issuer by the shape of its tracking key: specific shapes of high confidence, then generic
/// ones, then those of medium confidence.
pub(super) fn issuer_of(
    _key: &TrackingKey,
    _date: NaiveDate,
    _catalogue: &Catalogue,
) -> Option<Inferred> {
    None
}
