//! Lists of requests.

use super::*;

fn all() -> RequestQuery {
    every(page_of(100))
}

/// All requests from one page on, page by page.
async fn walk(on: &JournalUnderTest, scope: Scope, query: RequestQuery) -> Vec<RequestRecord> {
    let read = async |page| {
        let query = RequestQuery {
            page,
            ..query.clone()
        };
        on.stores.usage.requests(scope, &query).await
    };
    paging::walk(query.page.clone(), read).await
}

fn with_id(text: &str) -> RequestQuery {
    RequestQuery {
        request_id: Some(RequestId::parse(text).expect("an id of the suite")),
        ..all()
    }
}

/// The records of [`various`] requests with these numbers.
fn numbered(keys: &Keys, numbers: &[u16]) -> Vec<RequestRecord> {
    let all = various(keys);
    let one = |number: &u16| {
        all.iter()
            .find(|entry| entry.id == record(*number).key.id.0)
    };
    let entries = numbers
        .iter()
        .map(|number| one(number).expect("one of them"));
    entries.map(kept).collect()
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
        request(1, &keys.one, at("11-21T11:59:59.999")),
        request(2, &keys.neighbours, noon()),
        request(6, &keys.two, at("11-22T00:00:00")),
        request(5, &keys.one, at("11-21T12:00:00.001")),
    ]
}

/// Records [`various`] requests of new keys.
async fn various_concluded(under_test: &JournalUnderTest) -> Keys {
    let keys = under_test.three_keys().await;
    under_test.concluded(various(&keys)).await;
    keys
}

pub(super) async fn requests_are_listed_newest_first_page_by_page(under_test: JournalUnderTest) {
    let usage = &under_test.stores.usage;
    let page = ok(usage.requests(Scope::Everybody, &all())).await;
    assert_eq!((page.items, page.has_next), (vec![], false));
    assert!(page.total.is_none_or(|total| total == 0));
    let keys = various_concluded(&under_test).await;
    let expected = numbered(&keys, &[6, 5, 4, 3, 2, 1]);
    let read = async |page| usage.requests(Scope::Everybody, &every(page)).await;
    paging::assert_is_paged(&expected, |request| request, read).await;
    // A page begins after the previous one despite additions: one that is newer than all, and one
    // of the same moment as the page's last one, after it.
    let end = paging::end_of(page_of(3), read).await;
    let newer = request(9, &keys.one, at("11-23T00:00:00"));
    let older = request(0, &keys.one, noon());
    under_test.concluded([newer, older.clone()]).await;
    let mut expected = expected[3..].to_vec();
    expected.insert(2, kept(&older));
    let rest = paging::walk(page_after(end, 2), read).await;
    assert_eq!(rest, expected);
}

pub(super) async fn another_customers_requests_do_not_exist(under_test: JournalUnderTest) {
    let keys = various_concluded(&under_test).await;
    let (first, second) = (keys.one.customer, keys.neighbours.customer);
    let by_key = RequestQuery {
        key: Some(keys.neighbours.id),
        ..all()
    };
    for (customer, query, expected) in [
        (second, all(), &[2][..]),
        (first, every(page_of(2)), &[6, 5, 4, 3, 1]),
        (customer(3).id, all(), &[]),
        (first, by_key, &[]),
        (first, with_id("request-2"), &[]),
    ] {
        let found = walk(&under_test, Scope::Of(customer), query).await;
        assert_eq!(found, numbered(&keys, expected));
    }
}

pub(super) async fn requests_are_found_by_each_condition(under_test: JournalUnderTest) {
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
    let (midday, midnight) = (Some(noon()), Some(at("11-22T00:00:00")));
    let narrow = RequestQuery {
        from: midday,
        to: Some(at("11-21T12:00:00.001")),
        page: page_of(1),
        key: Some(keys.two.id),
        request_id: with_id("request-4").request_id,
        ..criteria(zip, Some(Outcome::BankTimeout))
    };
    let mut others = [narrow.clone(), narrow.clone(), narrow.clone()];
    others[0].key = Some(keys.one.id);
    others[1].request_id = with_id("request-6").request_id;
    others[2].to = midday;
    let conditions = [
        (of(&keys.one), &[5, 3, 1][..]),
        (of(&keys.two), &[6, 4]),
        (criteria(zip, None), &[4]),
        (criteria(None, Some(Outcome::BankTimeout)), &[4]),
        (criteria(None, delivered), &[6, 5, 3, 2, 1]),
        (criteria(zip, delivered), &[]),
        (between(midnight, None), &[6]),
        (between(None, midday), &[1]),
        (between(midday, midnight), &[5, 4, 3, 2]),
        (between(midday, midday), &[]),
        (with_id("request-4"), &[4]),
        (with_id("request-44"), &[]),
        (with_id("request"), &[]),
        (with_id("REQUEST-4"), &[]),
        (narrow, &[4]),
    ];
    let others = others.map(|other| (other, &[][..]));
    for (query, expected) in conditions.into_iter().chain(others) {
        let found = walk(&under_test, Scope::Everybody, query.clone()).await;
        assert_eq!(found, numbered(&keys, expected), "{query:?}");
    }
    // A caller may give several requests one id.
    let again = RequestEntry {
        request_id: RequestId::parse("request-4").expect("an id of the suite"),
        ..request(0, &keys.neighbours, noon())
    };
    under_test.concluded([again.clone()]).await;
    let found = walk(&under_test, Scope::Everybody, with_id("request-4")).await;
    assert_eq!(found, [numbered(&keys, &[4]), vec![kept(&again)]].concat());
}
