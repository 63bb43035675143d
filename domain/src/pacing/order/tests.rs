//! Order of turns, against a log of who was served.

use proptest::collection::vec;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn lane(customer: u8, key: u8, class: LookupClass) -> Lane {
    Lane {
        customer: CustomerId(Uuid::from_u128(customer.into())),
        key: CounterId(Uuid::from_u128(
            (u128::from(customer) << 8) + u128::from(key),
        )),
        class,
    }
}

const fn interactive(customer: u8, key: u8) -> (u8, u8, LookupClass) {
    (customer, key, LookupClass::Interactive)
}

const fn background(customer: u8) -> (u8, u8, LookupClass) {
    (customer, 0, LookupClass::Background)
}

/// An order in which these lookups arrived; each is named by its place there.
fn arrived(lookups: &[(u8, u8, LookupClass)]) -> TurnOrder<usize> {
    let mut order = TurnOrder::default();
    for (number, (customer, key, class)) in lookups.iter().enumerate() {
        order.push(lane(*customer, *key, *class), number);
    }
    order
}

fn served(mut order: TurnOrder<usize>) -> Vec<usize> {
    std::iter::from_fn(|| order.pop()).collect()
}

#[test]
fn customers_take_turns_then_keys_and_a_key_is_first_in_first_out() {
    let greedy = [interactive(1, 1); 4];
    let other_key = [interactive(1, 2); 2];
    let modest = [interactive(2, 1); 2];
    let lookups = [&greedy[..], &other_key, &modest].concat();
    assert_eq!(served(arrived(&lookups)), [0, 6, 4, 7, 1, 5, 2, 3]);
}

#[test]
fn every_fifth_turn_is_backgrounds_while_both_wait() {
    let lookups = [vec![interactive(1, 1); 9], vec![background(2); 4]].concat();
    let classes: String = served(arrived(&lookups))
        .into_iter()
        .map(|number| if number < 9 { 'i' } else { 'b' })
        .collect();
    assert_eq!(classes, "iiiibiiiibibb");
}

#[test]
fn background_lookups_alone_have_every_turn() {
    assert_eq!(served(arrived(&[background(1); 3])), [0, 1, 2]);
}

#[test]
fn who_comes_back_stands_behind_those_who_wait() {
    let mut order = arrived(&[interactive(1, 1), interactive(2, 1), interactive(3, 1)]);
    assert_eq!(order.pop(), Some(0));
    order.push(lane(1, 1, LookupClass::Interactive), 3);
    assert_eq!(served(order), [1, 2, 3]);
}

fn lookup() -> impl Strategy<Value = (u8, u8, LookupClass)> {
    let class = prop_oneof![
        3 => Just(LookupClass::Interactive),
        1 => Just(LookupClass::Background),
    ];
    (0_u8..5, 0_u8..3, class)
}

/// Lookups that arrive, and the number of turns after them.
type Round = (Vec<(u8, u8, LookupClass)>, usize);

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    vec((vec(lookup(), 0..12), 0_usize..10), 1..8)
}

proptest! {
    #[test]
    fn the_number_of_turns_before_a_lookup_is_what_it_is_told(rounds in rounds()) {
        let mut order = TurnOrder::default();
        let mut waiting: Vec<(usize, Lane)> = Vec::new();
        let mut number = 0;
        for (arrivals, turns) in rounds {
            for (customer, key, class) in arrivals {
                let lane = lane(customer, key, class);
                let told = order.turns_before(lane, order.lane_len(lane));
                order.push(lane, number);
                let place = order.place(lane, &number).unwrap();
                prop_assert_eq!(order.turns_before(lane, place), told);
                waiting.push((number, lane));
                number += 1;
            }
            let promised: Vec<_> = waiting
                .iter()
                .map(|(number, lane)| {
                    let place = order.place(*lane, number).unwrap();
                    (order.turns_before(*lane, place), *number)
                })
                .collect();
            for turn in 0..turns {
                let next = order.next().copied();
                prop_assert_eq!(order.pop(), next);
                let expected = promised.iter().find(|(place, _)| *place == turn);
                prop_assert_eq!(next, expected.map(|(_, number)| *number));
                waiting.retain(|(number, _)| Some(*number) != next);
            }
            let length = order.len();
            let total = usize::try_from(length.interactive + length.background).unwrap();
            prop_assert_eq!(total, waiting.len());
        }
    }

    /// Each customer that waits all the time gets its turn within one round of its class, whatever
    /// the others have waiting.
    #[test]
    fn no_customer_is_served_twice_while_another_one_waits(lookups in vec(lookup(), 1..60)) {
        let order = arrived(&lookups);
        let mut waiting: Vec<_> = lookups.iter().copied().enumerate().collect();
        let mut since: Vec<(LookupClass, u8)> = Vec::new();
        for number in served(order) {
            let (customer, _, class) = lookups[number];
            waiting.retain(|(other, _)| *other != number);
            let again = since.iter().rposition(|turn| *turn == (class, customer));
            if let Some(again) = again {
                let served: Vec<_> = since[again..].to_vec();
                for (_, (other, _, other_class)) in &waiting {
                    prop_assert!(
                        *other_class != class || served.contains(&(class, *other)),
                        "{other} waits while {customer} is served again"
                    );
                }
            }
            since.push((class, customer));
        }
    }

    #[test]
    fn a_lookup_that_leaves_changes_the_order_of_no_other_customer(
        lookups in vec(lookup(), 2..40),
        leaver in any::<prop::sample::Index>(),
    ) {
        let leaver = leaver.index(lookups.len());
        let (customer, key, class) = lookups[leaver];
        let mut order = arrived(&lookups);
        prop_assert_eq!(order.remove(lane(customer, key, class), &leaver), Some(leaver));
        prop_assert_eq!(order.remove(lane(customer, key, class), &leaver), None);
        let of_others = |served: Vec<usize>| -> Vec<usize> {
            let is_other = |number: &usize| lookups[*number].0 != customer;
            let is_class = |number: &usize| lookups[*number].2 == class;
            served.into_iter().filter(is_other).filter(is_class).collect()
        };
        prop_assert_eq!(of_others(served(order)), of_others(served(arrived(&lookups))));
    }
}
