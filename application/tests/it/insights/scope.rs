//! Scope of callers: their own usage and requests, or everything for admins.

use super::*;

#[tokio::test]
async fn a_caller_has_no_usage_and_becomes_a_customer_once_by_asking_for_its_account() {
    let fixture = fixture();
    let ask = usage(fixture.days(3), Breakdown::Total);
    let report = fixture.report(&ANA, &ask).await;
    assert_eq!(report.series[0].counts, [0, 0, 0]);
    assert_eq!(fixture.requests(&ANA, &listing()).await, 0);
    let known = fixture.data.customer(&ANA.owner).await.unwrap();
    assert_eq!(known, None, "looking makes nobody a customer");
    let first = fixture.insights.customer(&ANA).await.unwrap();
    assert_eq!((&first.owner, first.plan), (&ANA.owner, Plan::Startup));
    let again = fixture.insights.customer(&ANA).await.unwrap();
    assert_eq!(again, first);
    let key = fixture.own_key_of(&ANA).await;
    let overview = fixture.overview(&ANA, &key).await;
    assert_eq!(overview.key.customer, first.id);
}

#[tokio::test]
async fn anothers_use_and_requests_are_not_seen() {
    let fixture = fixture();
    let (anas, luis) = (
        fixture.own_key_of(&ANA).await,
        fixture.own_key_of(&LUIS).await,
    );
    fixture.serve(&anas, Outcome::Delivered).await;
    let ask = usage(fixture.days(1), Breakdown::Key);
    let of_key = |key: &Holder| UsageQuery {
        key: Some(key.id),
        ..ask
    };
    let insights = &fixture.insights;
    // Nor by an admin who names another customer.
    let customer = fixture.overview(&ANA, &anas).await.key.customer;
    let (of_ana, of_luis) = (RequestedScope::Of(customer), of_key(&luis));
    assert_not_found(insights.usage(&ADMIN, of_ana, &of_luis).await);
    let all = RequestedScope::All;
    insights.usage(&ADMIN, all, &of_luis).await.unwrap();
    let report = fixture.report(&LUIS, &ask).await;
    assert_eq!((report.totals.requests, report.series), (0, vec![]));
    assert_eq!(fixture.requests(&LUIS, &listing()).await, 0);
    for other in [&*LUIS, &person("nobody", Role::Member), &*ADMIN] {
        assert_not_found(insights.usage(other, OWN, &of_key(&anas)).await);
        let ask = RequestQuery {
            key: Some(anas.id),
            ..listing()
        };
        assert_not_found(insights.requests(other, OWN, &ask).await);
    }
    // A key without usage isn't the same as a key that doesn't exist.
    let own = fixture.report(&LUIS, &of_key(&luis)).await;
    assert_eq!(own.totals.requests, 0);
}

#[tokio::test]
async fn only_admins_see_all_customers() {
    let fixture = fixture();
    let key = fixture.own_key_of(&ANA).await;
    fixture.own_key_of(&LUIS).await;
    fixture.serve(&key, Outcome::Delivered).await;
    let customer = fixture.overview(&ANA, &key).await.key.customer;
    let insights = &fixture.insights;
    let ask = usage(fixture.days(1), Breakdown::Total);
    let everything = AuditFilter::default();
    for requested in [RequestedScope::All, RequestedScope::Of(customer)] {
        assert_forbidden(insights.usage(&ANA, requested, &ask).await);
        assert_forbidden(insights.requests(&ANA, requested, &listing()).await);
        let report = insights.usage(&ADMIN, requested, &ask).await.unwrap();
        assert_eq!(report.totals.requests, 1);
        let page = insights.requests(&ADMIN, requested, &listing()).await;
        assert_eq!(page.unwrap().items.len(), 1);
    }
    assert_forbidden(insights.customers(&ANA, None, &page()).await);
    assert_forbidden(insights.audit(&ANA, &everything, &page()).await);
    let customers = insights.customers(&ADMIN, Some("ana"), &page()).await;
    let customers = customers.unwrap();
    let [(_, ana)] = &customers.items[..] else {
        panic!("one customer is called so");
    };
    assert_eq!((ana.customer.id, ana.active_keys), (customer, 1));
    assert_eq!(ana.used.net(), 1);
    let log = insights.audit(&ADMIN, &everything, &page()).await.unwrap();
    assert_eq!(log.items.len(), 2);
}

#[tokio::test]
async fn a_cursor_of_another_list_is_named_so() {
    let fixture = fixture();
    fixture.own_key_of(&ANA).await;
    let wrong = PageRequest {
        after: Some(Cursor {
            value: "a name".to_owned(),
            id: Uuid::nil(),
        }),
        ..page()
    };
    let insights = &fixture.insights;
    let ask = RequestQuery {
        page: wrong.clone(),
        ..listing()
    };
    let everything = AuditFilter::default();
    let results = [
        insights.requests(&ANA, OWN, &ask).await.map(drop),
        insights.customers(&ADMIN, None, &wrong).await.map(drop),
        insights.audit(&ADMIN, &everything, &wrong).await.map(drop),
    ];
    for result in results {
        assert!(matches!(result, Err(KeyError::Cursor)), "{result:?}");
    }
}
