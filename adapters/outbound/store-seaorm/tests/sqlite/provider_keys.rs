//! What one process tells the others of an identity provider's keys, where time is not what it was.

use std::time::Duration;

use ports::outbound::{ProviderKeyCache, Turn, Want};
use sea_orm::ConnectionTrait;

use crate::support::Folder;

const ISSUER: &str = "https://issuer.example";
const MINUTE: Duration = Duration::from_mins(1);

#[tokio::test]
async fn what_a_clock_that_was_set_back_would_say_is_not_known() {
    let folder = Folder::new();
    let store = folder.open().await;
    let turn = store.take_turn(ISSUER, Turn(0), Want::Missing).await;
    let turn = turn.unwrap().unwrap();
    store
        .publish(ISSUER, turn, Duration::ZERO, "{}")
        .await
        .unwrap();
    let connection = folder.connect().await;
    let shift = async |by: i64| {
        let shifted = format!(
            "UPDATE provider_keys SET begun_at = begun_at + {by}, missed_at = missed_at + {by}, \
             asked_at = asked_at + {by}"
        );
        connection.execute_unprepared(&shifted).await.unwrap();
        let known = store.look(ISSUER, Turn(0)).await.unwrap();
        let age = known.document.unwrap().age;
        [known.begun, known.missed, age]
    };
    for ago in shift(-3_600_000).await {
        let ago = ago.unwrap();
        assert!((60 * MINUTE..61 * MINUTE).contains(&ago), "{ago:?}");
    }
    // As if the clock had been set back by an hour since: nobody has to wait until it is there again.
    assert_eq!(shift(7_200_000).await, [None; 3]);
}
