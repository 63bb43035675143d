//! Lists of requests.

use super::*;

fn all() -> RequestQuery {
    every(page_of(100))
}

/// All requests from one page on, page by page.
async fn walk(
    under_test: &JournalUnderTest,
    scope: Scope,
    query: RequestQuery,
) -> Vec<RequestRecord> {
    let read = async |page| {
        let query = RequestQuery {
            page,
            ..query.clone()
        };
        under_test.stores.usage.requests(scope, &query).await
    };
    paging::walk(query.page.clone(), read).await
}

/// The request ids of matching requests, of everybody's.
async fn found(under_test: &JournalUnderTest, query: RequestQuery) -> Vec<String> {
    let found = walk(under_test, Scope::Everybody, query).await;
    let ids = found.into_iter().map(|request| request.request_id);
    ids.map(|id| id.to_string()).collect()
}

fn request_id(text: &str) -> RequestId {
    RequestId::parse(text).expect("an id of the suite")
}

/// Requests of three keys, some at the same moment, submitted in no order.
fn various(keys: &Keys) -> Vec<RequestEntry> {
    let code = |text| ParticipantCode::parse(text).expect("a code of the suite");
    let failed = RequestEntry {
        endpoint: Endpoint::ZipAuto,
        outcome: Outcome::BankTimeout,
        banks: Some(Banks {
            issuer: code("40012"),
            receiver: ParticipantCode::CENTRAL_BANK,
        }),
        duration: Duration::from_millis(25_001),
        bank_time: Some(Duration::from_millis(24_999)),
        refund: Some(Month::of(noon())),
        ..request(4, &keys.two, noon())
    };
    vec![
        request(3, &keys.one, noon()),
        failed,
        request(1, &keys.one, at("2026-11-21T11:59:59.999Z")),
        request(2, &keys.neighbours, noon()),
        request(6, &keys.two, at("2026-11-22T00:00:00.000Z")),
        request(5, &keys.one, at("2026-11-21T12:00:00.001Z")),
    ]
}

/// Records [`various`] requests of new keys.
async fn various_concluded(under_test: &JournalUnderTest) -> Keys {
    let keys = under_test.three_keys().await;
    under_test.concluded(various(&keys)).await;
    keys
}

fn newest_first(mut entries: Vec<RequestEntry>) -> Vec<RequestRecord> {
    entries.sort_by_key(|entry| std::cmp::Reverse((entry.at, entry.id)));
    entries.iter().map(kept).collect()
}

pub(super) async fn requests_are_listed_newest_first_page_by_page(under_test: JournalUnderTest) {
    let usage = &under_test.stores.usage;
    let page = ok(usage.requests(Scope::Everybody, &all())).await;
    assert_eq!((page.items, page.has_next), (vec![], false));
    assert!(page.total.is_none_or(|total| total == 0));
    let keys = various_concluded(&under_test).await;
    let expected = newest_first(various(&keys));
    let read = async |page| usage.requests(Scope::Everybody, &every(page)).await;
    paging::assert_is_paged(&expected, |request| request, read).await;
    // A page begins after the previous one despite additions: one that is newer than all, and one
    // of the same moment as the page's last one, after it.
    let end = paging::end_of(page_of(3), read).await;
    let newer = request(9, &keys.one, at("2026-11-23T00:00:00Z"));
    let older = request(0, &keys.one, noon());
    under_test.concluded([newer, older.clone()]).await;
    let mut expected = expected[3..].to_vec();
    expected.insert(2, kept(&older));
    let rest = paging::walk(page_after(end, 2), read).await;
    assert_eq!(rest, expected);
}

pub(super) async fn another_customers_requests_do_not_exist(under_test: JournalUnderTest) {
    let keys = various_concluded(&under_test).await;
    let own = async |customer, query| {
        let own = walk(&under_test, Scope::Of(customer), query).await;
        let ids = own
            .into_iter()
            .map(|request| request.request_id.to_string());
        ids.collect::<Vec<_>>()
    };
    let (first, second) = (keys.one.customer, keys.neighbours.customer);
    assert_eq!(own(second, all()).await, ["request-2"]);
    let firsts = [
        "request-6",
        "request-5",
        "request-4",
        "request-3",
        "request-1",
    ];
    assert_eq!(own(first, every(page_of(2))).await, firsts);
    assert_eq!(own(customer(3).id, all()).await, [""; 0]);
    for anothers in [
        RequestQuery {
            key: Some(keys.neighbours.id),
            ..all()
        },
        RequestQuery {
            request_id: Some(request_id("request-2")),
            ..all()
        },
    ] {
        assert_eq!(own(first, anothers).await, [""; 0]);
    }
}

pub(super) async fn requests_are_found_by_key_endpoint_outcome_and_time(
    under_test: JournalUnderTest,
) {
    let keys = various_concluded(&under_test).await;
    let of = |key: &ApiKey| RequestQuery {
        key: Some(key.id),
        ..all()
    };
    let criteria = |endpoint, outcome| RequestQuery {
        criteria: RequestCriteria { endpoint, outcome },
        ..all()
    };
    let between = |from, to| RequestQuery { from, to, ..all() };
    let (zip, delivered) = (Some(Endpoint::ZipAuto), Some(Outcome::Delivered));
    let (noon, midnight) = (Some(noon()), Some(at("2026-11-22T00:00:00Z")));
    for (query, expected) in [
        (of(&keys.one), &[5, 3, 1][..]),
        (of(&keys.two), &[6, 4]),
        (criteria(zip, None), &[4]),
        (criteria(None, Some(Outcome::BankTimeout)), &[4]),
        (criteria(None, delivered), &[6, 5, 3, 2, 1]),
        (criteria(zip, delivered), &[]),
        (between(midnight, None), &[6]),
        (between(None, noon), &[1]),
        (between(noon, midnight), &[5, 4, 3, 2]),
        (between(noon, noon), &[]),
    ] {
        let expected: Vec<_> = expected.iter().map(|it| format!("request-{it}")).collect();
        assert_eq!(found(&under_test, query).await, expected);
    }
}

pub(super) async fn requests_are_found_by_their_request_id(under_test: JournalUnderTest) {
    let keys = various_concluded(&under_test).await;
    // A caller may give several requests one id.
    let again = RequestEntry {
        request_id: request_id("request-4"),
        ..request(7, &keys.neighbours, noon())
    };
    under_test.concluded([again.clone()]).await;
    let with = |text| RequestQuery {
        request_id: Some(request_id(text)),
        ..all()
    };
    let found = walk(&under_test, Scope::Everybody, with("request-4")).await;
    let first = newest_first(vec![various(&keys)[1].clone(), again]);
    assert_eq!(found, first);
    for text in ["request-44", "request", "REQUEST-4"] {
        let found = walk(&under_test, Scope::Everybody, with(text)).await;
        assert_eq!(found, [], "{text}");
    }
}

pub(super) async fn each_condition_narrows_the_list(under_test: JournalUnderTest) {
    let keys = various_concluded(&under_test).await;
    let narrow = RequestQuery {
        key: Some(keys.two.id),
        criteria: RequestCriteria {
            endpoint: Some(Endpoint::ZipAuto),
            outcome: Some(Outcome::BankTimeout),
        },
        request_id: Some(request_id("request-4")),
        from: Some(noon()),
        to: Some(at("2026-11-21T12:00:00.001Z")),
        page: page_of(1),
    };
    assert_eq!(found(&under_test, narrow.clone()).await, ["request-4"]);
    let mut others = [narrow.clone(), narrow.clone(), narrow];
    others[0].key = Some(keys.one.id);
    others[1].request_id = Some(request_id("request-6"));
    others[2].to = Some(noon());
    for other in others {
        assert_eq!(found(&under_test, other).await, [""; 0]);
    }
}
