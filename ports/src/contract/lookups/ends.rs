//! Ends of the work on claimed lookups.

use super::*;

/// An end that gives the request back.
fn refunded() -> LookupChange {
    LookupChange::End {
        state: LookupState::Failed,
        refund: true,
    }
}

pub(super) async fn a_lookup_waits_for_its_next_attempt(Pair { here, elsewhere }: Pair) {
    here.tried(&lookup(1), wait(minutes(1))).await;
    let expected = StoredLookup {
        state: LookupState::Waiting,
        updated_at: soon(),
        due_at: Some(minutes(1)),
        attempts: 1,
        last_attempt: Some(attempt(soon())),
        ..queued(&lookup(1))
    };
    assert_eq!(elsewhere.kept(&lookup(1)).await, expected);
    assert_eq!(here.claim(1, lease(2)).await, []);
    let later = lease_until(2, minutes(2));
    let next = here.claim_at(1, minutes(1), later).await;
    assert_eq!(ids(&next), [lookup(1).facts.id]);
    assert_eq!(next[0].attempts, [attempt(soon())]);
}

pub(super) async fn a_lookup_without_an_attempt_is_queued_again(Pair { here, .. }: Pair) {
    let id = lookup(1).facts.id;
    let untried = |now, due_at| ClaimEnd {
        attempt: None,
        ..end(id, 1, now, wait(due_at))
    };
    here.running(&lookup(1)).await;
    assert!(here.end_claim(&untried(soon(), minutes(1))).await);
    let expected = StoredLookup {
        updated_at: soon(),
        due_at: Some(minutes(1)),
        ..queued(&lookup(1))
    };
    assert_eq!(here.kept(&lookup(1)).await, expected);
    assert_eq!(here.attempts_of(&lookup(1)).await, []);
    // After an attempt it waits.
    for tried in [
        end(id, 1, minutes(1), wait(minutes(1))),
        untried(minutes(1), minutes(2)),
    ] {
        here.claim_at(1, minutes(1), lease(1)).await;
        assert!(here.end_claim(&tried).await);
    }
    let kept = here.kept(&lookup(1)).await;
    assert_eq!((kept.state, kept.attempts), (LookupState::Waiting, 1));
}

pub(super) async fn attempts_come_back_in_their_order(Pair { here, elsewhere }: Pair) {
    let other = lookup(20);
    here.running(&lookup(1)).await;
    let outcomes = Outcome::ALL.into_iter().take(12);
    let attempts = (0..).zip(outcomes).map(|(minute, outcome)| Attempt {
        at: minutes(minute),
        outcome,
    });
    let attempts: Vec<_> = attempts.collect();
    for attempt in &attempts {
        let tried = ClaimEnd {
            attempt: Some(*attempt),
            ..end(lookup(1).facts.id, 1, attempt.at, wait(attempt.at))
        };
        assert!(here.end_claim(&tried).await);
        let next = lease_until(1, minutes(1_000));
        let claimed = here.claim_at(1, attempt.at, next).await;
        assert_eq!(claimed[0].attempts.last(), Some(attempt));
    }
    here.add_lookups(std::slice::from_ref(&other)).await;
    assert_eq!(elsewhere.attempts_of(&lookup(1)).await, attempts);
    assert_eq!(elsewhere.attempts_of(&other).await, []);
    let kept = elsewhere.kept(&lookup(1)).await;
    assert_eq!(kept.attempts, 12);
    assert_eq!(kept.last_attempt, attempts.last().copied());
}

pub(super) async fn the_banks_last_answer_is_kept_until_there_is_a_proof(
    Pair { here, elsewhere }: Pair,
) {
    let [waits, ends] = [lookup(1), lookup(2)];
    here.add_lookups(&[waits.clone(), ends.clone()]).await;
    let found = |new: &NewLookup, finding: &[u8], change| ClaimEnd {
        finding: Some(finding.to_vec()),
        ..end(new.facts.id, 1, soon(), change)
    };
    here.claim(2, lease(1)).await;
    let failed = super::failed();
    assert!(here.end_claim(&found(&waits, b"first", wait(soon()))).await);
    assert!(here.end_claim(&found(&ends, b"only", failed)).await);
    assert_eq!(elsewhere.kept(&ends).await.finding, Some(b"only".to_vec()));
    for answer in [&b"second"[..], b"third"] {
        let claimed = here.claim(1, lease(1)).await;
        let kept = claimed[0].lookup.finding.clone();
        assert_eq!(kept, elsewhere.kept(&waits).await.finding);
        assert!(here.end_claim(&found(&waits, answer, wait(soon()))).await);
        let kept = elsewhere.kept(&waits).await.finding;
        assert_eq!(kept.as_deref(), Some(answer));
    }
    here.claim(1, lease(1)).await;
    let delivered = here.ends(waits.facts.id, 1, soon(), super::deliver());
    assert!(delivered.await);
    assert_eq!(elsewhere.kept(&waits).await.finding, None);
}

pub(super) async fn a_delivered_lookup_has_its_proof(Pair { here, elsewhere }: Pair) {
    let proof: Vec<_> = (0..=u8::MAX).cycle().take(200 << 10).collect();
    here.running(&lookup(1)).await;
    let change = LookupChange::Deliver {
        proof: proof.clone(),
        seal: SealVerdict::Invalid,
    };
    assert!(here.ends(lookup(1).facts.id, 1, minutes(1), change).await);
    let expected = StoredLookup {
        state: LookupState::Delivered,
        updated_at: minutes(1),
        due_at: None,
        attempts: 1,
        last_attempt: Some(attempt(minutes(1))),
        proof: Some(proof),
        seal: Some(SealVerdict::Invalid),
        ..queued(&lookup(1))
    };
    assert_eq!(elsewhere.kept(&lookup(1)).await, expected);
}

pub(super) async fn every_end_without_a_proof_is_kept(Pair { here, .. }: Pair) {
    let states = LookupState::ALL.into_iter();
    let ends = states.filter(|state| state.is_final() && *state != LookupState::Delivered);
    for (number, state) in (1..).zip(ends) {
        let ended = lookup(number);
        here.running(&ended).await;
        let change = LookupChange::End {
            state,
            refund: false,
        };
        let untried = ClaimEnd {
            attempt: None,
            ..end(ended.facts.id, 1, soon(), change)
        };
        assert!(here.end_claim(&untried).await);
        let expected = StoredLookup {
            state,
            updated_at: soon(),
            due_at: None,
            ..queued(&ended)
        };
        assert_eq!(here.kept(&ended).await, expected);
    }
}

async fn charged(stores: &Stores, key: &ApiKey, at: DateTime<Utc>) {
    let month = Month::of(at);
    let charged = ok(stores.keys.charge(key.counted(), month, at)).await;
    assert!(charged.is_some());
}

pub(super) async fn an_end_with_a_refund_is_given_back_to_its_month(
    Pair { here, elsewhere }: Pair,
) {
    let key = here.added(1).await;
    for _ in 0..2 {
        charged(&here, &key, soon()).await;
    }
    let kept = LookupChange::End {
        state: LookupState::NotFound,
        refund: false,
    };
    here.tried(&lookup_of(&key, 1), kept).await;
    assert_eq!(elsewhere.used_by(key.id, month()).await, (2, 0));
    here.tried(&lookup_of(&key, 2), refunded()).await;
    assert_eq!(elsewhere.used_by(key.id, month()).await, (2, 1));
    // Charged in an earlier month, of which nothing else is known.
    let mut earlier = lookup_of(&key, 3);
    let last_month = Month::of(soon() - TimeDelta::days(31));
    earlier.facts.month = last_month;
    here.tried(&earlier, refunded()).await;
    assert_eq!(here.used_by(key.id, month()).await, (2, 1));
    assert_eq!(here.used_by(key.id, last_month).await, (0, 1));
    let minute = soon().duration_trunc(TimeDelta::minutes(1)).ok();
    assert_eq!(here.found(key.id).await.last_used_at, minute);
}

pub(super) async fn a_successors_refund_is_given_back_to_its_counters(Pair { here, .. }: Pair) {
    let old = here.added(1).await;
    charged(&here, &old, soon()).await;
    let new = rotated(&here, old.id, 2, minutes(60)).await.new;
    here.tried(&lookup_of(&new, 1), refunded()).await;
    assert_eq!(here.used_by(old.id, month()).await, (1, 1));
    assert_eq!(here.used_by(new.id, month()).await, (1, 1));
}

pub(super) async fn an_end_that_comes_too_late_refunds_nothing(Pair { here, .. }: Pair) {
    let key = here.added(1).await;
    assert_eq!(key.id, record(1).key.id);
    charged(&here, &key, soon()).await;
    here.tried(&lookup(1), refunded()).await;
    let (id, again) = (lookup(1).facts.id, refunded());
    assert!(!here.ends(id, 1, soon(), again).await);
    assert_eq!(here.used_by(key.id, month()).await, (1, 1));
}
