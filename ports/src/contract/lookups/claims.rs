//! Claims of due lookups.

use super::*;

async fn claim_interactive(stores: &Stores, most: u32, lease: Lease) -> Vec<ClaimedLookup> {
    let classes = ClaimedClasses::Interactive;
    let lookups = &stores.lookups;
    ok(lookups.claim_lookups(most, classes, soon(), lease)).await
}

pub(super) async fn a_claimed_lookup_is_running_under_its_lease(Pair { here, elsewhere }: Pair) {
    here.add_lookups(&[lookup(2), interactive(3)]).await;
    assert_eq!(here.claim_at(9, instant(1), lease(1)).await, []);
    let running = StoredLookup {
        state: LookupState::Running,
        updated_at: instant(2),
        due_at: Some(lease(1).until),
        ..queued(&lookup(2))
    };
    let expected = ClaimedLookup {
        lookup: running.clone(),
        attempts: Vec::new(),
    };
    assert_eq!(here.claim_at(9, instant(2), lease(1)).await, [expected]);
    assert_eq!(elsewhere.kept(&lookup(2)).await, running);
    let second = elsewhere.claim_at(9, instant(3), lease(2)).await;
    assert_eq!(ids(&second), [lookup(3).facts.id]);
}

pub(super) async fn what_is_due_first_is_claimed_first_as_far_as_wanted(Pair { here, .. }: Pair) {
    here.add_lookups(&[4, 2, 5, 1, 3].map(lookup)).await;
    here.add_lookups(&[interactive(6), interactive(7)]).await;
    for (token, most, expected) in [
        (1, 0, &[][..]),
        (2, 3, &[6, 7, 1]),
        (3, 2, &[2, 3]),
        (4, 9, &[4, 5]),
        (5, 9, &[]),
    ] {
        let claimed = ids(&here.claim(most, lease(token)).await);
        let expected = expected.iter().map(|number| id(*number));
        assert_eq!(claimed, expected.collect::<Vec<_>>());
    }
}

pub(super) async fn of_many_concurrent_claims_none_gets_what_another_has(pair: Pair) {
    const LOOKUPS: u16 = 60;
    for number in 0..LOOKUPS {
        let new = match number % 3 {
            0 => lookup(number),
            1 => interactive(number),
            _ => lookup_of(&other_key(), number),
        };
        pair.here.add_lookups(&[new]).await;
    }
    let claim = async |stores: &Stores, caller: u128| {
        let mut claimed = Vec::new();
        loop {
            let token = 1_000 * caller + claimed.len() as u128;
            let some = stores.claim(3, lease(token)).await;
            if some.is_empty() {
                return claimed;
            }
            claimed.extend(ids(&some));
        }
    };
    let claimed = pair.at_once(1..=12, claim).await.concat();
    let distinct: BTreeSet<_> = claimed.iter().collect();
    assert_eq!(claimed.len(), distinct.len(), "two callers have one lookup");
    assert_eq!(distinct.len(), usize::from(LOOKUPS));
}

pub(super) async fn interactive_lookups_are_claimed_first_or_alone(Pair { here, .. }: Pair) {
    let others = awaited(lookup_of(&other_key(), 5));
    here.add_lookups(&[1, 2].map(lookup)).await;
    here.add_lookups(&[3, 4].map(interactive)).await;
    here.add_lookups(std::slice::from_ref(&others)).await;
    let first = ids(&here.claim(4, lease(1)).await);
    assert_eq!(first, [id(3), others.facts.id, id(4), id(1)]);
    here.add_lookups(&[interactive(6)]).await;
    assert_eq!(ids(&claim_interactive(&here, 9, lease(2)).await), [id(6)]);
    assert_eq!(claim_interactive(&here, 9, lease(3)).await, []);
    assert_eq!(ids(&here.claim(4, lease(4)).await), [id(2)]);
}

pub(super) async fn after_its_first_attempt_no_lookup_is_interactive(Pair { here, .. }: Pair) {
    here.add_lookups(&[interactive(1), interactive(2)]).await;
    assert_eq!(here.claim(9, lease(1)).await.len(), 2);
    assert!(here.ends(id(1), 1, soon(), wait(soon())).await);
    let given_back = untried(id(2), 1, soon(), wait(soon()));
    assert!(here.end_claim(&given_back).await);
    let claimed = claim_interactive(&here, 9, lease(2)).await;
    assert_eq!(ids(&claimed), [id(2)]);
    assert_eq!(ids(&here.claim(9, lease(3)).await), [id(1)]);
}
