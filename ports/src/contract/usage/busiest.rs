//! Use of more keys than a report separates.

use super::*;

pub(super) async fn of_many_keys_the_busiest_have_rows_of_their_own(under_test: JournalUnderTest) {
    let customer = under_test.stores.enrolled(1).await;
    let many = u16::try_from(MAX_SERIES).expect("few series") + 2;
    let mut requests = Vec::new();
    let mut used = BTreeMap::new();
    for number in 1..=many {
        let record = record_of(&customer, number);
        let key = under_test.stores.insert(record, number).await;
        // The first two are used once each, all others twice, in two hours.
        let times = if number <= 2 { 1 } else { 2 };
        for hour in 0..times {
            let instant = at(&format!("11-21T0{hour}:30:00"));
            requests.push(request(number * 2 + hour, &key, instant));
        }
        used.insert(key.id, u64::from(times));
    }
    under_test.concluded(requests).await;
    for granularity in [Granularity::Hour, Granularity::Day] {
        let (from, to) = (at("11-21T00:00:00"), at("11-22T00:00:00"));
        let query = UsageQuery {
            period: Period::new(from, to, granularity).expect("a period of the suite"),
            breakdown: Breakdown::Key,
            key: None,
            criteria: RequestCriteria::default(),
        };
        let (own, usage) = (Scope::Of(customer.id), &under_test.stores.usage);
        let rows = ok(usage.usage(own, &query)).await;
        let mut told: BTreeMap<Option<KeyId>, u64> = BTreeMap::new();
        for row in rows {
            *told.entry(row.key).or_default() += row.requests;
        }
        let busy = used.iter().filter(|(_, times)| **times == 2);
        let mut expected: BTreeMap<_, _> = busy.map(|(key, times)| (Some(*key), *times)).collect();
        expected.insert(None, 2);
        assert_eq!(told, expected, "{granularity:?}");
    }
}
