//! Limits and revocations hold while the shared limiter fails, and after.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use crate::support::{Elsewhere, WatchedKeys, act, limits, noon};
use application::{
    CountSource, FallbackLimiter, LimiterMode, Reconciliation, ReplicaCount, ReplicaMonitor,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::keys::{CountedKey, KeyBounds, KeyId};
use domain::limits::{LimitStatus, Limits, MonthStatus, MonthlyUse};
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use futures::FutureExt;
use memory::InProcessLimiter;
use ports::contract::limiter::{LimiterUnderTest, TestTime};
use ports::outbound::{
    AdmissionEntry, Charge, Clock, CustomerStore, KeyRecord, KeyState, KeyStore, Limiter,
    LimiterError, ReplicaRegistry, RequestEntry, Snapshot, StoreError, UsageJournal, Verdict,
};
use testkit::fakes::{Fault, FaultyLimiter, ManualClock, MemoryJournal, MemoryStore};
use uuid::Uuid;

mod bounds;
mod clocks;
mod health;
mod quota;
mod reconciliation;
mod replica;
mod restart;
mod rotation;
mod share;

use replica::*;

ports::limiter!(while_the_shared_limiter_works().await);

async fn while_the_shared_limiter_works() -> LimiterUnderTest {
    let replica = Replica::one_of(3, limits(60, None)).await;
    assert_eq!(replica.shared.in_process().forget_idle(), 1);
    LimiterUnderTest {
        limiter: replica.limiter,
        time: Arc::new(ManualTime(replica.clock)),
    }
}

#[tokio::test]
async fn one_that_works_costs_no_reading_of_the_store() {
    let replica = Replica::one_of(3, limits(10, Some(100))).await;
    assert_eq!(replica.admitted_of(20).await, 10);
    assert_eq!(replica.store.snapshots_read(), 0);
    assert_eq!(replica.limiter.mode(), LimiterMode::Shared);
}

#[tokio::test]
async fn a_degraded_replica_admits_its_share_of_the_minute() {
    for (per_minute, share) in [(60, 20), (2, 1), (100, 33)] {
        let replica = Replica::one_of(3, limits(per_minute, None)).await;
        let admitted = replica.degrade().await;
        assert_eq!(admitted + replica.admitted_of(100).await, share);
        let limit = replica.is_over_rate().await.minute.limit;
        assert_eq!(limit as usize, share);
    }
}

#[tokio::test]
async fn new_limits_and_a_revocation_hold_at_once_for_a_degraded_replica() {
    let replica = Replica::degraded(2, limits(100, None)).await;
    replica.data.set_key_limits(KEY.id, limits(10, None)).await;
    assert_eq!(replica.admitted_of(100).await, 2);
    replica.data.set_key_limits(KEY.id, limits(20, None)).await;
    assert_eq!(replica.admitted_of(100).await, 5);
    replica.data.revoke_key(KEY.id).await;
    assert_eq!(replica.ask().await.unwrap(), Verdict::Revoked);
    assert_eq!(replica.limiter.peek(KEY).await.unwrap(), None);
}

#[tokio::test]
async fn a_revocation_that_the_shared_limiter_missed_is_refused_once_it_is_back() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    // No request with the key comes in the outage, and no failed admission opened the circuit.
    replica.shared.faults().inject(Fault::Fails);
    replica.data.revoke_key(KEY.id).await;
    let state = replica.in_store().await.state;
    replica.limiter.apply(KEY, state).await.unwrap_err();
    replica.shared.faults().clear();
    assert_eq!(replica.limiter.mode(), LimiterMode::Shared);
    assert_eq!(replica.ask().await.unwrap(), Verdict::Revoked);
}

#[tokio::test]
async fn the_mode_is_known_before_the_first_request() {
    for (fault, mode) in [
        (None, LimiterMode::Shared),
        (Some(Fault::Fails), LimiterMode::Degraded),
    ] {
        let replica = Replica::one_of(1, limits(100, None)).await;
        let readings = replica.store.snapshots_read();
        if let Some(fault) = fault {
            replica.shared.faults().inject(fault);
        }
        replica.limiter.begin().await;
        assert_eq!(replica.limiter.mode(), mode);
        assert_eq!(replica.store.snapshots_read(), readings);
    }
}

#[tokio::test]
async fn a_revocation_that_could_not_be_propagated_is_refused_once_the_shared_limiter_is_back() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    let other = CountedKey::first(KeyId(Uuid::from_u128(8)));
    replica.shared.faults().inject(Fault::Fails);
    for _ in 0..3 {
        let unknown = replica.limiter.admit(other).await.unwrap();
        assert!(matches!(unknown, Verdict::Unknown { .. }));
    }
    assert_eq!(replica.limiter.mode(), LimiterMode::Degraded);
    replica.data.revoke_key(KEY.id).await;
    replica.recover();
    assert_eq!(replica.ask().await.unwrap(), Verdict::Revoked);
    assert_eq!(replica.limiter.mode(), LimiterMode::Shared);
}

#[tokio::test]
async fn a_revocation_that_a_server_lost_to_its_successor_is_refused_after_one_failure() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    assert_eq!(replica.admitted_of(1).await, 1);
    // The server that applied it is gone; the one in its place missed it.
    replica.data.revoke_key(KEY.id).await;
    replica.shared.faults().inject(Fault::Fails);
    assert_eq!(replica.ask().await.unwrap(), Verdict::Revoked);
    replica.shared.faults().clear();
    assert_eq!(replica.limiter.mode(), LimiterMode::Shared);
    assert_eq!(replica.ask().await.unwrap(), Verdict::Revoked);
}

#[tokio::test]
async fn a_key_that_the_store_has_not_is_unknown() {
    let replica = Replica::degraded(1, limits(100, None)).await;
    let nobody = CountedKey::first(KeyId(Uuid::from_u128(404)));
    let verdict = replica.limiter.admit(nobody).await.unwrap();
    let month = Month::of(noon());
    assert_eq!(verdict, Verdict::Unknown { month });
    assert_eq!(replica.limiter.peek(nobody).await.unwrap(), None);
}

#[tokio::test]
async fn with_both_down_nothing_is_admitted() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    replica.shared.faults().inject(Fault::Fails);
    replica.store.go_down();
    for _ in 0..10 {
        replica.ask().await.unwrap_err();
        replica.limiter.peek(KEY).await.unwrap_err();
    }
    replica.store.come_back();
    assert_eq!(replica.admitted_of(1).await, 1);
}

#[tokio::test]
async fn the_shared_limiter_is_spared_and_probed_by_one_at_a_time() {
    let replica = Replica::degraded(1, limits(100, None)).await;
    let calls = replica.shared.faults().all_calls();
    assert_eq!(replica.admitted_of(10).await, 10);
    assert_eq!(replica.shared.faults().all_calls(), calls);

    replica.shared.faults().inject(Fault::Hangs);
    replica.clock.advance(Duration::from_secs(1));
    let mut probe = Box::pin(replica.ask());
    assert!(probe.as_mut().now_or_never().is_none());
    let calls = replica.shared.faults().all_calls();
    assert_eq!(replica.admitted_of(10).await, 10);
    assert_eq!(replica.shared.faults().all_calls(), calls);

    // The caller is cancelled; the next one probes.
    drop(probe);
    replica.shared.faults().clear();
    assert_eq!(replica.limiter.mode(), LimiterMode::Degraded);
    assert_eq!(replica.admitted_of(1).await, 1);
    assert_eq!(replica.limiter.mode(), LimiterMode::Shared);
}

#[tokio::test]
async fn a_call_whose_answer_is_lost_is_not_made_again() {
    let replica = Replica::one_of(1, limits(100, Some(1_000))).await;
    replica.shared.faults().inject(Fault::LosesAnswers);
    let calls = replica.shared.faults().all_calls();
    assert_eq!(replica.admitted_of(1).await, 1);
    assert_eq!(replica.shared.faults().all_calls(), calls + 1);
}

#[tokio::test]
async fn the_shared_limiter_gets_the_month_before_it_counts_again() {
    let replica = Replica::one_of(1, limits(100, Some(20))).await;
    assert_eq!(replica.admitted_of(5).await, 5);
    replica.shared.faults().inject(Fault::Fails);
    assert_eq!(replica.admitted_of(8).await, 8);
    replica.recover();
    assert_eq!(replica.month_used().await, 13);
    let readings = replica.store.snapshots_read();
    assert_eq!(replica.admitted_of(20).await, 7);
    assert_eq!(replica.store.snapshots_read(), readings, "once is enough");
    assert_eq!(replica.limiter.mode(), LimiterMode::Shared);
}

#[tokio::test]
async fn a_burst_after_an_outage_reads_a_key_once() {
    let replica = Replica::degraded(1, limits(1_000, None)).await;
    replica.recover();
    replica.admitted_of(1).await;
    replica.shared.faults().inject(Fault::LosesAnswers);
    replica.admitted_of(1).await;
    replica.shared.faults().clear();
    let readings = replica.store.snapshots_read();
    replica.store.hold_snapshots();
    let mut asking: Vec<_> = (0..50).map(|_| Box::pin(replica.ask())).collect();
    for asker in &mut asking {
        assert!(asker.as_mut().now_or_never().is_none());
    }
    replica.store.come_back();
    for verdict in futures::future::join_all(asking).await {
        assert!(matches!(verdict.unwrap(), Verdict::Admitted { .. }));
    }
    let readings = replica.store.snapshots_read() - readings;
    assert_eq!(readings, 1);
}

#[tokio::test]
async fn a_key_that_cannot_be_read_is_not_admitted_by_a_limiter_that_missed_something() {
    let replica = Replica::degraded(1, limits(100, None)).await;
    replica.recover();
    replica.store.go_down();
    for _ in 0..5 {
        replica.ask().await.unwrap_err();
        replica.clock.advance(Duration::from_secs(50));
    }
    replica.store.come_back();
    assert_eq!(replica.admitted_of(1).await, 1);
    assert_eq!(replica.limiter.mode(), LimiterMode::Shared);
}

#[tokio::test]
async fn a_refund_that_the_shared_limiter_misses_counts_once_it_is_written_and_fails_for_nobody() {
    let replica = Replica::degraded(1, limits(100, Some(10))).await;
    assert_eq!(replica.admitted_of(20).await, 7);
    let (request, month) = (Uuid::from_u128(5), Month::of(noon()));
    for _ in 0..3 {
        replica.limiter.refund(KEY, month, request).await.unwrap();
        replica.journal.conclude(refund_of(request, month));
    }
    assert_eq!(replica.admitted_of(20).await, 1);
    replica.recover();
    assert_eq!(replica.month_used().await, 10);
}

#[tokio::test]
async fn a_limiter_that_does_not_know_what_was_charged_gives_nothing_back() {
    let replica = Replica::one_of(1, limits(100, Some(50))).await;
    assert_eq!(replica.admitted_of(5).await, 5);
    assert_eq!(replica.degrade().await, 3);
    replica.recover();
    let (request, month) = (Uuid::from_u128(5), Month::of(noon()));
    replica.limiter.refund(KEY, month, request).await.unwrap();
    let shared = replica.shared.in_process().peek(KEY).await;
    assert_eq!(shared.unwrap().unwrap().month.unwrap().used, 5);
    replica.journal.conclude(refund_of(request, month));
    assert_eq!(replica.month_used().await, 7);
}

fn refund_of(request: Uuid, month: Month) -> RequestEntry {
    RequestEntry {
        id: request,
        request_id: RequestId::parse("till-7").unwrap(),
        key: KEY.id,
        customer: ports::contract::fixture::customer(1).id,
        endpoint: Endpoint::Xml,
        outcome: Outcome::BankTimeout,
        banks: None,
        at: noon(),
        duration: Duration::ZERO,
        bank_time: None,
        refund: Some(month),
        delivered: Vec::new(),
        seal: None,
    }
}

#[tokio::test]
async fn a_page_of_keys_is_read_in_one_call_stale_or_not() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    // A process that just began, to which every key is stale.
    let begun = replica.beside(1);
    let mut keys = vec![KEY; 99];
    keys.push(CountedKey::first(KeyId(Uuid::from_u128(404))));
    let peeked = begun.limiter.peek_many(&keys).await.unwrap();
    assert_eq!(peeked.iter().flatten().count(), 99);
    let calls = begun.shared.faults().all_calls();
    assert_eq!((calls, begun.store.batches().len()), (1, 0));
    assert_eq!(begun.store.snapshots_read(), 0);
}

#[tokio::test]
async fn a_degraded_replica_reads_a_page_of_keys_in_one_query_of_the_store() {
    let replica = Replica::degraded(2, limits(100, Some(50))).await;
    let snapshots = replica.store.snapshots_read();
    let nobody = CountedKey::first(KeyId(Uuid::from_u128(404)));
    let peeked = replica.limiter.peek_many(&[nobody, KEY]).await.unwrap();
    assert_eq!(replica.store.snapshots_read(), snapshots);
    assert_eq!(replica.store.batches(), [2]);
    assert_eq!(peeked[0], None);
    let known = peeked[1].unwrap();
    assert_eq!((known.minute.limit, known.month.unwrap().used), (50, 3));
}
