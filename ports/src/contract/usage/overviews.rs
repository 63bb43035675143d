//! Keys and customers with their use of a month.

use super::*;

fn november() -> Month {
    Month::of(noon())
}

fn december() -> Month {
    Month::of(at("12-01T00:00:00"))
}

/// Two requests of the first key, one of which is refunded, and one of each other key; and one of
/// the next month.
async fn used(under_test: &JournalUnderTest, keys: &Keys) {
    let Keys {
        one,
        two,
        neighbours,
    } = keys;
    for (key, month) in [
        (one, november()),
        (one, november()),
        (one, december()),
        (two, november()),
        (neighbours, november()),
    ] {
        let admission = AdmissionEntry {
            key: key.id,
            month,
            at: noon(),
        };
        let receipt = under_test.journal.admit(admission);
        receipt.await.expect("the admission becomes durable");
    }
    let failed = RequestEntry {
        outcome: Outcome::BankUnavailable,
        refund: Some(november()),
        ..request(1, one, noon())
    };
    under_test.concluded([failed]).await;
}

fn use_of(charged: u64, refunded: u64) -> MonthlyUse {
    MonthlyUse { charged, refunded }
}

pub(super) async fn a_key_is_shown_with_the_use_of_its_counters(under_test: JournalUnderTest) {
    let keys = under_test.three_keys().await;
    used(&under_test, &keys).await;
    let stores = &under_test.stores;
    let assert_shown = async |id, month, used| {
        let key = stores.found(id).await;
        let scope = Scope::Of(key.customer);
        let found = ok(stores.keys.find(scope, id, month)).await;
        let expected = KeyOverview { key, month, used };
        assert_eq!(found.as_ref(), Some(&expected));
        let listed = ok(stores.keys.list(scope, month, &everything()))
            .await
            .items;
        let mut listed = listed.iter().map(|(_, listed)| listed);
        assert!(listed.any(|listed| *listed == expected), "{expected:?}");
    };
    for (key, in_november, in_december) in [
        (&keys.one, use_of(2, 1), use_of(1, 0)),
        (&keys.two, use_of(1, 0), use_of(0, 0)),
    ] {
        assert_shown(key.id, november(), in_november).await;
        assert_shown(key.id, december(), in_december).await;
    }
    // A successor continues the month, and was not used itself.
    let Rotation { old, new } = rotated(stores, keys.one.id, 9, noon()).await;
    assert!(old.last_used_at.is_some(), "what it used stays its own");
    assert_eq!(new.last_used_at, None);
    assert_eq!(stores.found(new.id).await, new);
    for key in [old, new] {
        assert_shown(key.id, november(), use_of(2, 1)).await;
    }
}

pub(super) async fn a_customer_is_shown_with_the_use_of_its_keys(under_test: JournalUnderTest) {
    let keys = under_test.three_keys().await;
    used(&under_test, &keys).await;
    let stores = &under_test.stores;
    stores.enrolled(3).await;
    let shown = async |month| {
        let page = stores.customers.customers(None, month, &page_of(10)).await;
        let items = page.expect("the list is read").items.into_iter();
        let items = items.map(|(_, shown)| {
            assert_eq!(shown.month, month);
            (shown.customer.owner.subject, shown.active_keys, shown.used)
        });
        items.collect::<Vec<_>>()
    };
    let expected = |first, active_keys, second| {
        [
            ("subject-3".to_owned(), 0, use_of(0, 0)),
            ("subject-2".to_owned(), 1, second),
            ("subject-1".to_owned(), active_keys, first),
        ]
    };
    let in_november = |active_keys| expected(use_of(3, 1), active_keys, use_of(1, 0));
    assert_eq!(shown(november()).await, in_november(2));
    let in_december = expected(use_of(1, 0), 2, use_of(0, 0));
    assert_eq!(shown(december()).await, in_december);
    // A key's use stays when it is revoked.
    stores.changed(keys.one.id, KeyChange::Revoke, 9).await;
    assert_eq!(shown(november()).await, in_november(1));
}
