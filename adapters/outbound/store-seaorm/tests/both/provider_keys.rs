//! Keys of a provider, on either database.

use std::time::Duration;

use ports::outbound::{ProviderKeyCache, Turn, Want};
use sea_orm::{ConnectionTrait, DatabaseConnection};
use store_seaorm::Store;

const ISSUER: &str = "https://issuer.example";
const MINUTE: Duration = Duration::from_mins(1);

/// Keys are kept and told again.
pub(crate) async fn are_kept(store: &Store) {
    let none = Turn(0);
    let turn = store.take_turn(ISSUER, none, Want::Missing).await;
    let turn = turn.unwrap().unwrap();
    store
        .publish(ISSUER, turn, Duration::ZERO, "{}")
        .await
        .unwrap();
    let known = store.look(ISSUER, none).await.unwrap();
    assert_eq!(known.document.unwrap().text, "{}");
}

/// Ages that a clock would tell that was set back are unknown; `connection` leads to the same data.
pub(crate) async fn are_of_unknown_age_once_the_clock_was_set_back(
    store: &Store,
    connection: &DatabaseConnection,
) {
    are_kept(store).await;
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
