//! Ends of the work on claimed lookups.

use super::*;

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
    here.running(&lookup(1)).await;
    let given_back = untried(id(1), 1, soon(), wait(minutes(1)));
    assert!(here.end_claim(&given_back).await);
    let expected = StoredLookup {
        updated_at: soon(),
        due_at: Some(minutes(1)),
        ..queued(&lookup(1))
    };
    assert_eq!(here.kept(&lookup(1)).await, expected);
    assert_eq!(here.attempts_of(&lookup(1)).await, []);
    // After an attempt it waits.
    for tried in [
        end(id(1), 1, minutes(1), wait(minutes(1))),
        untried(id(1), 1, minutes(1), wait(minutes(2))),
    ] {
        here.claim_at(1, minutes(1), lease(1)).await;
        assert!(here.end_claim(&tried).await);
    }
    let kept = here.kept(&lookup(1)).await;
    assert_eq!((kept.state, kept.attempts), (LookupState::Waiting, 1));
}

pub(super) async fn attempts_come_back_in_their_order(Pair { here, elsewhere }: Pair) {
    here.running(&lookup(1)).await;
    let outcomes = (0..).zip(Outcome::ALL).take(12);
    let attempts = outcomes.map(|(minute, outcome)| Attempt {
        at: minutes(minute),
        outcome,
    });
    let attempts: Vec<_> = attempts.collect();
    for attempt in &attempts {
        let tried = ClaimEnd {
            attempt: Some(*attempt),
            ..end(id(1), 1, attempt.at, wait(attempt.at))
        };
        assert!(here.end_claim(&tried).await);
        let next = lease_until(1, minutes(1_000));
        let claimed = here.claim_at(1, attempt.at, next).await;
        assert_eq!(claimed[0].attempts.last(), Some(attempt));
    }
    here.add_lookups(&[lookup(20)]).await;
    assert_eq!(elsewhere.attempts_of(&lookup(1)).await, attempts);
    assert_eq!(elsewhere.attempts_of(&lookup(20)).await, []);
    let kept = elsewhere.kept(&lookup(1)).await;
    assert_eq!((kept.attempts, kept.last_attempt), (12, Some(attempts[11])));
}

pub(super) async fn the_banks_last_answer_is_kept_until_there_is_a_proof(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    here.add_lookups(&[1, 2].map(lookup)).await;
    let found = |number, finding: &[u8], change| ClaimEnd {
        finding: Some(finding.to_vec()),
        question: Some([b"of ", finding].concat()),
        ..end(id(number), 1, soon(), change)
    };
    let kept = async |number| elsewhere.kept(&lookup(number)).await.finding;
    let asked = async |number| elsewhere.kept(&lookup(number)).await.question;
    here.claim(2, lease(1)).await;
    assert!(here.end_claim(&found(2, b"only", failed())).await);
    assert_eq!(kept(2).await.as_deref(), Some(&b"only"[..]));
    assert_eq!(asked(2).await, b"of only");
    for answer in [&b"first"[..], b"second", b"third"] {
        assert!(here.end_claim(&found(1, answer, wait(soon()))).await);
        assert_eq!(kept(1).await.as_deref(), Some(answer));
        let claimed = here.claim(1, lease(1)).await;
        assert_eq!(claimed[0].lookup.finding.as_deref(), Some(answer));
    }
    assert!(here.ends(id(1), 1, soon(), deliver()).await);
    assert_eq!(kept(1).await, None);
    assert_eq!(asked(1).await, b"of third");
}

pub(super) async fn a_delivered_lookup_has_its_proof(Pair { here, elsewhere }: Pair) {
    let proof: Vec<_> = (0..=u8::MAX).cycle().take(200 << 10).collect();
    here.running(&lookup(1)).await;
    let change = LookupChange::Deliver {
        proof: proof.clone(),
        seal: SealVerdict::Invalid,
    };
    let end = ClaimEnd {
        question: Some(b"another question".to_vec()),
        ..end(id(1), 1, minutes(1), change)
    };
    assert!(here.end_claim(&end).await);
    let expected = StoredLookup {
        state: LookupState::Delivered,
        updated_at: minutes(1),
        due_at: None,
        attempts: 1,
        last_attempt: Some(attempt(minutes(1))),
        question: b"another question".to_vec(),
        proof: Some(proof),
        seal: Some(SealVerdict::Invalid),
        ..queued(&lookup(1))
    };
    assert_eq!(elsewhere.kept(&lookup(1)).await, expected);
    assert_eq!(here.claim_at(9, minutes(1_000), lease(2)).await, []);
}

pub(super) async fn every_end_without_a_proof_is_kept(Pair { here, .. }: Pair) {
    let states = LookupState::ALL.into_iter();
    let ends = states.filter(|state| state.is_final() && *state != LookupState::Delivered);
    for (number, state) in (1..).zip(ends) {
        here.running(&lookup(number)).await;
        let end = untried(id(number), 1, soon(), ended(state));
        assert!(here.end_claim(&end).await);
        let expected = StoredLookup {
            state,
            updated_at: soon(),
            due_at: None,
            ..queued(&lookup(number))
        };
        assert_eq!(here.kept(&lookup(number)).await, expected);
    }
}

async fn charged(stores: &Stores, key: &ApiKey, at: DateTime<Utc>) {
    let month = Month::of(at);
    let charged = ok(stores.keys.charge(key.counted(), month, at)).await;
    assert!(charged.is_some());
}

pub(super) async fn a_refund_is_given_back_once_to_its_month_and_its_counters(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let key = here.added(1).await;
    for _ in 0..2 {
        charged(&here, &key, soon()).await;
    }
    here.tried(&lookup(1), failed()).await;
    assert_eq!(elsewhere.used_by(key.id, month()).await, (2, 0));
    here.tried(&lookup(2), refunded()).await;
    assert_eq!(elsewhere.used_by(key.id, month()).await, (2, 1));
    assert!(!here.ends(id(2), 1, soon(), refunded()).await);
    assert_eq!(elsewhere.used_by(key.id, month()).await, (2, 1));
    // Charged in an earlier month, of which nothing else is known.
    let mut earlier = lookup(3);
    let last_month = Month::of(soon() - TimeDelta::days(31));
    earlier.facts.month = last_month;
    here.tried(&earlier, refunded()).await;
    assert_eq!(here.used_by(key.id, month()).await, (2, 1));
    assert_eq!(here.used_by(key.id, last_month).await, (0, 1));
    let minute = soon().duration_trunc(TimeDelta::minutes(1)).ok();
    assert_eq!(here.found(key.id).await.last_used_at, minute);
    // A successor has the same counters.
    let successor = rotated(&here, key.id, 2, minutes(60)).await.new;
    here.tried(&lookup_of(&successor, 4), refunded()).await;
    for key in [key, successor] {
        assert_eq!(here.used_by(key.id, month()).await, (2, 2));
    }
}
