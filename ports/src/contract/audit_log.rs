//! Contract of the audit log. The suites of the ports that write entries check their content.

use domain::audit::{AuditEntry, AuditFilter};
use domain::limits::Plan;

use super::fixture::*;
use super::paging;
use super::stores::{Pair, Stores};
use crate::outbound::KeyChange;

cases! {
    $ audit_log(Pair)
    self {
        entries_are_read_newest_first_page_by_page,
        entries_are_found_by_customer_and_by_key,
        entries_are_found_by_their_time,
        each_condition_narrows_the_list,
        entries_of_one_process_are_read_by_another,
    }
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

async fn found(stores: &Stores, filter: AuditFilter) -> Vec<u16> {
    acts(&stores.written(&filter).await)
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

async fn entries_are_found_by_customer_and_by_key(Pair { here, .. }: Pair) {
    written(&here).await;
    let of_customer = async |number| {
        let filter = AuditFilter {
            customer: Some(customer(number).id),
            ..AuditFilter::default()
        };
        found(&here, filter).await
    };
    assert_eq!(of_customer(1).await, [6, 5, 4, 3, 1]);
    assert_eq!(of_customer(2).await, [2]);
    assert_eq!(of_customer(3).await, [0; 0]);
    let of_key = async |number| acts(&here.written_about(record(number).key.id).await);
    assert_eq!(of_key(1).await, [6, 4, 3, 1]);
    assert_eq!(of_key(2).await, [2]);
    assert_eq!(of_key(3).await, [0; 0]);
}

async fn entries_are_found_by_their_time(Pair { here, .. }: Pair) {
    written(&here).await;
    let between = async |from: Option<u16>, to: Option<u16>| {
        let filter = AuditFilter {
            from: from.map(instant),
            to: to.map(instant),
            ..AuditFilter::default()
        };
        found(&here, filter).await
    };
    assert_eq!(between(Some(3), None).await, [6, 5, 4, 3]);
    assert_eq!(between(None, Some(3)).await, [2, 1]);
    assert_eq!(between(Some(2), Some(5)).await, [4, 3, 2]);
    assert_eq!(between(Some(3), Some(3)).await, [0; 0]);
    assert_eq!(between(Some(5), Some(2)).await, [0; 0]);
}

async fn each_condition_narrows_the_list(Pair { here, .. }: Pair) {
    written(&here).await;
    let filter = AuditFilter {
        customer: Some(customer(1).id),
        key: Some(record(1).key.id),
        from: Some(instant(2)),
        to: Some(instant(6)),
    };
    assert_eq!(found(&here, filter.clone()).await, [4, 3]);
    let anothers = AuditFilter {
        customer: Some(customer(2).id),
        ..filter
    };
    assert_eq!(found(&here, anothers).await, [0; 0]);
}

async fn entries_of_one_process_are_read_by_another(Pair { here, elsewhere }: Pair) {
    written(&here).await;
    let all = AuditFilter::default();
    assert_eq!(elsewhere.written(&all).await, here.written(&all).await);
    assert_eq!(found(&elsewhere, all).await.len(), 6);
}
