//! Turns of customers at claims.

use super::*;

/// The numbers of the customers whose lookups were claimed.
async fn claim(stores: &Stores, most: u32, token: u128) -> Vec<u16> {
    let claimed = stores.claim(most, lease(token)).await;
    claimed.iter().map(owner).collect()
}

fn owner(claimed: &ClaimedLookup) -> u16 {
    let owner: CustomerId = claimed.lookup.facts.customer;
    let number = (1..10).find(|number| customer(*number).id == owner);
    number.expect("a customer of the suite")
}

/// Adds lookups of the first customer, then of the second, and so on.
async fn filled(stores: &Stores, numbers: &[u16]) {
    let mut next = 0;
    for (of_customer, lookups) in (1..).zip(numbers) {
        for _ in 0..*lookups {
            stores.add_lookups(&[of(of_customer, next)]).await;
            next += 1;
        }
    }
}

pub(super) async fn customers_take_turns_within_and_over_claims(Pair { here, elsewhere }: Pair) {
    filled(&here, &[8, 8, 8]).await;
    let mut claimed = Vec::new();
    let rounds = (1..).zip([7, 4, 4, 1, 4, 9]);
    for ((round, most), stores) in rounds.zip([&here, &elsewhere].into_iter().cycle()) {
        claimed.extend(claim(stores, most, round).await);
    }
    assert_eq!(claimed, [1, 2, 3].repeat(8));
}

pub(super) async fn a_customer_whose_lookups_are_exhausted_leaves_its_turns_to_the_others(
    Pair { here, .. }: Pair,
) {
    filled(&here, &[9, 1, 2]).await;
    let claimed = claim(&here, 9, 1).await;
    assert_eq!(claimed, [1, 2, 3, 1, 3, 1, 1, 1, 1]);
}

pub(super) async fn a_customer_whose_turn_never_came_is_first(Pair { here, .. }: Pair) {
    filled(&here, &[5]).await;
    assert_eq!(claim(&here, 2, 1).await, [1, 1]);
    here.add_lookups(&[of(2, 100)]).await;
    assert_eq!(claim(&here, 2, 2).await, [2, 1]);
    here.add_lookups(&[of(2, 101), of(3, 102)]).await;
    assert_eq!(claim(&here, 3, 3).await, [3, 2, 1]);
}

pub(super) async fn an_interactive_lookup_is_a_turn_too(Pair { here, .. }: Pair) {
    filled(&here, &[2, 2]).await;
    here.add_lookups(&[awaited(of(1, 100))]).await;
    let claimed = here.claim(3, lease(1)).await;
    let claimed: Vec<LookupId> = super::ids(&claimed);
    let expected = [of(1, 100), of(2, 2), of(1, 0)].map(|lookup| lookup.facts.id);
    assert_eq!(claimed, expected);
}
