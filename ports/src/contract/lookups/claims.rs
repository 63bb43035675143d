//! Claims of due lookups.

use super::*;

async fn claim_interactive(stores: &Stores, most: u32, lease: Lease) -> Vec<ClaimedLookup> {
    let classes = ClaimedClasses::Interactive;
    let lookups = &stores.lookups;
    ok(lookups.claim_lookups(most, classes, soon(), lease)).await
}

pub(super) async fn a_claimed_lookup_is_running_under_its_lease(Pair { here, elsewhere }: Pair) {
    here.add_lookups(&[lookup(1)]).await;
    let running = StoredLookup {
        state: LookupState::Running,
        updated_at: soon(),
        due_at: Some(lease(1).until),
        ..queued(&lookup(1))
    };
    let expected = ClaimedLookup {
        lookup: running.clone(),
        attempts: Vec::new(),
    };
    assert_eq!(here.claim(1, lease(1)).await, [expected]);
    assert_eq!(elsewhere.kept(&lookup(1)).await, running);
    assert_eq!(elsewhere.claim(1, lease(2)).await, []);
}

pub(super) async fn nothing_is_claimed_before_it_is_due(Pair { here, .. }: Pair) {
    here.add_lookups(&[lookup(2), interactive(3)]).await;
    assert_eq!(here.claim_at(9, instant(1), lease(1)).await, []);
    let first = here.claim_at(9, instant(2), lease(2)).await;
    assert_eq!(ids(&first), [lookup(2).facts.id]);
    let second = here.claim_at(9, instant(3), lease(3)).await;
    assert_eq!(ids(&second), [lookup(3).facts.id]);
}

pub(super) async fn what_is_due_first_is_claimed_first(Pair { here, .. }: Pair) {
    here.add_lookups(&[4, 2, 5, 1, 3].map(lookup)).await;
    let [one, two, three, four, five] = [1, 2, 3, 4, 5].map(|number| lookup(number).facts.id);
    assert_eq!(ids(&here.claim(2, lease(1)).await), [one, two]);
    assert_eq!(ids(&here.claim(9, lease(2)).await), [three, four, five]);
}

pub(super) async fn no_more_is_claimed_than_wanted(Pair { here, .. }: Pair) {
    let others = [4, 5, 6].map(|number| awaited(lookup_of(&other_key(), number)));
    here.add_lookups(&[1, 2, 3].map(lookup)).await;
    here.add_lookups(&others).await;
    assert_eq!(here.claim(0, lease(1)).await, []);
    assert_eq!(here.claim(2, lease(2)).await.len(), 2);
    assert_eq!(here.claim(3, lease(3)).await.len(), 3);
    assert_eq!(here.claim(9, lease(4)).await.len(), 1);
}

pub(super) async fn what_has_ended_is_not_claimed(Pair { here, .. }: Pair) {
    here.tried(&lookup(1), deliver()).await;
    assert_eq!(here.claim_at(9, minutes(1_000), lease(2)).await, []);
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

pub(super) async fn interactive_lookups_are_claimed_first(Pair { here, .. }: Pair) {
    let others = awaited(lookup_of(&other_key(), 5));
    here.add_lookups(&[lookup(1), lookup(2), interactive(3), interactive(4)])
        .await;
    here.add_lookups(std::slice::from_ref(&others)).await;
    let first = ids(&here.claim(4, lease(1)).await);
    let [one, three, four] = [1, 3, 4].map(|number| lookup(number).facts.id);
    assert_eq!(first, [three, others.facts.id, four, one]);
    assert_eq!(ids(&here.claim(4, lease(2)).await), [lookup(2).facts.id]);
}

pub(super) async fn interactive_lookups_alone_are_claimed_on_request(Pair { here, .. }: Pair) {
    here.add_lookups(&[lookup(1), interactive(2)]).await;
    let claimed = claim_interactive(&here, 9, lease(1)).await;
    assert_eq!(ids(&claimed), [lookup(2).facts.id]);
    assert_eq!(claim_interactive(&here, 9, lease(2)).await, []);
}

pub(super) async fn after_its_first_attempt_no_lookup_is_interactive(Pair { here, .. }: Pair) {
    here.add_lookups(&[interactive(1), interactive(2)]).await;
    assert_eq!(here.claim(9, lease(1)).await.len(), 2);
    let [tried, given_back] = [1, 2].map(|number| lookup(number).facts.id);
    assert!(here.ends(tried, 1, soon(), wait(soon())).await);
    let untried = super::ClaimEnd {
        attempt: None,
        ..super::end(given_back, 1, soon(), wait(soon()))
    };
    assert!(here.end_claim(&untried).await);
    let claimed = claim_interactive(&here, 9, lease(2)).await;
    assert_eq!(ids(&claimed), [given_back]);
    assert_eq!(ids(&here.claim(9, lease(3)).await), [tried]);
}
