//! Contract of the deny list.

use domain::keys::KeyId;

use super::fixture::{instant, record};
use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::{Denial, Fingerprint};

cases! {
    $ deny_list(Pair)
    self::the_first_denial_is_new_and_stays_in_every_process,
    self::of_many_concurrent_denials_one_is_new,
    self::sessions_are_ended_until_the_latest_time,
}

/// A fingerprint of the suite: 64 hexadecimal digits.
fn fingerprint(number: u16) -> Fingerprint {
    let KeyId(id) = record(number).key.id;
    Fingerprint(format!("{0}{0}", id.simple()))
}

async fn is_denied(stores: &Stores, number: u16) -> bool {
    ok(stores.deny_list.is_denied(&fingerprint(number))).await
}

async fn deny(stores: &Stores, number: u16) -> Denial {
    let until = instant(u16::MAX);
    ok(stores.deny_list.deny(&fingerprint(number), until)).await
}

async fn the_first_denial_is_new_and_stays_in_every_process(Pair { here, elsewhere }: Pair) {
    assert!(!is_denied(&here, 1).await);
    assert_eq!(deny(&here, 1).await, Denial::New);
    for stores in [&here, &elsewhere, &here] {
        assert!(is_denied(stores, 1).await);
        assert!(!is_denied(stores, 2).await);
        assert_eq!(deny(stores, 1).await, Denial::Repeated);
    }
    assert_eq!(deny(&elsewhere, 2).await, Denial::New);
    assert_eq!(deny(&here, 2).await, Denial::Repeated);
}

async fn of_many_concurrent_denials_one_is_new(pair: Pair) {
    for number in 1..=5 {
        let is_new = async |stores: &Stores, _| deny(stores, number).await == Denial::New;
        assert_eq!(pair.succeeding(0..20, is_new).await, 1);
    }
}

async fn sessions_are_ended_until_the_latest_time(Pair { here, elsewhere }: Pair) {
    let ended_at = async |stores: &Stores| ok(stores.deny_list.sessions_ended_at()).await;
    assert_eq!(ended_at(&here).await, None);
    for (number, latest) in [(5, 5), (9, 9), (7, 9), (9, 9)] {
        ok(here.deny_list.end_sessions(instant(number))).await;
        assert_eq!(ended_at(&elsewhere).await, Some(instant(latest)));
    }
    assert!(!is_denied(&here, 1).await);
}
