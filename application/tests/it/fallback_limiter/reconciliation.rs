//! Reconciliation: state that the shared limiter lost holds again after a round.

use super::*;

/// A shared limiter whose replica was promoted: its state is that after so many calls.
async fn promoted(replica: &Replica, knows: u64, state: KeyState) {
    let shared = &replica.shared.in_process();
    replica.clock.advance(Duration::from_mins(1));
    assert_eq!(shared.forget_idle(), 1);
    let snapshot = Snapshot {
        state,
        month: Month::of(noon()),
        used: MonthlyUse {
            charged: knows,
            refunded: 0,
        },
    };
    shared.hydrate(KEY, snapshot).await.unwrap();
}

impl Replica {
    async fn round(&self) -> usize {
        self.reconciliation.round().await.unwrap()
    }

    async fn state(&self) -> KeyState {
        self.in_store().await.state
    }
}

#[tokio::test]
async fn a_month_that_was_lost_in_part_is_whole_again_after_a_round_that_succeeds() {
    let replica = Replica::one_of(1, limits(100, Some(50))).await;
    assert_eq!(replica.admitted_of(40).await, 40);
    promoted(&replica, 30, replica.state().await).await;
    assert_eq!(replica.admitted_of(1).await, 1);
    // A round that fails leaves its keys for the next.
    replica.store.go_down();
    replica.reconciliation.round().await.unwrap_err();
    replica.store.come_back();
    replica.shared.faults().inject(Fault::Fails);
    assert_eq!(replica.round().await, 0);
    replica.shared.faults().clear();
    assert_eq!(replica.round().await, 1);
    assert_eq!(replica.month_used().await, 41);
    assert_eq!(replica.admitted_of(50).await, 9);
}

#[tokio::test]
async fn a_refund_that_was_lost_is_given_back() {
    let replica = Replica::one_of(1, limits(100, Some(50))).await;
    assert_eq!(replica.admitted_of(50).await, 50);
    let entry = refund_of(Uuid::from_u128(5), Month::of(noon()));
    replica.journal.conclude(entry);
    replica.is_over_quota().await;
    assert_eq!(replica.round().await, 1);
    assert_eq!(replica.admitted_of(50).await, 1);
}

#[tokio::test]
async fn a_revocation_that_was_lost_is_refused_after_a_round() {
    let replica = Replica::one_of(1, limits(100, None)).await;
    let before = replica.state().await;
    replica.data.revoke_key(KEY.id).await;
    promoted(&replica, 0, before).await;
    assert_eq!(replica.admitted_of(3).await, 3);
    assert_eq!(replica.round().await, 1);
    assert_eq!(replica.ask().await.unwrap(), Verdict::Revoked);
}

#[tokio::test]
async fn limits_that_were_lost_hold_after_a_round() {
    let replica = Replica::one_of(1, limits(5, Some(10))).await;
    assert_eq!(replica.admitted_of(5).await, 5);
    let before = replica.state().await;
    let raised = limits(500, Some(20));
    replica.data.set_key_limits(KEY.id, raised).await;
    promoted(&replica, 10, before).await;
    replica.is_over_quota().await;
    assert_eq!(replica.round().await, 1);
    assert_eq!(replica.admitted_of(500).await, 10);
}

#[tokio::test]
async fn a_limiter_that_lost_nothing_is_not_hydrated() {
    let replica = Replica::one_of(1, limits(100, Some(50))).await;
    assert_eq!(replica.admitted_of(10).await, 10);
    let calls = replica.shared.faults().all_calls();
    assert_eq!(replica.round().await, 0);
    assert_eq!(replica.shared.faults().all_calls(), calls);
    assert_eq!(replica.store.batches(), [1]);
    assert_eq!(replica.round().await, 0, "nobody asked since");
    assert_eq!(replica.store.batches(), [1]);
}

#[tokio::test]
async fn counts_that_the_store_does_not_have_yet_are_not_taken_back() {
    let replica = Replica::one_of(1, limits(100, Some(50))).await;
    for _ in 0..10 {
        let admitted = replica.ask().await.unwrap();
        assert!(matches!(admitted, Verdict::Admitted { .. }));
    }
    assert_eq!(replica.in_store().await.used.charged, 0);
    assert_eq!(replica.round().await, 1);
    assert_eq!(replica.month_used().await, 10);
}

#[tokio::test]
async fn many_keys_are_read_together() {
    let replica = Replica::one_of(1, limits(100, Some(50))).await;
    let snapshot = replica.in_store().await;
    for number in 0..1_200 {
        // Keys that the store doesn't have: there is nothing to reconcile.
        let key = CountedKey::first(KeyId(Uuid::from_u128(1_000 + number)));
        replica.limiter.hydrate(key, snapshot).await.unwrap();
        replica.limiter.admit(key).await.unwrap();
    }
    assert_eq!(replica.round().await, 0);
    assert_eq!(replica.store.batches(), [500, 500, 200]);
}

#[tokio::test]
async fn no_reconciliation_runs_while_the_circuit_is_open() {
    let replica = Replica::one_of(1, limits(100, Some(50))).await;
    assert_eq!(replica.admitted_of(1).await, 1);
    replica.degrade().await;
    replica.clock.advance(Duration::from_mins(1));
    let calls = replica.shared.faults().all_calls();
    assert_eq!(replica.round().await, 0);
    assert_eq!(replica.shared.faults().all_calls(), calls);
    assert_eq!(replica.store.batches(), Vec::<usize>::new());
}

#[tokio::test]
async fn a_replica_that_is_cut_off_alone_adds_what_the_others_admit_until_a_round_at_most() {
    const QUOTA: usize = 300;
    const PER_MINUTE: usize = 30;
    let limits = limits(30, Some(300));
    for quiet_minutes in [0, 1, 5, 8] {
        let connected = Replica::one_of(2, limits).await;
        let cut_off = connected.beside(2);
        cut_off.shared.faults().inject(Fault::Fails);
        let mut admitted = 0;
        // While the others have no requests, the shared limiter doesn't get what is charged alone.
        for _ in 0..quiet_minutes {
            admitted += cut_off.admitted_of(100).await;
            cut_off.clock.advance(Duration::from_mins(1));
        }
        let charged_alone = admitted;
        assert_eq!(charged_alone, quiet_minutes * PER_MINUTE / 2);
        // From then on both have more requests than they may admit, and a round is every 20 seconds.
        for _ in 0..60 {
            admitted += connected.admitted_of(100).await + cut_off.admitted_of(100).await;
            connected.clock.advance(Duration::from_secs(20));
            connected.round().await;
        }
        assert!(admitted >= QUOTA, "{admitted}");
        let is_within = admitted <= QUOTA + PER_MINUTE;
        assert!(is_within, "{admitted} after {quiet_minutes} quiet minutes");
        connected.is_over_quota().await;
    }
}

#[tokio::test]
async fn without_rounds_a_replica_that_is_cut_off_would_add_all_that_it_admits() {
    let connected = Replica::one_of(2, limits(30, Some(300))).await;
    let cut_off = connected.beside(2);
    cut_off.shared.faults().inject(Fault::Fails);
    let mut admitted = 0;
    for _ in 0..60 {
        admitted += connected.admitted_of(100).await + cut_off.admitted_of(100).await;
        connected.clock.advance(Duration::from_secs(20));
    }
    assert!(admitted > 330, "the bound is the rounds': {admitted}");
}
