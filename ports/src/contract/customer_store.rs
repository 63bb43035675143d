//! Contract of the customer store.

use std::collections::BTreeSet;

use domain::audit::{
    Action, AuditContext, AuditEntry, AuditFilter, customer_difference, difference,
};
use domain::keys::{ApiKey, KeyId};
use domain::limits::Plan;
use domain::page::PageRequest;
use domain::people::customer::{Customer, CustomerId, CustomerOverview, ExistingKeys, Owner};

use super::fixture::*;
use super::ok;
use super::paging;
use super::stores::{Pair, Stores, keys_of};
use crate::outbound::{KeyChange, UpdateError};

mod plan;

cases! {
    $ customer_store(Pair)
    self::a_customer_is_found_as_it_was_first_enrolled,
    self::an_owner_is_known_by_issuer_and_subject,
    self::of_many_concurrent_insertions_of_one_owner_one_is_added,
    self::customers_are_listed_newest_first_page_by_page,
    self::a_text_is_found_in_issuers_and_subjects,
    plan::a_plan_is_the_last_one_set,
    plan::keys_that_keep_their_limits_keep_them,
    plan::active_keys_that_follow_take_the_plans_limits,
    plan::keys_follow_a_plan_that_was_set_before,
    plan::a_plan_writes_an_entry_and_so_does_each_key_that_follows,
    plan::a_plan_that_is_set_or_of_nobody_changes_nothing,
}

async fn known(stores: &Stores, owner: &Owner) -> Option<Customer> {
    ok(stores.customers.customer(owner)).await
}

/// All customers that match a text, newest first, page by page.
async fn walk(stores: &Stores, text: Option<&str>, request: PageRequest) -> Vec<CustomerOverview> {
    let read = async |page| stores.customers.customers(text, month(), &page).await;
    paging::walk(request, read).await
}

/// The `number`th customer, with another owner.
fn owned_by(number: u16, issuer: &str, subject: &str) -> Customer {
    let owner = Owner {
        issuer: issuer.to_owned(),
        subject: subject.to_owned(),
    };
    Customer {
        owner,
        ..customer(number)
    }
}

fn ids(overviews: &[CustomerOverview]) -> Vec<CustomerId> {
    let ids = overviews.iter().map(|overview| overview.customer.id);
    ids.collect()
}

async fn a_customer_is_found_as_it_was_first_enrolled(Pair { here, elsewhere }: Pair) {
    let issuer = "https://issuer.example/realms/ñ";
    let newcomer = Customer {
        plan: Plan::Enterprise,
        ..owned_by(1, issuer, "auth0|5f7c8ec7'; --")
    };
    let again = Customer {
        owner: newcomer.owner.clone(),
        ..customer(2)
    };
    for (stores, enrolled) in [(&here, &newcomer), (&here, &again), (&elsewhere, &again)] {
        let enrolled = ok(stores.customers.find_or_insert(enrolled)).await;
        assert_eq!(enrolled, newcomer);
        for stores in [&here, &elsewhere] {
            let found = known(stores, &newcomer.owner).await;
            assert_eq!(found.as_ref(), Some(&newcomer));
        }
    }
    assert_eq!(ids(&walk(&here, None, page_of(10)).await), [newcomer.id]);
    assert_eq!(here.written(&AuditFilter::default()).await, []);
}

async fn an_owner_is_known_by_issuer_and_subject(Pair { here, .. }: Pair) {
    let first = here.enrolled(1).await;
    let owners = [
        ("https://other.example", "subject-1"),
        ("https://issuer.example", "SUBJECT-1"),
        ("https://issuer.example/", "subject-1"),
        ("https://issuer.example", "subject-1 "),
    ];
    for (number, (issuer, subject)) in (2..).zip(owners) {
        let other = owned_by(number, issuer, subject);
        assert_eq!(known(&here, &other.owner).await, None);
        assert_eq!(ok(here.customers.find_or_insert(&other)).await, other);
    }
    assert_eq!(known(&here, &first.owner).await, Some(first));
    assert_eq!(walk(&here, None, page_of(10)).await.len(), 5);
}

async fn of_many_concurrent_insertions_of_one_owner_one_is_added(pair: Pair) {
    let find_or_insert = async |stores: &Stores, number| {
        let newcomer = Customer {
            owner: customer(0).owner,
            ..customer(number)
        };
        ok(stores.customers.find_or_insert(&newcomer)).await
    };
    let enrolled = pair.at_once(0..20, find_or_insert).await;
    let kept = known(&pair.here, &customer(0).owner).await;
    let kept = kept.expect("the customer is there");
    assert!(enrolled.iter().all(|one| *one == kept), "{enrolled:?}");
    assert_eq!(walk(&pair.here, None, page_of(100)).await.len(), 1);
}

async fn customers_are_listed_newest_first_page_by_page(Pair { here, .. }: Pair) {
    let mut customers = Vec::new();
    // Two of them at the same moment.
    for (number, created) in [(3, 3), (1, 1), (5, 3), (2, 2), (4, 4)] {
        let newcomer = Customer {
            created_at: instant(created),
            ..customer(number)
        };
        customers.push(ok(here.customers.find_or_insert(&newcomer)).await);
    }
    customers.sort_by_key(|customer| std::cmp::Reverse((customer.created_at, customer.id)));
    let read = async |page| here.customers.customers(None, month(), &page).await;
    paging::assert_is_paged(&customers, |overview| overview.customer, read).await;
    // A page begins after the previous one, whoever came since.
    let end = paging::end_of(page_of(3), read).await;
    for number in [6, 0] {
        here.enrolled(number).await;
    }
    let rest = walk(&here, None, page_after(end, 1)).await;
    let expected = [customers[3].id, customers[4].id, customer(0).id];
    assert_eq!(ids(&rest), expected);
}

async fn a_text_is_found_in_issuers_and_subjects(Pair { here, .. }: Pair) {
    let owners = [
        ("https://issuer.example", "ana_maria"),
        ("https://issuer.example", "ana-maria"),
        ("https://login.bank.example", r"dominio\ana%"),
        ("https://login.bank.example", "ñandú"),
    ];
    for (number, (issuer, subject)) in (1..).zip(owners) {
        let newcomer = owned_by(number, issuer, subject);
        ok(here.customers.find_or_insert(&newcomer)).await;
    }
    for (text, expected) in [
        ("ana", vec![3, 2, 1]),
        ("ANA", vec![3, 2, 1]),
        ("bank", vec![4, 3]),
        ("https://issuer", vec![2, 1]),
        ("ana_m", vec![1]),
        ("%", vec![3]),
        (r"\", vec![3]),
        (r"\ana", vec![3]),
        ("ñandú", vec![4]),
        ("beto", vec![]),
    ] {
        let expected = expected.into_iter().map(|number| customer(number).id);
        let expected: Vec<_> = expected.collect();
        for size in [1, 100] {
            let found = walk(&here, Some(text), page_of(size)).await;
            assert_eq!(ids(&found), expected, "{text}");
        }
    }
}
