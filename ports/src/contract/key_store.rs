//! Contract of the key store.

use std::fmt::Debug;

use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{
    Action, AuditContext, AuditEntry, AuditFilter, FieldChange, creation, difference,
};
use domain::keys::{
    ApiKey, BoundReached, CountedKey, Credential, Environment, HashGeneration, KeyBounds,
    KeyFilter, KeyId, KeyOverview, KeyPrefix, KeyQuery, KeySort, KeyStatus, MOST_NEW_KEYS,
    NEW_KEYS_SPAN, RevokedKeys,
};
use domain::limits::{LimitsChange, MonthlyUse, Plan};
use domain::month::Month;
use domain::page::{Cursor, Direction, Page, PageRequest, PageSize};
use domain::people::customer::{Customer, CustomerId};
use uuid::Uuid;

use super::fixture::*;
use super::ok;
use super::paging;
use super::stores::{Pair, Stores, keys_of};
use crate::outbound::*;

mod bound;
mod change;
mod charge;
mod feed;
mod filters;
mod listing;
mod rotation;
mod scope;

pub(super) use rotation::rotated;

cases! {
    $ key_store(Pair)
    self::an_empty_store_knows_nothing,
    self::a_new_key_is_found_as_it_was_added_and_writes_an_entry,
    self::the_credentials_of_active_keys_are_returned_newest_first,
    self::a_prefix_belongs_to_one_key,
    self::of_many_concurrent_keys_with_one_prefix_one_is_added,
    self::a_customers_keys_are_returned_newest_first,
    change::each_change_sets_its_fields_and_writes_an_entry,
    change::limits_changed_at_the_same_time_are_both_changed,
    change::a_revoked_key_stays_revoked_and_can_still_be_verified,
    bound::a_customer_has_no_more_active_keys_than_its_plan_allows,
    bound::a_customer_adds_no_more_keys_in_an_hour_than_allowed,
    bound::of_many_concurrent_new_keys_as_many_are_added_as_there_is_room_for,
    bound::of_many_concurrent_new_keys_of_an_hour_exactly_the_bound_is_added,
    charge::a_charge_is_counted_and_returned,
    charge::no_more_is_charged_than_the_quota_leaves,
    charge::of_many_concurrent_charges_exactly_the_quota_succeeds,
    charge::revoked_and_unknown_keys_are_charged_nothing,
    charge::a_charge_is_a_use_to_the_minute,
    charge::many_keys_are_read_at_once,
    charge::a_key_and_its_successors_have_one_month,
    charge::of_concurrent_charges_of_a_key_and_its_successor_exactly_the_quota_succeeds,
    feed::changes_come_in_order_with_the_current_state,
    feed::a_new_key_is_a_change_with_its_credential,
    feed::a_thousand_changes_come_at_once_and_the_rest_after,
    feed::changes_made_at_the_same_time_have_a_number_each,
    listing::pages_of_any_size_give_each_key_once_in_order,
    listing::a_page_begins_after_the_previous_one_despite_changes,
    listing::a_page_by_name_begins_after_a_key_that_moved,
    filters::keys_are_listed_by_status_and_environment,
    filters::a_text_is_found_in_names_and_where_prefixes_begin,
    filters::wildcards_are_characters_like_others,
    filters::each_condition_narrows_the_list_within_its_scope,
    scope::a_customer_finds_and_lists_its_own_keys_alone,
    scope::unknown_and_foreign_keys_are_not_changed_or_rotated,
    rotation::a_successor_has_the_name_and_the_limits,
    rotation::a_retiring_key_works_until_it_is_due,
    rotation::a_key_without_grace_is_revoked_in_the_same_step,
    rotation::a_rotation_writes_an_entry_for_each_of_the_two,
    rotation::a_hundred_keys_are_due_at_once_and_the_rest_after,
    rotation::a_key_has_one_successor_and_a_revoked_one_none,
    rotation::of_many_concurrent_rotations_of_one_key_one_succeeds,
    rotation::a_taken_prefix_leaves_the_old_key_as_it_was,
}

/// A query for everybody's keys, the oldest first, on one page.
pub(super) fn everything() -> KeyQuery {
    KeyQuery {
        filter: KeyFilter::default(),
        order: KeySort::Created,
        direction: Direction::Ascending,
        page: PageRequest::first(PageSize::MAX),
    }
}

/// The keys on the requested page of a list.
async fn listed(stores: &Stores, scope: Scope, query: &KeyQuery) -> Vec<ApiKey> {
    let items = ok(stores.keys.list(scope, month(), query)).await.items;
    items.into_iter().map(|(_, item)| item.key).collect()
}

/// The first page of a customer's keys.
async fn of_customer(stores: &Stores, customer: CustomerId, revoked: RevokedKeys) -> Vec<ApiKey> {
    let first = PageRequest::first(PageSize::MAX);
    let page = stores.keys.of_customer(customer, revoked, &first).await;
    let items = page.expect("the list is read").items;
    items.into_iter().map(|(_, key)| key).collect()
}

/// Adds a key with this name, owned by the first customer.
async fn called(stores: &Stores, number: u16, text: &str) -> ApiKey {
    stores.enrolled(1).await;
    let mut record = record(number);
    record.key.name = name(text);
    stores.insert(record, number).await
}

fn entry(act: AuditContext, action: Action, key: &ApiKey, changes: Vec<FieldChange>) -> AuditEntry {
    AuditEntry {
        act,
        action,
        customer: key.customer,
        key: Some(key.id),
        changes,
    }
}

/// A change of the limit of a minute.
fn to(per_minute: u32) -> KeyChange {
    KeyChange::SetLimits(limits(per_minute, None).into())
}

fn once(charged: u64) -> MonthlyUse {
    MonthlyUse {
        charged,
        refunded: 0,
    }
}

/// Returns `true` for a success, and `false` for this refusal.
#[track_caller]
fn succeeds<T, E: Debug>(answer: Result<T, E>, is_refusal: impl Fn(&E) -> bool) -> bool {
    let Err(error) = answer else { return true };
    assert!(is_refusal(&error), "{error:?}");
    false
}

impl Stores {
    /// All keys, the number of the newest change, and the audit log: what a refused call leaves as
    /// it was.
    pub(super) async fn contents(&self) -> (Vec<ApiKey>, ChangeNumber, Vec<AuditEntry>) {
        let keys = listed(self, Scope::Everybody, &everything()).await;
        let written = self.written(&AuditFilter::default()).await;
        (keys, self.newest_change().await, written)
    }

    /// A key as it is shown, with its use of a month.
    pub(super) async fn overview(&self, id: KeyId, month: Month) -> KeyOverview {
        let found = ok(self.keys.find(Scope::Everybody, id, month)).await;
        found.expect("the key is there")
    }
}

async fn an_empty_store_knows_nothing(Pair { here, .. }: Pair) {
    let KeyRecord { key, .. } = record(1);
    let keys = &here.keys;
    assert!(ok(keys.is_empty()).await);
    assert_eq!(here.contents().await, (vec![], ChangeNumber(0), vec![]));
    let own = of_customer(&here, key.customer, RevokedKeys::Included).await;
    assert_eq!(own, []);
    assert_eq!(ok(keys.find(Scope::Everybody, key.id, month())).await, None);
    assert_eq!(ok(keys.credential(&key.prefix)).await, None);
    assert_eq!(ok(keys.snapshot(key.id, month())).await, None);
    assert_eq!(ok(keys.due(instant(u16::MAX))).await, []);
    assert_eq!(here.changes(ChangeNumber(0)).await, []);
}

async fn a_new_key_is_found_as_it_was_added_and_writes_an_entry(Pair { here, .. }: Pair) {
    here.enrolled(1).await;
    let mut record = record(1);
    record.key.limits = limits(domain::limits::MAX_PER_MINUTE, None);
    record.credential.generation = HashGeneration(u16::MAX);
    let key = here.insert(record.clone(), 1).await;
    let overview = KeyOverview {
        key: key.clone(),
        month: month(),
        used: MonthlyUse::default(),
    };
    assert_eq!(here.overview(key.id, month()).await, overview);
    let created = entry(act(1), Action::KeyCreated, &key, creation(&key));
    let newest = here.newest_change().await;
    let expected = (vec![key.clone()], newest, vec![created]);
    assert_eq!(here.contents().await, expected);
    assert!(!ok(here.keys.is_empty()).await);
    let other = KeyPrefix::parse("cep_live_Suite001").expect("a prefix of the suite");
    for (prefix, expected) in [(record.key.prefix, Some(record.credential)), (other, None)] {
        assert_eq!(ok(here.keys.credential(&prefix)).await, expected);
    }
    let snapshot = here.snapshot(key.id, month()).await;
    let expected = Snapshot {
        state: KeyState {
            revoked: false,
            limits: key.limits,
            version: snapshot.state.version,
        },
        month: month(),
        used: MonthlyUse::default(),
    };
    assert_eq!(snapshot, expected);
}

async fn the_credentials_of_active_keys_are_returned_newest_first(Pair { here, .. }: Pair) {
    let (first, second) = (here.added(1).await, here.added(2).await);
    let third = here.added(3).await;
    here.changed(second.id, KeyChange::Revoke, 4).await;
    let told = async |most| ok(here.keys.credentials(most)).await;
    assert_eq!(told(0).await, []);
    let all = told(10).await;
    let prefixes: Vec<_> = all.iter().map(|(prefix, _)| prefix).collect();
    assert_eq!(prefixes, [&third.prefix, &first.prefix]);
    assert_eq!(all[1].1, record(1).credential);
    assert_eq!(told(1).await, all[..1]);
}

async fn a_prefix_belongs_to_one_key(Pair { here, .. }: Pair) {
    let first = here.added(1).await;
    let mut second = record(2);
    second.key.prefix = first.prefix.clone();
    let assert_taken = async || {
        let before = here.contents().await;
        let (second, bounds) = (second.clone(), KeyBounds::Unbounded);
        let refused = here.keys.insert(second, bounds, &act(2)).await;
        assert!(matches!(refused, Err(InsertError::PrefixTaken)));
        assert_eq!(here.contents().await, before);
    };
    assert_taken().await;
    here.changed(first.id, KeyChange::Revoke, 3).await;
    // By a revoked key too.
    assert_taken().await;
}

async fn of_many_concurrent_keys_with_one_prefix_one_is_added(pair: Pair) {
    pair.here.enrolled(1).await;
    let insert = async |stores: &Stores, number| {
        let (mut record, bounds) = (record(number), KeyBounds::Unbounded);
        record.key.prefix = self::record(0).key.prefix;
        let added = stores.keys.insert(record, bounds, &act(number)).await;
        succeeds(added, |error| matches!(error, InsertError::PrefixTaken))
    };
    assert_eq!(pair.succeeding(0..20, insert).await, 1);
}

async fn a_customers_keys_are_returned_newest_first(Pair { here, .. }: Pair) {
    let mut expected = Vec::new();
    for number in [2, 3, 1] {
        expected.push(here.added(number).await);
    }
    let other = here.enrolled(2).await;
    here.insert(record_of(&other, 4), 4).await;
    expected.sort_by_key(|key| std::cmp::Reverse(key.created_at));
    let assert_own = async |revoked, expected: &[ApiKey]| {
        let own = async |page| {
            let keys = &here.keys;
            keys.of_customer(customer(1).id, revoked, &page).await
        };
        paging::assert_is_paged(expected, |key| key, own).await;
    };
    assert_own(RevokedKeys::Included, &expected).await;
    assert_own(RevokedKeys::Hidden, &expected).await;
    expected[1] = here.changed(expected[1].id, KeyChange::Revoke, 5).await;
    assert_own(RevokedKeys::Included, &expected).await;
    expected.remove(1);
    assert_own(RevokedKeys::Hidden, &expected).await;
}
