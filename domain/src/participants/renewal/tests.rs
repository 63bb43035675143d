//! Lists that renew a catalogue, and lists that are damaged.

use chrono::Days;
use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::fixture::{code, day};

fn listed(code: &str, name: &str) -> ListedParticipant {
    ListedParticipant::parse(code, name).unwrap()
}

/// The list of the embedded catalogue on a day.
fn list(date: &str) -> Vec<ListedParticipant> {
    let participants = Catalogue::embedded().on(day(date));
    participants
        .map(|participant| listed(&participant.code.to_string(), &participant.name))
        .collect()
}

fn without(codes: &[&str]) -> Vec<ListedParticipant> {
    let mut list = list("2026-11-20");
    list.retain(|entry| !codes.contains(&entry.code.to_string().as_str()));
    list
}

fn renewed(list: &[ListedParticipant]) -> Result<Renewal, DamagedList> {
    Catalogue::embedded().renewed(list, day("2026-11-20"))
}

#[test]
fn the_same_list_changes_nothing_but_the_date() {
    let renewal = renewed(&list("2026-11-20")).unwrap();
    assert_eq!(renewal.catalogue.as_of(), day("2026-11-20"));
    assert_eq!((renewal.added.len(), renewal.removed.len()), (0, 0));
    let participants = Catalogue::embedded().participants().len();
    assert_eq!(renewal.catalogue.participants().len(), participants);
}

#[test]
fn who_left_is_known_for_earlier_days_alone() {
    let renewal = renewed(&without(&["40143"])).unwrap();
    assert_eq!(renewal.removed, [code("40143")]);
    let holder = |date| renewal.catalogue.by_clabe_prefix("143", day(date));
    assert!(holder("2026-11-19").is_some());
    assert_eq!(holder("2026-11-20"), None);
    assert!(renewal.catalogue.find(code("40143")).is_some());
}

#[test]
fn a_newcomer_takes_part_from_an_unknown_day_on() {
    let mut list = list("2026-11-20");
    list.push(listed("90799", "NUEVA"));
    let renewal = renewed(&list).unwrap();
    assert_eq!(renewal.added, [code("90799")]);
    let holder = |date| renewal.catalogue.by_clabe_prefix("799", day(date)).unwrap();
    let newcomer = holder("2026-11-20");
    assert_eq!([newcomer.code, newcomer.institution], [code("90799"); 2]);
    assert_eq!(newcomer.name, "NUEVA");
    assert!(newcomer.is_certain_on(day("2026-11-20")));
    assert!(!holder("2026-11-19").is_certain_on(day("2026-11-19")));
}

#[test]
fn a_new_code_with_a_known_prefix_is_of_the_same_institution() {
    // While both codes are listed the newer one holds the prefix.
    for mut list in [without(&["90646"]), list("2026-11-20")] {
        list.push(listed("40646", "STP BANCO"));
        let catalogue = renewed(&list).unwrap().catalogue;
        let institution = catalogue.institution(code("40646"));
        assert_eq!(institution, catalogue.institution(code("90646")));
        for (date, expected) in [("2026-11-19", "90646"), ("2026-11-20", "40646")] {
            let holder = catalogue.by_clabe_prefix("646", day(date)).unwrap();
            assert_eq!(holder.code, code(expected));
        }
    }
}

#[test]
fn a_single_list_that_lacked_somebody_leaves_no_gap() {
    let gap = renewed(&without(&["40012"])).unwrap().catalogue;
    let renewal = gap.renewed(&list("2026-11-20"), day("2026-11-21")).unwrap();
    assert_eq!(renewal.added, [code("40012")]);
    for date in ["2026-11-19", "2026-11-20", "2026-11-21"] {
        let holder = renewal.catalogue.by_clabe_prefix("012", day(date));
        assert!(holder.is_some(), "{date}");
    }
}

#[test]
fn a_changed_name_is_taken_over() {
    let mut list = without(&["40012"]);
    list.push(listed("40012", "BBVA"));
    let catalogue = renewed(&list).unwrap().catalogue;
    assert_eq!(catalogue.find(code("40012")).unwrap().name, "BBVA");
}

#[test]
fn a_damaged_list_is_refused() {
    let whole = list("2026-11-20");
    let refused = |list: &[_]| renewed(list).unwrap_err();
    let entries = LEAST_PARTICIPANTS - 1;
    let few = DamagedList::TooFew { entries };
    assert_eq!(refused(&whole[..entries]), few);
    let missing = MOST_REMOVED + 1;
    let shortened = DamagedList::TooManyMissing { missing };
    assert_eq!(refused(&whole[missing..]), shortened);
    let twice = [&whole[..1], &whole].concat();
    let code = whole[0].code;
    assert_eq!(refused(&twice), DamagedList::Repeated { code });
    let as_of = Catalogue::embedded().as_of();
    let earlier = Catalogue::embedded().renewed(&whole, as_of.pred_opt().unwrap());
    assert_eq!(earlier, Err(DamagedList::Outdated { as_of }));
}

#[rstest]
#[case::no_code("4001", "BANCO")]
#[case::a_letter("4001O", "BANCO")]
#[case::no_name("40012", " ")]
#[case::a_control_character("40012", "BAN\u{0}CO")]
#[case::html("40012", "<html><body>Lo sentimos, por el momento no")]
fn a_damaged_entry_is_refused(#[case] code: &str, #[case] name: &str) {
    assert_eq!(ListedParticipant::parse(code, name), None);
}

proptest! {
    /// Whatever a list says, those who certainly took part on earlier days stay the same, and each entry
    /// takes part.
    #[test]
    fn a_renewal_changes_no_earlier_day(
        gone in prop::collection::hash_set(0_usize..90, 0..MOST_REMOVED),
        newcomers in prop::collection::hash_set(700_u32..800, 0..5),
        days in 0_u64..4_000,
    ) {
        let date = day("2026-09-11") + Days::new(days);
        let catalogue = Catalogue::embedded();
        let mut list: Vec<_> = catalogue
            .on(date)
            .enumerate()
            .filter(|(place, _)| !gone.contains(place))
            .map(|(_, participant)| listed(&participant.code.to_string(), "X"))
            .collect();
        list.extend(newcomers.iter().map(|number| listed(&format!("99{number}"), "Y")));
        let renewed = catalogue.renewed(&list, date).unwrap().catalogue;
        let on = |catalogue: &Catalogue, date| {
            let certain = catalogue.on(date).filter(|one| one.is_certain_on(date));
            let mut codes: Vec<_> = certain.map(|one| one.code).collect();
            codes.sort();
            codes
        };
        for earlier in [day("2019-01-01"), day("2026-08-04"), date.pred_opt().unwrap()] {
            prop_assert_eq!(on(&renewed, earlier), on(catalogue, earlier));
        }
        let mut expected: Vec<_> = list.iter().map(|entry| entry.code).collect();
        expected.sort();
        prop_assert_eq!(on(&renewed, date), expected);
        let read = Catalogue::from_csv(&renewed.to_csv(), date);
        prop_assert_eq!(read.as_ref(), Ok(&renewed));
    }
}
