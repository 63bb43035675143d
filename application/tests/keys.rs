//! Whose keys are whose, who may do what to them, and what that leaves behind.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::LazyLock;
use std::time::Duration;

use application::{KeyWatch, MOST_ACTIVE_KEYS};
use chrono::TimeDelta;
use domain::audit::Action;
use domain::customer::{CustomerId, ExistingKeys, Role};
use domain::key::{Environment, Grace, KeyId, KeyName, KeyStatus};
use domain::limits::{Limits, LimitsChange, Plan};
use domain::page::{Cursor, Direction, PageAsk, PageSize};
use ports::inbound::{
    AuditFilter, Caller, CreatedKey, KeyAdministration, KeyError, KeyFilter, KeyListing, KeyOrder,
    KeyOrderBy, Reach, Refusal, RevokedKeys,
};
use ports::outbound::{AuditLog, Clock, CustomerStore};
use support::house::{HERE, Holder, House, house};
use support::{limits, noon, person};
use uuid::Uuid;

fn name(text: &str) -> KeyName {
    KeyName::parse(text).unwrap()
}

fn order(limits: Option<Limits>) -> KeyOrder {
    KeyOrder {
        name: name("till"),
        environment: Environment::Test,
        limits,
    }
}

fn listing() -> KeyListing {
    KeyListing {
        filter: KeyFilter::default(),
        order: KeyOrderBy::Created,
        direction: Direction::Descending,
        page: PageAsk::first(PageSize::MAX),
    }
}

static ANA: LazyLock<Caller> = LazyLock::new(|| person("ana", Role::Member));
static LUIS: LazyLock<Caller> = LazyLock::new(|| person("luis", Role::Member));
static ADMIN: LazyLock<Caller> = LazyLock::new(|| person("root", Role::Admin));

fn hours(hours: u32) -> Grace {
    Grace::from_hours(hours).unwrap()
}

fn ten_a_minute() -> LimitsChange {
    LimitsChange::new(Some(10), None).unwrap()
}

impl House {
    async fn key_of(&self, caller: &Caller) -> CreatedKey {
        self.keys.create(caller, order(None)).await.unwrap()
    }

    async fn listed(&self, caller: &Caller, reach: Reach) -> Result<Vec<KeyId>, KeyError> {
        let page = self.keys.list(caller, reach, &listing()).await?;
        let keys = page.items.into_iter().map(|(_, overview)| overview.key.id);
        Ok(keys.collect())
    }

    /// What was done, oldest first, by whom.
    async fn log(&self) -> Vec<(Action, String)> {
        let ask = PageAsk::first(PageSize::MAX);
        let log = self.data.audit(&AuditFilter::default(), &ask).await;
        let mut entries: Vec<_> = log.unwrap().items.into_iter().map(|(_, it)| it).collect();
        entries.reverse();
        let shown = entries.into_iter();
        shown
            .map(|entry| (entry.action, entry.act.actor.subject))
            .collect()
    }

    async fn is_admitted(&self, secret: &str) -> bool {
        match self.present(Some(secret), HERE).await {
            Ok(_) => true,
            Err(Refusal::InvalidKey) => false,
            Err(other) => panic!("{other:?}"),
        }
    }
}

fn assert_not_found<T>(result: Result<T, KeyError>, what: &str) {
    let error = result.err();
    assert!(
        matches!(error, Some(KeyError::NotFound)),
        "{what}: {error:?}"
    );
}

fn assert_forbidden<T>(result: Result<T, KeyError>, what: &str) {
    let error = result.err();
    assert!(
        matches!(error, Some(KeyError::Forbidden)),
        "{what}: {error:?}"
    );
}

#[tokio::test]
async fn whoever_makes_its_first_key_becomes_a_customer_of_the_free_plan() {
    let house = house();
    assert_eq!(house.data.customer(&ANA.owner).await.unwrap(), None);
    let first = house.key_of(&ANA).await.key.key;
    let customer = house.data.customer(&ANA.owner).await.unwrap().unwrap();
    assert_eq!((first.customer, &first.owner), (customer.id, &ANA.owner));
    assert_eq!(
        (customer.plan, customer.created_at),
        (Plan::Startup, noon())
    );
    assert_eq!(first.limits, Plan::Startup.limits());
    assert_eq!(first.created_at, noon());
    let second = house.key_of(&ANA).await.key.key;
    assert_eq!(second.customer, customer.id);
    assert_ne!(house.key_of(&LUIS).await.key.key.customer, customer.id);
}

#[tokio::test]
async fn a_new_key_is_good_and_has_used_nothing() {
    let house = house();
    let created = house.key_of(&ANA).await;
    assert_eq!(created.key.used.net(), 0);
    assert_eq!(created.key.key.prefix, *created.secret.prefix());
    assert!(house.is_admitted(created.secret.reveal()).await);
}

#[tokio::test]
async fn another_owners_key_does_not_exist() {
    let house = house();
    let key = house.key_of(&ANA).await;
    let id = key.key.key.id;
    // One is a customer with a key of its own, the other nobody yet: both see the same.
    house.key_of(&LUIS).await;
    for other in [LUIS.clone(), person("nobody", Role::Member)] {
        let keys = &house.keys;
        assert_not_found(keys.find(&other, Reach::Own, id).await, "find");
        let renamed = keys.rename(&other, Reach::Own, id, name("mine")).await;
        assert_not_found(renamed, "rename");
        assert_not_found(keys.revoke(&other, Reach::Own, id).await, "revoke");
        assert_not_found(keys.rotate(&other, id, hours(1)).await, "rotate");
        assert_not_found(keys.rotate(&other, id, hours(0)).await, "rotate at once");
        assert!(
            !house
                .listed(&other, Reach::Own)
                .await
                .unwrap()
                .contains(&id)
        );
        let own = keys.own(&other, RevokedKeys::Included).await.unwrap();
        assert!(own.iter().all(|key| key.id != id));
    }
    let found = house.keys.find(&ANA, Reach::Own, id).await.unwrap();
    assert_eq!(found, key.key, "and nothing happened to it");
    assert!(house.is_admitted(key.secret.reveal()).await);
    let creations = house.log().await;
    assert!(
        creations
            .iter()
            .all(|(action, _)| *action == Action::KeyCreated)
    );
}

#[tokio::test]
async fn an_admins_own_reach_is_its_own() {
    let house = house();
    let id = house.key_of(&ANA).await.key.key.id;
    assert_not_found(house.keys.find(&ADMIN, Reach::Own, id).await, "find");
    assert_not_found(house.keys.rotate(&ADMIN, id, hours(0)).await, "rotate");
    assert_eq!(house.listed(&ADMIN, Reach::Own).await.unwrap(), []);
}

#[tokio::test]
async fn a_member_may_not_do_what_admins_do() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let (id, customer) = (created.key.key.id, created.key.key.customer);
    let keys = &house.keys;
    for reach in [Reach::All, Reach::Of(customer)] {
        assert_forbidden(house.listed(&ANA, reach).await, "list");
        assert_forbidden(keys.find(&ANA, reach, id).await, "find");
        let renamed = keys.rename(&ANA, reach, id, name("mine")).await;
        assert_forbidden(renamed, "rename");
        assert_forbidden(keys.revoke(&ANA, reach, id).await, "revoke");
    }
    assert_forbidden(keys.set_limits(&ANA, id, ten_a_minute()).await, "limits");
    let plan = keys.set_plan(&ANA, customer, Plan::Enterprise, ExistingKeys::Follow);
    assert_forbidden(plan.await, "plan");
    let limited = keys.create(&ANA, order(Some(limits(600, None)))).await;
    assert_forbidden(limited, "a key with limits");
    assert_eq!(house.log().await.len(), 1, "something was done");
    // Whether something exists isn't told either.
    let unknown = KeyId(Uuid::nil());
    let unknown = keys.set_limits(&ANA, unknown, ten_a_minute()).await;
    assert_forbidden(unknown, "limits of nothing");
}

#[tokio::test]
async fn an_admin_reaches_everybodys_keys_and_one_customers() {
    let house = house();
    let ana_s = house.key_of(&ANA).await;
    house.clock.advance(Duration::from_millis(1));
    let luis_s = house.key_of(&LUIS).await;
    let (ana_s, luis_s) = (ana_s.key.key, luis_s.key.key);
    let all = house.listed(&ADMIN, Reach::All).await.unwrap();
    assert_eq!(all, [luis_s.id, ana_s.id]);
    let of_ana = Reach::Of(ana_s.customer);
    assert_eq!(house.listed(&ADMIN, of_ana).await.unwrap(), [ana_s.id]);
    let keys = &house.keys;
    let other = keys.find(&ADMIN, of_ana, luis_s.id).await;
    assert_not_found(other, "a key of another customer than the one named");
    let renamed = keys.rename(&ADMIN, Reach::All, ana_s.id, name("checked"));
    assert_eq!(renamed.await.unwrap().key.name, name("checked"));
    let revoked = keys.revoke(&ADMIN, of_ana, ana_s.id).await.unwrap();
    assert_eq!(revoked.key.status(), KeyStatus::Revoked);
    let created = |who: &str| (Action::KeyCreated, who.to_owned());
    let expected = [
        created("ana"),
        created("luis"),
        (Action::KeyRenamed, "root".to_owned()),
        (Action::KeyRevoked, "root".to_owned()),
    ];
    assert_eq!(house.log().await, expected);
}

#[tokio::test]
async fn who_is_not_known_has_an_empty_list() {
    let house = house();
    house.key_of(&LUIS).await;
    let page = house.keys.list(&ANA, Reach::Own, &listing()).await;
    let page = page.unwrap();
    assert_eq!(
        (page.items.len(), page.has_next, page.total),
        (0, false, Some(0))
    );
    let own = house.keys.own(&ANA, RevokedKeys::Included).await;
    assert_eq!(own.unwrap(), []);
    assert_eq!(house.data.customer(&ANA.owner).await.unwrap(), None);
}

#[tokio::test]
async fn a_cursor_of_another_list_is_named_so() {
    let house = house();
    house.key_of(&ANA).await;
    let mut ask = listing();
    ask.page.after = Some(Cursor {
        value: "a name".to_owned(),
        id: Uuid::nil(),
    });
    let listed = house.keys.list(&ANA, Reach::Own, &ask).await;
    assert!(matches!(listed, Err(KeyError::Cursor)));
}

#[tokio::test]
async fn an_act_is_written_down_with_its_request() {
    let house = house();
    let id = house.key_of(&ANA).await.key.key.id;
    let ask = PageAsk::first(PageSize::MAX);
    let filter = AuditFilter {
        key: Some(id),
        ..AuditFilter::default()
    };
    let log = house.data.audit(&filter, &ask).await.unwrap();
    let [(_, entry)] = &log.items[..] else {
        panic!("one thing was done");
    };
    assert_eq!(entry.act.actor, ANA.owner);
    assert_eq!(entry.act.request_id, ANA.request_id);
    assert_eq!(entry.act.at, noon());
}

#[tokio::test]
async fn a_customer_has_a_thousand_active_keys_at_most() {
    let house = house();
    let mut last = None;
    for _ in 0..MOST_ACTIVE_KEYS {
        last = Some(house.key_of(&ANA).await.key.key.id);
    }
    let last = last.unwrap();
    let refused = |result: Result<(), KeyError>| matches!(result, Err(KeyError::TooManyKeys { most }) if most == 1_000);
    let keys = &house.keys;
    let another = keys.create(&ANA, order(None)).await.map(drop);
    assert!(refused(another));
    // With a time of grace both would be active; without, one takes the other's place.
    let beside = keys.rotate(&ANA, last, hours(1)).await.map(drop);
    assert!(refused(beside));
    let instead = keys.rotate(&ANA, last, hours(0)).await.unwrap();
    let another = keys.create(&ANA, order(None)).await.map(drop);
    assert!(refused(another));
    let new = instead.new.key.key.id;
    keys.revoke(&ANA, Reach::Own, new).await.unwrap();
    house.key_of(&ANA).await;
    house.key_of(&LUIS).await;
}

#[tokio::test]
async fn one_key_rotated_again_and_again_is_no_more_than_a_thousand() {
    let house = house();
    let mut newest = house.key_of(&ANA).await.key.key.id;
    let mut keys = 1;
    loop {
        match house.keys.rotate(&ANA, newest, hours(1)).await {
            Ok(rotated) => newest = rotated.new.key.key.id,
            Err(KeyError::TooManyKeys { .. }) => break,
            Err(other) => panic!("{other:?}"),
        }
        keys += 1;
        assert!(keys <= MOST_ACTIVE_KEYS);
    }
    assert_eq!(keys, MOST_ACTIVE_KEYS);
}

#[tokio::test]
async fn a_prefix_that_another_key_has_is_drawn_again() {
    let house = house();
    house.store.take_next_prefixes(7);
    let id = house.key_of(&ANA).await.key.key.id;
    house.store.take_next_prefixes(7);
    house.keys.rotate(&ANA, id, hours(0)).await.unwrap();
    house.store.take_next_prefixes(8);
    let never = house.keys.create(&ANA, order(None)).await;
    assert!(matches!(never, Err(KeyError::Store(_))));
    assert_eq!(house.listed(&ANA, Reach::Own).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_revoked_key_admits_nobody_once_its_owner_knows() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let (id, secret) = (created.key.key.id, created.secret.reveal());
    assert!(house.is_admitted(secret).await);
    let revoked = house.keys.revoke(&ANA, Reach::Own, id).await.unwrap();
    assert_eq!(revoked.key.revoked_at, Some(noon()));
    assert_eq!(revoked.used.net(), 1);
    assert!(!house.is_admitted(secret).await);
    house.clock.advance(Duration::from_mins(1));
    let again = house.keys.revoke(&ANA, Reach::Own, id).await.unwrap();
    assert_eq!(again.key.revoked_at, Some(noon()), "the first one counts");
    assert_eq!(house.log().await.len(), 2, "and is written down once");
}

#[tokio::test]
async fn a_key_rotated_without_grace_admits_nobody_once_its_successor_is_known() {
    let house = house();
    let old = house.key_of(&ANA).await;
    assert!(house.is_admitted(old.secret.reveal()).await);
    let id = old.key.key.id;
    house
        .keys
        .set_limits(&ADMIN, id, ten_a_minute())
        .await
        .unwrap();
    let rotated = house.keys.rotate(&ANA, id, hours(0)).await.unwrap();
    assert!(!house.is_admitted(old.secret.reveal()).await);
    assert_eq!(rotated.old.key.status(), KeyStatus::Revoked);
    assert_eq!(rotated.old.used.net(), 1);
    let new = &rotated.new.key;
    assert_eq!(new.key.name, old.key.key.name);
    assert_eq!(new.key.prefix.environment(), Environment::Test);
    assert_eq!(new.key.limits, limits(10, Some(1_000)));
    assert_eq!(
        (new.key.customer, new.used.net()),
        (old.key.key.customer, 0)
    );
    assert_eq!(new.key.prefix, *rotated.new.secret.prefix());
    assert!(house.is_admitted(rotated.new.secret.reveal()).await);
}

#[tokio::test]
async fn a_key_rotated_with_grace_works_beside_its_successor_and_is_rotated_once() {
    let house = house();
    let old = house.key_of(&ANA).await;
    assert!(house.is_admitted(old.secret.reveal()).await);
    let id = old.key.key.id;
    let rotated = house.keys.rotate(&ANA, id, hours(24)).await.unwrap();
    assert_eq!(rotated.old.key.status(), KeyStatus::Retiring);
    assert_eq!(rotated.old.key.retires_at, Some(hours(24).end(noon())));
    assert_eq!(rotated.old.used.net(), 1);
    for secret in [&old.secret, &rotated.new.secret] {
        assert!(house.is_admitted(secret.reveal()).await);
    }
    let again = house.keys.rotate(&ANA, id, hours(24)).await;
    assert!(matches!(again, Err(KeyError::AlreadyRotated)));
    house.keys.revoke(&ANA, Reach::Own, id).await.unwrap();
    let revoked = house.keys.rotate(&ANA, id, hours(24)).await;
    assert!(matches!(revoked, Err(KeyError::Revoked)));
}

#[tokio::test]
async fn new_limits_hold_once_the_admin_knows() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let holder = Holder {
        id: created.key.key.id,
        secret: created.secret,
    };
    house.ask(&holder).await.unwrap();
    let set = house.keys.set_limits(&ADMIN, holder.id, ten_a_minute());
    let set = set.await.unwrap();
    assert_eq!(set.key.limits, limits(10, Some(1_000)));
    assert_eq!(set.used.net(), 1);
    let admission = house.ask(&holder).await.unwrap();
    assert_eq!(admission.standing.minute.limit, 10);
    let unknown = KeyId(Uuid::nil());
    let unknown = house.keys.set_limits(&ADMIN, unknown, ten_a_minute());
    assert_not_found(unknown.await, "limits of nothing");
}

#[tokio::test]
async fn an_admins_key_begins_with_the_limits_it_was_ordered_with() {
    let house = house();
    let ordered = limits(7, Some(70));
    let created = house.keys.create(&ADMIN, order(Some(ordered))).await;
    assert_eq!(created.unwrap().key.key.limits, ordered);
}

#[tokio::test]
async fn a_plan_is_what_new_keys_begin_with_and_existing_ones_follow_when_told_to() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let customer = created.key.key.customer;
    let holder = Holder {
        id: created.key.key.id,
        secret: created.secret,
    };
    house.ask(&holder).await.unwrap();
    let set = async |existing| {
        let set = house
            .keys
            .set_plan(&ADMIN, customer, Plan::Enterprise, existing);
        set.await.unwrap().plan
    };
    assert_eq!(set(ExistingKeys::Keep).await, Plan::Enterprise);
    let kept = house.ask(&holder).await.unwrap();
    assert_eq!(kept.standing.minute.limit, 60);
    let new = house.key_of(&ANA).await.key.key;
    assert_eq!(new.limits, Plan::Enterprise.limits());
    assert_eq!(set(ExistingKeys::Follow).await, Plan::Enterprise);
    let followed = house.ask(&holder).await.unwrap();
    assert_eq!(followed.standing.minute.limit, 600);
    assert_eq!(followed.standing.month, None);

    let unknown = CustomerId(Uuid::nil());
    let unknown = house
        .keys
        .set_plan(&ADMIN, unknown, Plan::Startup, ExistingKeys::Keep);
    assert_not_found(unknown.await, "a plan of nobody");
}

#[tokio::test]
async fn a_limiter_that_fails_is_told_again_before_the_caller_hears_of_it() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let secret = created.secret.reveal();
    assert!(house.is_admitted(secret).await);
    house.limiter.fail_once_after(0);
    let id = created.key.key.id;
    let revoked = house.keys.revoke(&ANA, Reach::Own, id).await.unwrap();
    assert!(revoked.key.revoked_at.is_some());
    assert!(!house.is_admitted(secret).await);
    let waited = house.clock.now() - noon();
    assert!(waited < TimeDelta::seconds(1), "{waited}");
}

#[tokio::test]
async fn without_a_limiter_a_change_holds_once_everybody_follows_the_store() {
    let house = house();
    let watch = KeyWatch::start(
        house.store.clone(),
        house.limiter.clone(),
        house.clock.clone(),
    );
    let watch = watch.await.unwrap();
    let created = house.key_of(&ANA).await;
    let other = house.key_of(&ANA).await;
    assert!(house.is_admitted(created.secret.reveal()).await);
    house.limiter.fail();
    let keys = &house.keys;
    let revoked = keys.revoke(&ANA, Reach::Own, created.key.key.id).await;
    assert!(revoked.unwrap().key.revoked_at.is_some());
    let waited = house.clock.now() - noon();
    assert!((2..3).contains(&waited.num_seconds()), "{waited}");

    let change = LimitsChange::new(Some(7), None).unwrap();
    let limited = keys.set_limits(&ADMIN, other.key.key.id, change).await;
    assert_eq!(limited.unwrap().key.limits.per_minute(), 7);
    let rotated = keys.rotate(&ANA, other.key.key.id, hours(0)).await.unwrap();
    assert!(rotated.old.key.revoked_at.is_some());

    house.limiter.work();
    watch.catch_up().await.unwrap();
    assert!(!house.is_admitted(created.secret.reveal()).await);
    assert!(!house.is_admitted(other.secret.reveal()).await);
}

#[tokio::test]
async fn a_change_that_nobody_can_follow_is_not_said_to_hold() {
    let house = house();
    let created = house.key_of(&ANA).await;
    assert!(house.is_admitted(created.secret.reveal()).await);
    house.limiter.fail();
    // The store goes right after the commit.
    let store = house.store.clone();
    house
        .store
        .after_next_snapshot(async move { store.go_down() });
    let id = created.key.key.id;
    let revoked = house.keys.revoke(&ANA, Reach::Own, id).await;
    assert!(matches!(revoked, Err(KeyError::Store(_))), "{revoked:?}");
}

#[tokio::test]
async fn all_keys_that_follow_a_plan_are_waited_for_together() {
    let house = house();
    let mut holders = Vec::new();
    for _ in 0..3 {
        let created = house.key_of(&ANA).await;
        holders.push(Holder {
            id: created.key.key.id,
            secret: created.secret,
        });
    }
    let mut customer = None;
    for holder in &holders {
        customer = Some(house.ask(holder).await.unwrap().customer);
    }
    let (plan, follow) = (Plan::Enterprise, ExistingKeys::Follow);
    house.limiter.fail_once_after(0);
    let set = house.keys.set_plan(&ADMIN, customer.unwrap(), plan, follow);
    set.await.unwrap();
    for holder in &holders {
        let told = house.ask(holder).await.unwrap().standing.minute.limit;
        assert_eq!(told, 600);
    }
    let before = house.clock.now();
    house.limiter.fail();
    let plan = Plan::Startup;
    let set = house.keys.set_plan(&ADMIN, customer.unwrap(), plan, follow);
    set.await.unwrap();
    let waited = house.clock.now() - before;
    assert!((2..3).contains(&waited.num_seconds()), "{waited}");
}

#[tokio::test]
async fn a_store_that_fails_changes_nothing() {
    let house = house();
    let created = house.key_of(&ANA).await;
    let id = created.key.key.id;
    house.store.go_down();
    let keys = &house.keys;
    let results = [
        keys.create(&ANA, order(None)).await.map(drop),
        keys.revoke(&ANA, Reach::Own, id).await.map(drop),
        keys.rotate(&ANA, id, hours(0)).await.map(drop),
        keys.list(&ANA, Reach::Own, &listing()).await.map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(KeyError::Store(_))), "{result:?}");
    }
    house.store.come_back();
    let found = keys.find(&ANA, Reach::Own, id).await.unwrap();
    assert_eq!(found, created.key);
}
