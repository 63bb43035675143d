//! Filters of lists of keys.

use super::*;

/// The numbers of the matching keys; the list's total equals their count, if it is given.
async fn passing(stores: &Stores, scope: Scope, filter: KeyFilter) -> Vec<u16> {
    let query = KeyQuery {
        filter,
        ..everything()
    };
    let page = ok(stores.keys.list(scope, month(), &query)).await;
    let total = page.total;
    assert!(
        total.is_none_or(|total| total == page.items.len() as u64),
        "{total:?}"
    );
    let numbers = page.items.iter().map(|(_, item)| {
        let number = (0..1_000).find(|number| record(*number).key.id == item.key.id);
        number.expect("a key of the suite")
    });
    numbers.collect()
}

/// The numbers of the first customer's keys that match a text.
async fn found(stores: &Stores, text: &str) -> Vec<u16> {
    passing(stores, Scope::Of(first()), with(text)).await
}

fn first() -> CustomerId {
    customer(1).id
}

fn with(text: &str) -> KeyFilter {
    KeyFilter {
        text: Some(text.to_owned()),
        ..KeyFilter::default()
    }
}

pub(super) async fn keys_are_listed_by_status_and_environment(Pair { here, .. }: Pair) {
    for number in 1..=4 {
        here.added(number).await;
    }
    let id = |number| record(number).key.id;
    here.changed(id(2), KeyChange::Revoke, 10).await;
    rotated(&here, id(3), 5, instant(500)).await;
    // Rotated without grace: revoked, and not retiring.
    rotated(&here, id(4), 6, instant(6)).await;
    let of = async |environment, statuses: &[KeyStatus]| {
        let filter = KeyFilter {
            environment,
            statuses: statuses.to_vec(),
            text: None,
        };
        passing(&here, Scope::Everybody, filter).await
    };
    assert_eq!(of(None, &[KeyStatus::Active]).await, [1, 5, 6]);
    assert_eq!(of(None, &[KeyStatus::Retiring]).await, [3]);
    assert_eq!(of(None, &[KeyStatus::Revoked]).await, [2, 4]);
    let either = [KeyStatus::Revoked, KeyStatus::Retiring];
    assert_eq!(of(None, &either).await, [2, 3, 4]);
    assert_eq!(of(None, &[]).await, [1, 2, 3, 4, 5, 6]);
    assert_eq!(of(Some(Environment::Live), &[]).await, [2, 4, 6]);
    assert_eq!(of(Some(Environment::Test), &[]).await, [1, 3, 5]);
}

pub(super) async fn a_text_is_found_in_names_and_where_prefixes_begin(Pair { here, .. }: Pair) {
    called(&here, 1, "Caja Norte").await;
    called(&here, 2, "la caja del señor Ñandú").await;
    called(&here, 3, "'; DROP TABLE api_keys; --").await;
    for (text, expected) in [
        ("caja", vec![1, 2]),
        ("CAJA", vec![1, 2]),
        ("Caja N", vec![1]),
        ("norte", vec![1]),
        ("señor Ñandú", vec![2]),
        ("'; DROP", vec![3]),
        ("sur", vec![]),
        (prefix(2).as_str(), vec![2]),
        ("cep_test_", vec![1, 3]),
        ("CEP_TEST_suite003", vec![3]),
        // The end of one.
        ("Suite003", vec![]),
    ] {
        assert_eq!(found(&here, text).await, expected, "{text}");
    }
}

pub(super) async fn wildcards_are_characters_like_others(Pair { here, .. }: Pair) {
    for (number, text) in [
        (1, "100% rojo"),
        (2, "100 rojo"),
        (3, "a_b"),
        (4, "axb"),
        (5, r"a\b"),
        (6, "a*b?c[d]"),
        (7, "ab"),
    ] {
        called(&here, number, text).await;
    }
    for (text, expected) in [
        ("%", vec![1]),
        ("100%", vec![1]),
        ("0%r", vec![]),
        ("a_b", vec![3]),
        (r"\", vec![5]),
        (r"a\", vec![5]),
        (r"\%", vec![]),
        (r"\_", vec![]),
        ("*", vec![6]),
        ("?", vec![6]),
        ("[d]", vec![6]),
        // In prefixes, the underscore alone is one of their characters.
        ("cep%", vec![]),
        ("cep_test", vec![1, 3, 5, 7]),
        ("cep__est", vec![]),
    ] {
        assert_eq!(found(&here, text).await, expected, "{text}");
    }
}

pub(super) async fn each_condition_narrows_the_list_within_its_scope(Pair { here, .. }: Pair) {
    for (number, text) in [(1, "caja"), (2, "caja"), (3, "caja"), (4, "banco")] {
        called(&here, number, text).await;
    }
    here.changed(record(3).key.id, KeyChange::Revoke, 10).await;
    let other = here.enrolled(2).await;
    let mut anothers = record_of(&other, 5);
    anothers.key.name = name("caja");
    here.insert(anothers, 5).await;
    let narrow = KeyFilter {
        statuses: vec![KeyStatus::Active],
        environment: Some(Environment::Test),
        text: Some("caja".to_owned()),
    };
    let (own, everybody) = (Scope::Of(first()), Scope::Everybody);
    for (scope, filter, expected) in [
        (everybody, narrow.clone(), &[1, 5][..]),
        // A text is searched within the scope alone, in all columns.
        (own, narrow, &[1]),
        (own, with(prefix(5).as_str()), &[]),
        (everybody, with("subject-"), &[1, 2, 3, 4, 5]),
        (everybody, with("SUBJECT-2"), &[5]),
        (everybody, with("subject_2"), &[]),
        (own, with("subject-1"), &[]),
    ] {
        let found = passing(&here, scope, filter.clone()).await;
        assert_eq!(found, expected, "{filter:?}");
    }
}
