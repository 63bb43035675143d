//! Contract of the audit log. The suites of the ports that write entries check their content.

use domain::audit::{AuditEntry, AuditFilter};
use domain::limits::Plan;

use super::fixture::*;
use super::paging;
use super::stores::{Pair, Stores};
use crate::outbound::KeyChange;

cases! {
    $ audit_log(Pair)
    self::entries_are_read_newest_first_page_by_page,
    self::entries_are_found_by_customer_key_and_time,
}

/// Two customers create a key each, one of which is changed; each mutation writes one entry.
async fn written(stores: &Stores) {
    let (one, two) = (stores.enrolled(1).await, stores.enrolled(2).await);
    stores.insert(record_of(&one, 1), 1).await;
    stores.insert(record_of(&two, 2), 2).await;
    let (minute, month) = (per_minute(7), monthly_quota(None));
    let key = record(1).key.id;
    stores.changed(key, KeyChange::SetLimits(minute), 3).await;
    stores.changed(key, KeyChange::SetLimits(month), 4).await;
    stores.set_plan(one.id, Plan::Enterprise, 5).await;
    stores.changed(key, KeyChange::Revoke, 6).await;
}

/// The numbers of the mutations behind the entries, in order.
fn acts<'a>(entries: impl IntoIterator<Item = &'a AuditEntry>) -> Vec<u16> {
    let number = |entry: &AuditEntry| {
        let number = (0..1_000).find(|number| act(*number) == entry.act);
        number.expect("an act of the suite")
    };
    entries.into_iter().map(number).collect()
}

async fn entries_are_read_newest_first_page_by_page(Pair { here, .. }: Pair) {
    let all = AuditFilter::default();
    here.enrolled(1).await;
    assert_eq!(here.written(&all).await, []);
    written(&here).await;
    let read = async |page| here.audit.audit(&all, &page).await;
    let number = |entry| acts([&entry])[0];
    paging::assert_is_paged(&[6, 5, 4, 3, 2, 1], number, read).await;
    // A page begins after the previous one, whatever was added since.
    let end = paging::end_of(page_of(2), read).await;
    here.added(7).await;
    let rest = paging::walk(page_after(end, 3), read).await;
    assert_eq!(acts(&rest), [4, 3, 2, 1]);
}

async fn entries_are_found_by_customer_key_and_time(Pair { here, elsewhere }: Pair) {
    written(&here).await;
    let of = |number, key: Option<u16>| AuditFilter {
        customer: Some(customer(number).id),
        key: key.map(|key| record(key).key.id),
        ..AuditFilter::default()
    };
    let of_key = |number| AuditFilter {
        key: Some(record(number).key.id),
        ..AuditFilter::default()
    };
    let between = |from: Option<u16>, to: Option<u16>, filter: AuditFilter| AuditFilter {
        from: from.map(instant),
        to: to.map(instant),
        ..filter
    };
    let any = AuditFilter::default;
    for (filter, expected) in [
        (any(), &[6, 5, 4, 3, 2, 1][..]),
        (of(1, None), &[6, 5, 4, 3, 1]),
        (of(2, None), &[2]),
        (of(3, None), &[]),
        (of_key(1), &[6, 4, 3, 1]),
        (of_key(2), &[2]),
        (of_key(3), &[]),
        (between(Some(3), None, any()), &[6, 5, 4, 3]),
        (between(None, Some(3), any()), &[2, 1]),
        (between(Some(2), Some(5), any()), &[4, 3, 2]),
        (between(Some(3), Some(3), any()), &[]),
        (between(Some(5), Some(2), any()), &[]),
        (between(Some(2), Some(6), of(1, Some(1))), &[4, 3]),
        (between(Some(2), Some(6), of(2, Some(1))), &[]),
    ] {
        for stores in [&here, &elsewhere] {
            let found = acts(&stores.written(&filter).await);
            assert_eq!(found, expected, "{filter:?}");
        }
    }
}
