//! Contract of the store of own accounts.

use domain::audit::{Action, AuditEntry, AuditFilter, FieldChange};
use domain::keys::HashGeneration;

use super::fixture::{act, customer};
use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::*;

cases! {
    $ own_accounts(Pair)
    self::accounts_come_back_to_their_customer_alone,
    self::one_of_two_changes_at_once_is_kept,
    self::a_change_is_logged_with_it,
    self::those_of_older_generations_are_found,
}

fn accounts(number: u16, revision: u64) -> StoredAccounts {
    StoredAccounts {
        customer: customer(number).id,
        revision,
        generation: HashGeneration(number),
        content: format!("{number} {revision}").into_bytes(),
    }
}

async fn replaced(stores: &Stores, accounts: &StoredAccounts) -> bool {
    ok(stores.own_accounts.replace_own_accounts(accounts, None)).await
}

async fn accounts_come_back_to_their_customer_alone(Pair { here, elsewhere }: Pair) {
    let of = async |number| ok(elsewhere.own_accounts.own_accounts(customer(number).id)).await;
    assert_eq!(of(1).await, None);
    for own in [accounts(1, 1), accounts(2, 1), accounts(2, 2)] {
        assert!(replaced(&here, &own).await);
    }
    assert_eq!(of(1).await, Some(accounts(1, 1)));
    assert_eq!(of(2).await, Some(accounts(2, 2)));
    assert_eq!(of(3).await, None);
}

async fn one_of_two_changes_at_once_is_kept(under_test: Pair) {
    for revision in [1, 2] {
        let changes = (0..6).map(|number: u8| StoredAccounts {
            content: vec![number],
            ..accounts(1, revision)
        });
        let change = async |stores: &Stores, own| replaced(stores, &own).await;
        assert_eq!(under_test.succeeding(changes, change).await, 1);
    }
    for revision in [1, 2, 4] {
        assert!(!replaced(&under_test.here, &accounts(1, revision)).await);
    }
    assert!(!replaced(&under_test.here, &accounts(2, 2)).await);
}

async fn a_change_is_logged_with_it(Pair { here, elsewhere }: Pair) {
    here.enrolled(1).await;
    let entry = |number| AuditEntry {
        act: act(number),
        action: Action::OwnAccountAdded,
        customer: customer(1).id,
        key: None,
        changes: vec![FieldChange {
            field: "account".to_owned(),
            before: None,
            after: Some("****7771".to_owned()),
        }],
    };
    for (number, is_kept) in [(1, true), (2, false)] {
        let (own, entry) = (accounts(1, 1), entry(number));
        let changed = here.own_accounts.replace_own_accounts(&own, Some(&entry));
        assert_eq!(ok(changed).await, is_kept);
    }
    let written = elsewhere.written(&AuditFilter::default()).await;
    assert_eq!(written, [entry(1)]);
}

async fn those_of_older_generations_are_found(Pair { here, elsewhere }: Pair) {
    for number in 1..=4 {
        assert!(replaced(&here, &accounts(number, 1)).await);
    }
    let older = async |after, most| {
        let newest = HashGeneration(2);
        let found = elsewhere
            .own_accounts
            .own_accounts_to_reencrypt(newest, after, most);
        ok(found).await
    };
    let all = [accounts(1, 1), accounts(3, 1), accounts(4, 1)];
    assert_eq!(older(None, 9).await, all);
    assert_eq!(older(None, 2).await, all[..2]);
    assert_eq!(older(Some(customer(1).id), 9).await, all[1..]);
}
