//! What one process tells the others of an identity provider's keys, where time is not what it was.

#[path = "../both/provider_keys.rs"]
pub(crate) mod keys;

use crate::server::server_or_skip;

#[tokio::test]
async fn what_a_clock_that_was_set_back_would_say_is_not_known() {
    let server = server_or_skip!();
    let place = server.database().await;
    let store = place.open().await;
    let connection = place.connect().await;
    keys::are_of_unknown_age_once_the_clock_was_set_back(&store, &connection).await;
}
