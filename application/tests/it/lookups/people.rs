//! Lookups of people's own accounts.

use std::sync::Arc;

use application::{PersonLookupService, PersonLookupSources};
use domain::customer::Role;
use domain::key::{Environment, Grace, KeyId};
use domain::lookup::{LookupId, LookupState};
use domain::outcome::Outcome;
use domain::page::{PageRequest, PageSize};
use ports::inbound::{
    Caller, KeyAdministration as _, LookupView, PersonLookupError, PersonLookupQuery,
    PersonLookups as _,
};
use testkit::fakes::{CountingRandom, Fault};

use super::steps::{Process, World, lookup, seconds, settle, start};
use crate::support::fixture::Holder;
use crate::support::{operator, person};

fn all() -> PersonLookupQuery {
    PersonLookupQuery {
        environment: None,
        states: Vec::new(),
        key: None,
        created_from: None,
        batch: None,
        page: PageRequest::first(PageSize::MAX),
    }
}

impl Process {
    /// The service of people on this process.
    pub(super) fn people(&self, world: &World) -> PersonLookupService {
        let store = Arc::new(self.store.clone());
        let sources = PersonLookupSources {
            store: store.clone(),
            keys: store.clone(),
            customers: store,
        };
        let random = Arc::<CountingRandom>::default();
        PersonLookupService::new(
            self.lookups.clone(),
            sources,
            world.base.clock.clone(),
            random,
        )
    }
}

/// Ids of a caller's lookups.
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
    let people = process.people(&world);
    let live = world.holder(&operator(), Environment::Live).await;
    let first = process.create(&test, lookup("10.00")).await.id;
    process.work().await;
    world.pass(seconds(1)).await;
    let second = process.create(&live, lookup("10.00")).await.id;
    assert_eq!(listed(&people, &operator(), &all()).await, [second, first]);
    for (environment, expected) in [(Environment::Test, first), (Environment::Live, second)] {
        let query = PersonLookupQuery {
            environment: Some(environment),
            ..all()
        };
        assert_eq!(listed(&people, &operator(), &query).await, [expected]);
    }
    let found = people.find(&operator(), first).await.unwrap();
    assert_eq!(key_and_environment(&found), (test.id, Environment::Test));
    assert_eq!(found.state, LookupState::Delivered);
    assert_eq!(found.history.unwrap().len(), 1);
    assert!(found.delivery.is_some());
    let queued = people.find(&operator(), second).await.unwrap();
    assert_eq!(key_and_environment(&queued), (live.id, Environment::Live));
}

#[tokio::test]
async fn the_lookups_of_a_key_are_those_of_all_that_share_its_counters() {
    let (world, process, old) = start().await;
    let people = process.people(&world);
    let other = world.holder(&operator(), Environment::Test).await;
    let before = process.create(&old, lookup("10.00")).await.id;
    process.create(&other, lookup("10.00")).await;
    world.pass(seconds(1)).await;
    let grace = Grace::from_hours(1).unwrap();
    let rotated = world.base.keys.rotate(&operator(), old.id, grace).await;
    let rotated = rotated.unwrap().new;
    let new = Holder {
        id: rotated.key.key.id,
        secret: rotated.secret,
    };
    let after = process.create(&new, lookup("10.00")).await.id;
    for key in [old.id, new.id] {
        let query = PersonLookupQuery {
            key: Some(key),
            ..all()
        };
        assert_eq!(listed(&people, &operator(), &query).await, [after, before]);
    }
}

#[tokio::test]
async fn lookups_of_another_account_do_not_exist_even_for_an_admin() {
    let (world, process, holder) = start().await;
    let people = process.people(&world);
    let id = process.create(&holder, lookup("10.00")).await.id;
    // One with an account of its own, and one that was never seen before.
    let ana = person("ana", Role::Admin);
    world.holder(&ana, Environment::Test).await;
    for other in [ana, person("ben", Role::Admin)] {
        assert_eq!(listed(&people, &other, &all()).await, []);
        let of_key = PersonLookupQuery {
            key: Some(holder.id),
            ..all()
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
    assert_eq!(process.state(&holder, id).await, LookupState::Queued);
}

#[tokio::test]
async fn a_canceled_lookup_is_concluded_as_one_that_its_key_canceled() {
    let (world, process, holder) = start().await;
    let people = process.people(&world);
    world.bank.hold();
    let id = process.create(&holder, lookup("10.00")).await.id;
    process.work().await;
    let early = people.erase(&operator(), id).await;
    assert!(matches!(early, Err(PersonLookupError::NotFinal)));
    let canceled = people.cancel(&operator(), id).await.unwrap();
    assert_eq!(canceled.state, LookupState::Canceled);
    world.bank.release();
    settle().await;
    assert_eq!(process.state(&holder, id).await, LookupState::Canceled);
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
async fn a_caller_who_waits_learns_that_a_person_canceled() {
    let (world, process, holder) = start().await;
    let people = process.people(&world);
    let id = process.create(&holder, lookup("404.02")).await.id;
    process.work().await;
    let lookups = process.lookups.clone();
    let access = super::steps::access(&holder);
    let waiting = tokio::spawn(async move {
        use ports::inbound::Lookups as _;
        lookups.find(access, id, seconds(25)).await
    });
    settle().await;
    people.cancel(&operator(), id).await.unwrap();
    let found = waiting.await.unwrap().unwrap().found;
    assert_eq!(found.state, LookupState::Canceled);
}

#[tokio::test]
async fn a_failing_store_and_a_lost_secret_are_told_apart() {
    let (world, process, holder) = start().await;
    let id = process.create(&holder, lookup("10.00")).await.id;
    let others = process.people(&world);
    process.store.faults().inject(Fault::Fails);
    let failed = others.find(&operator(), id).await;
    assert!(matches!(failed, Err(PersonLookupError::Store(_))));
    let failed = others.list(&operator(), &all()).await;
    assert!(matches!(failed, Err(PersonLookupError::Store(_))));
    let forgetful = world.process(super::steps::Settings {
        secrets: &[2],
        ..Default::default()
    });
    let people = forgetful.people(&world);
    let unreadable = people.find(&operator(), id).await;
    assert!(matches!(unreadable, Err(PersonLookupError::Unreadable(_))));
}
