//! Lookups of people's own accounts.

use application::{Caller, PersonLookupError, PersonLookupQuery, PersonLookupService};
use domain::keys::KeyId;

use super::*;

/// The question of a person for all lookups.
fn everything() -> PersonLookupQuery {
    PersonLookupQuery {
        environment: None,
        states: Vec::new(),
        key: None,
        created_from: None,
        batch: None,
        page: PageRequest::first(PageSize::MAX),
    }
}

async fn listed(
    people: &PersonLookupService,
    caller: &Caller,
    query: &PersonLookupQuery,
) -> Vec<LookupId> {
    let page = people.list(caller, query).await.unwrap();
    page.items.iter().map(|(_, view)| view.id).collect()
}

fn key_and_environment(view: &LookupView) -> (KeyId, Environment) {
    (view.key, view.environment)
}

#[tokio::test]
async fn a_person_sees_the_lookups_of_both_environments_and_all_keys() {
    let (world, process, test) = start().await;
    let people = &process.people;
    let live = world.live_holder().await;
    let first = process.queue(&test, "10.00").await;
    process.work().await;
    world.pass(seconds(1)).await;
    let second = process.queue(&live, "10.00").await;
    let both = listed(people, &operator(), &everything()).await;
    assert_eq!(both, [second, first]);
    for (environment, expected) in [(Environment::Test, first), (Environment::Live, second)] {
        let query = PersonLookupQuery {
            environment: Some(environment),
            ..everything()
        };
        assert_eq!(listed(people, &operator(), &query).await, [expected]);
    }
    let found = people.find(&operator(), first).await.unwrap();
    assert_eq!(key_and_environment(&found), (test.id, Environment::Test));
    assert_eq!(found.state, Delivered);
    assert_eq!(found.history.unwrap().len(), 1);
    assert!(found.delivery.is_some());
    let queued = people.find(&operator(), second).await.unwrap();
    assert_eq!(key_and_environment(&queued), (live.id, Environment::Live));
}

#[tokio::test]
async fn the_lookups_of_a_key_are_those_of_all_that_share_its_counters() {
    let (world, process, old) = start().await;
    let people = &process.people;
    let other = world.holder(&operator(), Environment::Test).await;
    let before = process.queue(&old, "10.00").await;
    process.create(&other, lookup("10.00")).await;
    world.pass(seconds(1)).await;
    let new = world.base.rotate(&old, 1).await;
    let after = process.queue(&new, "10.00").await;
    for key in [old.id, new.id] {
        let query = PersonLookupQuery {
            key: Some(key),
            ..everything()
        };
        assert_eq!(listed(people, &operator(), &query).await, [after, before]);
    }
}

#[tokio::test]
async fn lookups_of_another_account_do_not_exist_even_for_an_admin() {
    let (world, process, holder) = start().await;
    let people = &process.people;
    let id = process.queue(&holder, "10.00").await;
    // One with an account of its own, and one that was never seen before.
    let ana = person("ana", Role::Admin);
    world.holder(&ana, Environment::Test).await;
    for other in [ana, person("ben", Role::Admin)] {
        assert_eq!(listed(people, &other, &everything()).await, []);
        let of_key = PersonLookupQuery {
            key: Some(holder.id),
            ..everything()
        };
        let refused = [
            people.list(&other, &of_key).await.map(drop),
            people.find(&other, id).await.map(drop),
            people.changes(&other, id).await.map(drop),
            people.cancel(&other, id).await.map(drop),
            people.erase(&other, id).await,
        ];
        for refused in refused {
            assert!(matches!(refused, Err(PersonLookupError::NotFound)));
        }
    }
    assert_eq!(process.state(&holder, id).await, Queued);
}

#[tokio::test]
async fn a_canceled_lookup_is_concluded_as_one_that_its_key_canceled() {
    let (world, process, holder) = start().await;
    let people = &process.people;
    world.bank.hold();
    let id = process.queue(&holder, "10.00").await;
    process.work().await;
    let early = people.erase(&operator(), id).await;
    assert!(matches!(early, Err(PersonLookupError::NotFinal)));
    let canceled = people.cancel(&operator(), id).await.unwrap();
    assert_eq!(canceled.state, Canceled);
    world.release_bank().await;
    assert_eq!(process.state(&holder, id).await, Canceled);
    assert_eq!(world.outcomes(), [Outcome::Canceled]);
    assert_eq!(world.charges(&holder).await, (1, 0));
    let late = people.cancel(&operator(), id).await;
    assert!(matches!(late, Err(PersonLookupError::Final)));
    people.erase(&operator(), id).await.unwrap();
    assert!(world.all_stored(&holder).await.is_empty());
    let again = people.erase(&operator(), id).await;
    assert!(matches!(again, Err(PersonLookupError::NotFound)));
    assert_eq!(world.outcomes(), [Outcome::Canceled]);
}

#[tokio::test]
async fn a_failing_store_and_a_lost_secret_are_told_apart() {
    let (world, process, _holder, id) = start_queued("10.00").await;
    let people = &process.people;
    process.faults().inject(Fault::Fails);
    let failed = people.find(&operator(), id).await;
    assert!(matches!(failed, Err(PersonLookupError::Store(_))));
    let failed = people.list(&operator(), &everything()).await;
    assert!(matches!(failed, Err(PersonLookupError::Store(_))));
    let forgetful = world.process(Settings {
        secrets: &[2],
        ..Default::default()
    });
    let unreadable = forgetful.people.find(&operator(), id).await;
    assert!(matches!(unreadable, Err(PersonLookupError::Unreadable(_))));
}
