//! Contract of the usage journal.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::KeyId;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::page::{PageRequest, PageSize};
use domain::participants::ParticipantCode;
use domain::request::{RequestId, RequestQuery, RequestRecord};
use domain::seals::SealVerdict;
use domain::transfer::Banks;
use domain::usage::RequestCriteria;
use futures::future::join_all;
use uuid::Uuid;

use super::fixture::{customer, record};
use super::paging;
use super::stores::Stores;
use crate::outbound::{AdmissionEntry, RefusalEntry, RequestEntry, Scope, UsageJournal};

/// A journal, and the stores to read its entries from.
pub struct JournalUnderTest {
    /// The journal.
    pub journal: Arc<dyn UsageJournal>,
    /// The empty database that it writes to.
    pub stores: Stores,
}

cases! {
    $ journal(JournalUnderTest)
    self::admissions_are_counted_exactly_once_their_receipts_resolved,
    self::keys_and_months_are_counted_separately,
    self::a_refund_returns_one_request_to_its_month,
    self::the_last_use_is_kept_to_the_minute_and_never_goes_back,
    self::every_request_is_recorded_unchanged,
    self::a_refused_request_is_neither_charged_nor_recorded,
    self::a_request_submitted_twice_is_recorded_once,
    self::an_unknown_key_does_not_block_other_entries,
    self::a_probe_or_an_idle_flush_leaves_nothing_behind,
}

pub(super) fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_795_262_459_999).expect("an instant of the suite")
}

fn admission(key: KeyId) -> AdmissionEntry {
    AdmissionEntry {
        key,
        month: Month::of(noon()),
        at: noon(),
    }
}

fn next_month() -> Month {
    Month::of(Month::of(noon()).end())
}

pub(super) fn request(number: u128, key: KeyId, outcome: Outcome) -> RequestEntry {
    let code = |text| ParticipantCode::parse(text).expect("a code of the suite");
    RequestEntry {
        id: Uuid::from_u128(number),
        request_id: RequestId::parse("Caller:own.id-1_2").expect("an id of the suite"),
        key,
        customer: customer(1).id,
        endpoint: Endpoint::ZipAuto,
        outcome,
        banks: Some(Banks {
            issuer: code("40012"),
            receiver: ParticipantCode::CENTRAL_BANK,
        }),
        at: noon(),
        duration: Duration::from_millis(1_234),
        bank_time: Some(Duration::from_millis(987)),
        refund: outcome.is_refunded().then(|| Month::of(noon())),
        delivered: Vec::new(),
        seal: None,
    }
}

fn refusal(key: KeyId, outcome: Outcome) -> RefusalEntry {
    RefusalEntry {
        key,
        customer: customer(1).id,
        endpoint: Endpoint::ZipAuto,
        outcome,
        at: noon(),
    }
}

/// The record expected of a request.
pub(super) fn kept(entry: &RequestEntry) -> RequestRecord {
    RequestRecord {
        id: entry.id,
        request_id: entry.request_id.clone(),
        key: entry.key,
        endpoint: entry.endpoint,
        outcome: entry.outcome,
        banks: entry.banks,
        at: entry.at,
        duration: entry.duration,
        bank_time: entry.bank_time,
        seal: entry.seal,
    }
}

/// A query for all requests.
pub(super) fn every(page: PageRequest) -> RequestQuery {
    RequestQuery {
        key: None,
        criteria: RequestCriteria::default(),
        request_id: None,
        from: None,
        to: None,
        page,
    }
}

impl JournalUnderTest {
    async fn key(&self, number: u16) -> KeyId {
        self.stores.added(number).await.id
    }

    /// The recorded requests, by their id.
    async fn requests(&self) -> Vec<RequestRecord> {
        let (usage, everybody) = (&self.stores.usage, Scope::Everybody);
        let read = async |page| usage.requests(everybody, &every(page)).await;
        let mut requests = paging::walk(PageRequest::first(PageSize::MAX), read).await;
        requests.sort_by_key(|request| request.id);
        requests
    }

    async fn admit(&self, entry: AdmissionEntry) {
        self.admit_all([entry]).await;
    }

    /// Admits all before any is durable.
    async fn admit_all(&self, entries: impl IntoIterator<Item = AdmissionEntry>) {
        let receipts = entries.into_iter().map(|entry| self.journal.admit(entry));
        let receipts: Vec<_> = receipts.collect();
        for receipt in join_all(receipts).await {
            receipt.expect("the admission becomes durable");
        }
    }

    fn conclude(&self, entry: RequestEntry) {
        self.journal.conclude(entry);
    }

    pub(super) async fn flush(&self) {
        self.journal.flush().await.expect("the journal is written");
    }

    async fn used(&self, key: KeyId, month: Month) -> (u64, u64) {
        self.stores.used_by(key, month).await
    }

    async fn used_now(&self, key: KeyId) -> (u64, u64) {
        self.used(key, Month::of(noon())).await
    }

    async fn last_use(&self, key: KeyId) -> Option<String> {
        let last_use = self.stores.found(key).await.last_used_at;
        last_use.map(|at| at.to_rfc3339())
    }
}

async fn admissions_are_counted_exactly_once_their_receipts_resolved(under_test: JournalUnderTest) {
    let key = under_test.key(1).await;
    for (at_once, expected) in [(1, 1), (1, 2), (1_000, 1_002)] {
        let admissions = std::iter::repeat_n(admission(key), at_once);
        under_test.admit_all(admissions).await;
        assert_eq!(under_test.used_now(key).await, (expected, 0));
    }
}

async fn keys_and_months_are_counted_separately(under_test: JournalUnderTest) {
    let mut keys = Vec::new();
    for number in 0..100 {
        keys.push(under_test.key(number).await);
    }
    let mut admissions = Vec::new();
    for (times, key) in (1..).zip(&keys) {
        admissions.extend(std::iter::repeat_n(admission(*key), times));
        admissions.push(AdmissionEntry {
            month: next_month(),
            ..admission(*key)
        });
    }
    under_test.admit_all(admissions).await;
    for (expected, key) in (1..).zip(&keys) {
        assert_eq!(under_test.used_now(*key).await, (expected, 0));
        assert_eq!(under_test.used(*key, next_month()).await, (1, 0));
    }
}

async fn a_refund_returns_one_request_to_its_month(under_test: JournalUnderTest) {
    let key = under_test.key(1).await;
    under_test.admit(admission(key)).await;
    under_test.admit(admission(key)).await;
    under_test.conclude(request(1, key, Outcome::BankTimeout));
    under_test.conclude(request(2, key, Outcome::Delivered));
    under_test.flush().await;
    assert_eq!(under_test.used_now(key).await, (2, 1));
    assert_eq!(under_test.used(key, next_month()).await, (0, 0));
}

async fn the_last_use_is_kept_to_the_minute_and_never_goes_back(under_test: JournalUnderTest) {
    let key = under_test.key(1).await;
    let unused = under_test.key(2).await;
    assert_eq!(under_test.last_use(key).await, None);
    let minute = "2026-11-21T12:00:00+00:00";
    under_test.admit(admission(key)).await;
    assert_eq!(under_test.last_use(key).await.as_deref(), Some(minute));
    let earlier = AdmissionEntry {
        at: noon() - TimeDelta::minutes(5),
        ..admission(key)
    };
    under_test.admit(earlier).await;
    assert_eq!(under_test.last_use(key).await.as_deref(), Some(minute));
    let later = AdmissionEntry {
        at: noon() + TimeDelta::milliseconds(1),
        ..admission(key)
    };
    // The later one counts, in one commit or two.
    under_test.admit_all([later, earlier]).await;
    let next_minute = "2026-11-21T12:01:00+00:00";
    assert_eq!(under_test.last_use(key).await.as_deref(), Some(next_minute));
    assert_eq!(under_test.last_use(unused).await, None);
}

async fn every_request_is_recorded_unchanged(under_test: JournalUnderTest) {
    let key = under_test.key(1).await;
    let bare = RequestEntry {
        banks: None,
        bank_time: None,
        duration: Duration::ZERO,
        ..request(0, key, Outcome::InvalidRequest)
    };
    let mut entries = vec![bare];
    for outcome in Outcome::ALL {
        entries.extend(Endpoint::ALL.map(|endpoint| RequestEntry {
            endpoint,
            ..request(0, key, outcome)
        }));
    }
    // One without a verdict stands among the others, in the same commit.
    let verdicts = SealVerdict::ALL.map(Some);
    for seal in [&verdicts[..], &[None], &verdicts].concat() {
        entries.push(RequestEntry {
            seal,
            ..request(0, key, Outcome::Delivered)
        });
    }
    for (number, entry) in (1..).zip(&mut entries) {
        entry.id = Uuid::from_u128(number);
        under_test.conclude(entry.clone());
    }
    under_test.flush().await;
    let expected: Vec<_> = entries.iter().map(kept).collect();
    assert_eq!(under_test.requests().await, expected);
}

async fn a_refused_request_is_neither_charged_nor_recorded(under_test: JournalUnderTest) {
    let key = under_test.key(1).await;
    for outcome in [Outcome::RateLimited, Outcome::QuotaExceeded] {
        under_test.journal.refuse(refusal(key, outcome));
    }
    under_test.flush().await;
    assert_eq!(under_test.used_now(key).await, (0, 0));
    assert_eq!(under_test.last_use(key).await, None);
    assert_eq!(under_test.requests().await, []);
}

async fn a_request_submitted_twice_is_recorded_once(under_test: JournalUnderTest) {
    let key = under_test.key(1).await;
    for _ in 0..2 {
        under_test.conclude(request(1, key, Outcome::NotFound));
    }
    under_test.flush().await;
    under_test.conclude(request(1, key, Outcome::NotFound));
    under_test.flush().await;
    assert_eq!(under_test.requests().await.len(), 1);
}

async fn a_probe_or_an_idle_flush_leaves_nothing_behind(under_test: JournalUnderTest) {
    let key = under_test.key(1).await;
    let in_trouble = || under_test.journal.trouble().map(|cause| cause.to_string());
    assert_eq!(in_trouble(), None, "before anything was written");
    under_test.flush().await;
    for count in 1..=3 {
        under_test.journal.probe();
        under_test.flush().await;
        under_test.admit(admission(key)).await;
        under_test.journal.probe();
        assert_eq!(under_test.used_now(key).await, (count, 0));
        assert_eq!(in_trouble(), None);
    }
    under_test.flush().await;
    assert_eq!(under_test.requests().await, []);
    under_test.journal.accepts().expect("it writes");
}

async fn an_unknown_key_does_not_block_other_entries(under_test: JournalUnderTest) {
    let key = under_test.key(1).await;
    let unknown = record(2).key.id;
    let receipts = [unknown, key].map(|key| under_test.journal.admit(admission(key)));
    let refused = refusal(unknown, Outcome::RateLimited);
    under_test.journal.refuse(refused);
    under_test.conclude(request(1, unknown, Outcome::Delivered));
    for receipt in join_all(receipts).await {
        receipt.expect("the admission becomes durable");
    }
    under_test.flush().await;
    assert_eq!(under_test.used_now(key).await, (1, 0));
}
