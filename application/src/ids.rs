//! Ids made of the clock and randomness that we were given.

use ports::outbound::{Clock, Random};
use uuid::{Builder, Uuid};

/// A version 7 UUID (RFC 9562): ordered by time, so that new rows stand together.
pub(crate) fn new_id(clock: &dyn Clock, random: &dyn Random) -> Uuid {
    let mut bytes = [0; 10];
    random.fill(&mut bytes);
    let millis = u64::try_from(clock.now().timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}
