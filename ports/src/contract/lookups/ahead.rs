//! Due lookups that are claimed before another one.

use super::*;

async fn position(stores: &Stores, new: &NewLookup) -> u64 {
    let lookup = stores.kept(new).await;
    let ahead = ok(stores.lookups.queue_ahead(&lookup, soon())).await;
    ahead.position()
}

/// Asserts that lookups have positions in the order in which one claim takes them.
async fn assert_claimed_by_position(stores: &Stores, lookups: &[NewLookup], token: u128) {
    let mut positions = BTreeMap::new();
    for new in lookups {
        positions.insert(position(stores, new).await, new.facts.id);
    }
    assert!(positions.keys().copied().eq(1..=lookups.len() as u64));
    let claimed = ids(&stores.claim(1_000, lease(token)).await);
    assert_eq!(claimed, positions.into_values().collect::<Vec<_>>());
}

pub(super) async fn positions_are_the_order_of_claims(Pair { here, elsewhere }: Pair) {
    // Earlier claims count: the third customer's turn was last, the fifth had none.
    let first = [1, 1, 4, 1, 3, 2, 1, 3, 1, 4, 3, 1, 1, 3];
    for (token, owners) in [(1, &first[..]), (2, &[3, 1, 5, 2, 4, 3, 1, 3])] {
        let first_number = 20 * u16::try_from(token).expect("a small number");
        let lookups = (first_number..).zip(owners);
        let lookups: Vec<_> = lookups.map(|(number, owner)| of(*owner, number)).collect();
        elsewhere.add_lookups(&lookups).await;
        assert_claimed_by_position(&here, &lookups, token).await;
    }
}

pub(super) async fn classes_have_queues_of_their_own(Pair { here, .. }: Pair) {
    let background = [of(1, 1), of(2, 2), of(1, 3)];
    let interactive = [of(2, 4), of(1, 5)].map(awaited);
    here.add_lookups(&background).await;
    here.add_lookups(&interactive).await;
    assert_eq!(position(&here, &interactive[0]).await, 2);
    assert_eq!(position(&here, &interactive[1]).await, 1);
    assert_eq!(position(&here, &background[2]).await, 3);
}

pub(super) async fn what_is_due_later_is_not_ahead(Pair { here, .. }: Pair) {
    here.add_lookups(&[of(2, 2)]).await;
    let alone = here.kept(&of(2, 2)).await;
    let ahead = ok(here.lookups.queue_ahead(&alone, soon())).await;
    assert_eq!(ahead, QueueAhead::default());
    here.add_lookups(&[of(1, 1), of(2, 3)]).await;
    here.claim(3, lease(1)).await;
    for (new, due_at) in [(of(1, 1), minutes(1)), (of(2, 2), soon())] {
        assert!(here.ends(new.facts.id, 1, soon(), wait(due_at)).await);
    }
    // One waits, one is running: neither is due.
    assert_eq!(position(&here, &of(2, 2)).await, 1);
}
