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

pub(super) async fn without_requests_the_page_is_empty(under_test: JournalUnderTest) {
    under_test.three_keys().await;
    let (reader, query) = (&under_test.stores.usage, all());
    let page = ok(reader.requests(Scope::Everybody, &query)).await;
    assert_eq!(page.items, []);
    assert!(!page.has_next);
    assert!(page.total.is_none_or(|total| total == 0), "{page:?}");
}

pub(super) async fn pages_of_any_size_give_each_request_once_newest_first(
    under_test: JournalUnderTest,
) {
    let keys = various_concluded(&under_test).await;
    let expected = newest_first(various(&keys));
    for size in [1, 2, 3, 5, 6, 7, 100] {
        let walked = walk(&under_test, Scope::Everybody, every(page_of(size))).await;
        assert_eq!(walked, expected, "{size} a page");
    }
}

pub(super) async fn a_page_begins_after_the_previous_one_despite_additions(
    under_test: JournalUnderTest,
) {
    let keys = various_concluded(&under_test).await;
    let usage = &under_test.stores.usage;
    let read = async |page| usage.requests(Scope::Everybody, &every(page)).await;
    let end = paging::end_of(page_of(3), read).await;
    // One that is newer than all, and one of the same moment as the page's last one, after it.
    let newer = request(9, &keys.one, at("2026-11-23T00:00:00Z"));
    let older = request(0, &keys.one, noon());
    under_test.concluded([newer, older.clone()]).await;
    let mut expected = newest_first(various(&keys))[3..].to_vec();
    expected.insert(2, kept(&older));
    let rest = every(page_after(end, 2));
    assert_eq!(walk(&under_test, Scope::Everybody, rest).await, expected);
}

pub(super) async fn a_cursor_of_another_list_is_refused(under_test: JournalUnderTest) {
    various_concluded(&under_test).await;
    let usage = &under_test.stores.usage;
    let read = async |page| usage.requests(Scope::Everybody, &every(page)).await;
    paging::assert_foreign_cursor_is_refused(read).await;
}

pub(super) async fn another_customers_requests_do_not_exist(under_test: JournalUnderTest) {
    let keys = various_concluded(&under_test).await;
    let own = async |customer, query| {
        let own = walk(&under_test, Scope::Of(customer), query).await;
        own.into_iter()
            .map(|request| request.key)
            .collect::<Vec<_>>()
    };
    let (first, second) = (keys.one.customer, keys.neighbours.customer);
    assert_eq!(own(second, all()).await, [keys.neighbours.id]);
    let firsts = own(first, every(page_of(2))).await;
    assert_eq!(firsts.len(), 5);
    assert!(!firsts.contains(&keys.neighbours.id));
    assert_eq!(own(customer(3).id, all()).await, []);

    let by_key = RequestQuery {
        key: Some(keys.neighbours.id),
        ..all()
    };
    assert_eq!(own(first, by_key).await, []);
    let by_request_id = RequestQuery {
        request_id: Some(request_id("request-2")),
        ..all()
    };
    assert_eq!(own(first, by_request_id).await, []);
}

pub(super) async fn requests_are_found_by_endpoint_and_outcome(under_test: JournalUnderTest) {
    let keys = various_concluded(&under_test).await;
    let of_key = async |key: &ApiKey| {
        let query = RequestQuery {
            key: Some(key.id),
            ..all()
        };
        found(&under_test, query).await
    };
    let firsts = ["request-5", "request-3", "request-1"];
    assert_eq!(of_key(&keys.one).await, firsts);
    assert_eq!(of_key(&keys.two).await, ["request-6", "request-4"]);
    let criteria = async |endpoint, outcome| {
        let query = RequestQuery {
            criteria: RequestCriteria { endpoint, outcome },
            ..all()
        };
        found(&under_test, query).await
    };
    let (zip, found) = (Some(Endpoint::ZipAuto), Some(Outcome::Delivered));
    let late = Some(Outcome::BankTimeout);
    assert_eq!(criteria(zip, None).await, ["request-4"]);
    assert_eq!(criteria(None, late).await, ["request-4"]);
    assert_eq!(criteria(None, found).await.len(), 5);
    assert_eq!(criteria(zip, found).await, [""; 0]);
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

pub(super) async fn requests_are_found_by_time_of_admission(under_test: JournalUnderTest) {
    various_concluded(&under_test).await;
    let between = async |from: Option<DateTime<Utc>>, to: Option<DateTime<Utc>>| {
        found(&under_test, RequestQuery { from, to, ..all() }).await
    };
    let midnight = at("2026-11-22T00:00:00Z");
    assert_eq!(between(Some(midnight), None).await, ["request-6"]);
    assert_eq!(between(None, Some(noon())).await, ["request-1"]);
    assert_eq!(
        between(Some(noon()), Some(midnight)).await,
        ["request-5", "request-4", "request-3", "request-2"]
    );
    assert_eq!(between(Some(noon()), Some(noon())).await, [""; 0]);
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
    for other in [
        RequestQuery {
            key: Some(keys.one.id),
            ..narrow.clone()
        },
        RequestQuery {
            request_id: Some(request_id("request-6")),
            ..narrow.clone()
        },
        RequestQuery {
            to: Some(noon()),
            ..narrow
        },
    ] {
        assert_eq!(found(&under_test, other).await, [""; 0]);
    }
}
