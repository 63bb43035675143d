//! Scope of callers: their own keys, or all of them for admins.

use super::*;

#[tokio::test]
async fn a_caller_who_creates_its_first_key_becomes_a_customer_of_the_free_plan() {
    let fixture = fixture();
    assert_eq!(fixture.data.customer(&ANA.owner).await.unwrap(), None);
    let first = fixture.created_by(&ANA).await.key.key;
    let customer = fixture.data.customer(&ANA.owner).await.unwrap().unwrap();
    assert_eq!((first.customer, &first.owner), (customer.id, &ANA.owner));
    assert_eq!(customer.plan, Plan::Startup);
    assert_eq!(first.limits, Plan::Startup.limits());
    assert_eq!([customer.created_at, first.created_at], [noon(); 2]);
    let second = fixture.created_by(&ANA).await.key.key;
    assert_eq!(second.customer, customer.id);
    let other = fixture.created_by(&LUIS).await.key.key;
    assert_ne!(other.customer, customer.id);
}

#[tokio::test]
async fn another_owners_key_does_not_exist() {
    let (fixture, key) = start().await;
    let id = key.key.key.id;
    // One is a customer with a key of its own, the other nobody yet: both see the same.
    fixture.created_by(&LUIS).await;
    for other in [LUIS.clone(), person("nobody", Role::Member)] {
        let keys = &fixture.keys;
        assert_not_found(keys.find(&other, OWN, id).await);
        assert_not_found(keys.rename(&other, OWN, id, name("mine")).await);
        assert_not_found(keys.revoke(&other, OWN, id).await);
        assert_not_found(keys.rotate(&other, id, hours(1)).await);
        assert_not_found(keys.rotate(&other, id, hours(0)).await);
        let listed = fixture.listed(&other, OWN).await.unwrap();
        assert!(![listed, fixture.own(&other).await].concat().contains(&id));
    }
    let found = fixture.keys.find(&ANA, OWN, id).await.unwrap();
    assert_eq!(found, key.key, "and nothing happened to it");
    assert!(fixture.is_admitted(key.secret.reveal()).await);
    let mut log = fixture.log().await.into_iter();
    assert!(log.all(|(action, _)| action == Action::KeyCreated));
}

#[tokio::test]
async fn an_admins_own_reach_is_its_own_and_without_a_key_its_list_is_empty() {
    let (fixture, id) = start_with_id().await;
    assert_not_found(fixture.keys.find(&ADMIN, OWN, id).await);
    assert_not_found(fixture.keys.rotate(&ADMIN, id, hours(0)).await);
    let page = fixture.keys.list(&ADMIN, OWN, &listing()).await.unwrap();
    assert!(page.items.is_empty() && !page.has_next);
    assert_eq!(page.total, Some(0));
    assert_eq!(fixture.own(&ADMIN).await, []);
    assert_eq!(fixture.data.customer(&ADMIN.owner).await.unwrap(), None);
}

#[tokio::test]
async fn a_member_may_not_act_as_an_admin() {
    let (fixture, created) = start().await;
    let (id, customer) = (created.key.key.id, created.key.key.customer);
    let keys = &fixture.keys;
    for requested in [RequestedScope::All, RequestedScope::Of(customer)] {
        assert_forbidden(fixture.listed(&ANA, requested).await);
        assert_forbidden(keys.find(&ANA, requested, id).await);
        assert_forbidden(keys.rename(&ANA, requested, id, name("mine")).await);
        assert_forbidden(keys.revoke(&ANA, requested, id).await);
    }
    assert_forbidden(keys.set_limits(&ANA, id, ten_a_minute()).await);
    let plan = keys.set_plan(&ANA, customer, Plan::Enterprise, ExistingKeys::Follow);
    assert_forbidden(plan.await);
    assert_forbidden(keys.create(&ANA, order(Some(limits(600, None)))).await);
    assert_eq!(fixture.log().await.len(), 1, "something was done");
    // The answer doesn't tell that the key exists, either.
    let unknown = KeyId(Uuid::nil());
    let unknown = keys.set_limits(&ANA, unknown, ten_a_minute()).await;
    assert_forbidden(unknown);
}

#[tokio::test]
async fn an_admin_reaches_everybodys_keys_and_one_customers() {
    let fixture = fixture();
    let ana_s = fixture.created_by(&ANA).await;
    fixture.clock.advance(Duration::from_millis(1));
    let luis_s = fixture.created_by(&LUIS).await;
    let (ana_s, luis_s) = (ana_s.key.key, luis_s.key.key);
    let all = fixture.listed(&ADMIN, RequestedScope::All).await.unwrap();
    assert_eq!(all, [luis_s.id, ana_s.id]);
    let of_ana = RequestedScope::Of(ana_s.customer);
    assert_eq!(fixture.listed(&ADMIN, of_ana).await.unwrap(), [ana_s.id]);
    let keys = &fixture.keys;
    // Another customer's than the named one's.
    assert_not_found(keys.find(&ADMIN, of_ana, luis_s.id).await);
    let renamed = keys.rename(&ADMIN, RequestedScope::All, ana_s.id, name("checked"));
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
    assert_eq!(fixture.log().await, expected);
}

#[tokio::test]
async fn an_act_is_written_down_with_its_request() {
    let (fixture, id) = start_with_id().await;
    let ask = PageRequest::first(PageSize::MAX);
    let filter = AuditFilter {
        key: Some(id),
        ..AuditFilter::default()
    };
    let log = fixture.data.audit(&filter, &ask).await.unwrap();
    let [(_, entry)] = &log.items[..] else {
        panic!("one thing was done");
    };
    assert_eq!(entry.act.actor, ANA.owner);
    assert_eq!(entry.act.request_id, ANA.request_id);
    assert_eq!(entry.act.at, noon());
}

#[tokio::test]
async fn what_people_look_at_is_read_over_connections_of_its_own() {
    let (fixture, id) = start_with_id().await;
    let of_admissions = Arc::new(fixture.data.elsewhere());
    let of_people = Arc::new(fixture.data.elsewhere());
    let keys = KeyService::new(
        of_admissions.clone(),
        of_admissions.clone(),
        fixture.limiter.clone(),
        fixture.clock.clone(),
        fixture.clock.clone(),
        Arc::new(CountingRandom::default()),
        hasher(),
    )
    .reading_from(of_people.clone(), of_people);
    of_admissions.faults().inject(Fault::Fails);
    let first = PageRequest::first(PageSize::MIN);
    let own = keys.own(&ANA, RevokedKeys::Included, &first).await.unwrap();
    assert_eq!(own.items[0].1.id, id);
    let listed = keys.list(&ANA, OWN, &listing()).await;
    assert_eq!(listed.unwrap().items.len(), 1);
    keys.find(&ANA, OWN, id).await.unwrap();
    assert_eq!(of_admissions.faults().all_calls(), 0);
}
