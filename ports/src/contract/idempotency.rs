//! Contract of the store of requests with an idempotency key.

use chrono::{DateTime, TimeDelta, Utc};
use domain::idempotency::{FirstAnswer, IdempotencyScope, RepeatableRequest, RequestFingerprint};
use domain::lookups::LookupId;
use domain::outcome::Outcome;
use domain::proofs::seen::EarlierDeliveries;
use uuid::Uuid;

use super::fixture::{lookup_of, record};
use super::journal::noon;
use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::{EarlierRequest, NewClaim, NewLookup, ScopeClaim};

cases! {
    $ idempotency(Pair)
    self::a_scope_is_claimed_once,
    self::of_many_at_once_one_claims,
    self::an_answer_is_read_by_every_process,
    self::a_released_scope_is_free,
    self::an_unanswered_claim_that_ended_and_an_expired_key_are_free,
    self::whoever_lost_its_claim_changes_nothing,
    self::a_lookup_is_recorded_with_its_request,
    self::the_first_scope_with_an_entry_is_found,
    self::expired_keys_are_removed_and_no_others,
}

const CLAIM: TimeDelta = TimeDelta::minutes(2);
const DAY: TimeDelta = TimeDelta::hours(24);

const DELIVERED: FirstAnswer = FirstAnswer::Immediate {
    outcome: Outcome::Delivered,
    seen: None,
};

/// An answer whose proof was delivered so often before.
fn immediate(outcome: Outcome, times: u64, first: Option<DateTime<Utc>>) -> FirstAnswer {
    let seen = Some(EarlierDeliveries { times, first });
    FirstAnswer::Immediate { outcome, seen }
}

fn scope(number: u8) -> IdempotencyScope {
    IdempotencyScope([number; 32])
}

pub(super) fn claim(number: u8, token: u128, at: DateTime<Utc>) -> NewClaim {
    NewClaim {
        request: RepeatableRequest {
            scope: scope(number),
            fingerprint: RequestFingerprint([number.wrapping_add(100); 32]),
        },
        token: Uuid::from_u128(token),
        until: at + CLAIM,
        expires_at: at + DAY,
    }
}

pub(super) fn held(claim: &NewClaim) -> ScopeClaim {
    ScopeClaim {
        scope: claim.request.scope,
        token: claim.token,
    }
}

fn entry(claim: &NewClaim, answer: Option<FirstAnswer>) -> EarlierRequest {
    EarlierRequest {
        scope: claim.request.scope,
        fingerprint: claim.request.fingerprint,
        answer,
    }
}

impl Stores {
    pub(super) async fn claims(&self, claim: &NewClaim, at: DateTime<Utc>) -> bool {
        ok(self.idempotency.claim_scope(claim, at)).await
    }

    async fn answers(&self, claim: &NewClaim, answer: FirstAnswer) -> bool {
        ok(self.idempotency.record_answer(held(claim), answer)).await
    }

    async fn releases(&self, claim: &NewClaim) {
        ok(self.idempotency.release_scope(held(claim))).await;
    }

    pub(super) async fn earlier(
        &self,
        numbers: &[u8],
        at: DateTime<Utc>,
    ) -> Option<EarlierRequest> {
        let scopes: Vec<_> = numbers.iter().map(|number| scope(*number)).collect();
        ok(self.idempotency.earlier_request(&scopes, at)).await
    }
}

async fn a_scope_is_claimed_once(Pair { here, elsewhere }: Pair) {
    let first = claim(1, 1, noon());
    assert_eq!(here.earlier(&[1], noon()).await, None);
    assert!(here.claims(&first, noon()).await);
    for store in [&here, &elsewhere] {
        assert!(!store.claims(&claim(1, 2, noon()), noon()).await);
        assert_eq!(store.earlier(&[1], noon()).await, Some(entry(&first, None)));
    }
    assert!(elsewhere.claims(&claim(2, 3, noon()), noon()).await);
}

async fn of_many_at_once_one_claims(pair: Pair) {
    let claim = async |stores: &Stores, token| {
        let claim = claim(1, token, noon());
        stores.claims(&claim, noon()).await
    };
    assert_eq!(pair.succeeding(0..16, claim).await, 1);
}

async fn an_answer_is_read_by_every_process(Pair { here, elsewhere }: Pair) {
    let answers = [
        DELIVERED,
        immediate(Outcome::Delivered, 0, None),
        immediate(Outcome::NotFound, 3, Some(noon() - DAY)),
        FirstAnswer::Lookup(LookupId(Uuid::from_u128(7))),
    ];
    for (number, answer) in (1..).zip(answers) {
        let claim = claim(number, number.into(), noon());
        assert!(here.claims(&claim, noon()).await);
        assert!(here.answers(&claim, answer).await);
        // The claim has ended, and the answer stays until the key expires.
        let last = noon() + DAY - TimeDelta::milliseconds(1);
        for at in [noon(), noon() + CLAIM, last] {
            let found = elsewhere.earlier(&[number], at).await;
            assert_eq!(found, Some(entry(&claim, Some(answer))));
        }
    }
}

async fn a_released_scope_is_free(Pair { here, elsewhere }: Pair) {
    let first = claim(1, 1, noon());
    assert!(here.claims(&first, noon()).await);
    here.releases(&first).await;
    assert_eq!(elsewhere.earlier(&[1], noon()).await, None);
    let second = claim(1, 2, noon());
    assert!(elsewhere.claims(&second, noon()).await);
    // With its answer, if it has one.
    assert!(elsewhere.answers(&second, DELIVERED).await);
    here.releases(&second).await;
    assert!(here.claims(&claim(1, 3, noon()), noon()).await);
}

async fn an_unanswered_claim_that_ended_and_an_expired_key_are_free(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    let answer = immediate(Outcome::Delivered, 1, Some(noon()));
    for (number, answer, lasts) in [(1, None, CLAIM), (2, Some(answer), DAY)] {
        let first = claim(number, 1, noon());
        assert!(here.claims(&first, noon()).await);
        if let Some(answer) = answer {
            assert!(here.answers(&first, answer).await);
        }
        let end = noon() + lasts;
        let second = claim(number, 2, end);
        let just_before = end - TimeDelta::milliseconds(1);
        assert!(!elsewhere.claims(&second, just_before).await);
        assert_eq!(elsewhere.earlier(&[number], end).await, None);
        assert!(elsewhere.claims(&second, end).await);
        // Nothing of the first answer is left.
        let found = here.earlier(&[number], end).await;
        assert_eq!(found, Some(entry(&second, None)));
        assert!(elsewhere.answers(&second, DELIVERED).await);
        let found = here.earlier(&[number], end).await;
        assert_eq!(found, Some(entry(&second, Some(DELIVERED))));
    }
}

async fn whoever_lost_its_claim_changes_nothing(Pair { here, elsewhere }: Pair) {
    let (first, second) = (claim(1, 1, noon()), claim(1, 2, noon() + CLAIM));
    assert!(here.claims(&first, noon()).await);
    assert!(elsewhere.claims(&second, noon() + CLAIM).await);
    assert!(!here.answers(&first, DELIVERED).await);
    here.releases(&first).await;
    let found = here.earlier(&[1], noon() + CLAIM).await;
    assert_eq!(found, Some(entry(&second, None)));
    assert!(elsewhere.answers(&second, DELIVERED).await);
    // An answer is recorded once.
    let another = FirstAnswer::Lookup(LookupId(Uuid::nil()));
    assert!(!elsewhere.answers(&second, another).await);
    let found = here.earlier(&[1], noon() + CLAIM).await;
    assert_eq!(found, Some(entry(&second, Some(DELIVERED))));
}

async fn a_lookup_is_recorded_with_its_request(Pair { here, elsewhere }: Pair) {
    let requested = |number, claim: &NewClaim| NewLookup {
        claim: Some(held(claim)),
        ..lookup_of(&record(1).key, number)
    };
    let first = claim(1, 1, noon());
    assert!(here.claims(&first, noon()).await);
    let lookup = requested(1, &first);
    ok(here.lookups.add_lookup(&lookup)).await;
    let answer = Some(FirstAnswer::Lookup(lookup.facts.id));
    let found = elsewhere.earlier(&[1], noon() + CLAIM).await;
    assert_eq!(found, Some(entry(&first, answer)));
    // A request that lost its claim adds no lookup.
    let (late, taken) = (claim(2, 3, noon()), claim(2, 2, noon() + CLAIM));
    assert!(here.claims(&late, noon()).await);
    assert!(here.claims(&taken, noon() + CLAIM).await);
    let another = requested(2, &late);
    assert!(here.lookups.add_lookup(&another).await.is_err());
    let facts = &another.facts;
    let found = ok(here.lookups.lookup(facts.customer, facts.id)).await;
    assert_eq!(found, None);
}

async fn the_first_scope_with_an_entry_is_found(Pair { here, elsewhere }: Pair) {
    let (old, new) = (claim(1, 1, noon()), claim(2, 2, noon()));
    assert!(here.claims(&old, noon()).await);
    assert_eq!(here.earlier(&[], noon()).await, None);
    let found = elsewhere.earlier(&[2, 1], noon()).await;
    assert_eq!(found, Some(entry(&old, None)));
    assert!(here.claims(&new, noon()).await);
    for (scopes, first) in [([2, 1], new), ([1, 2], old)] {
        let found = elsewhere.earlier(&scopes, noon()).await;
        assert_eq!(found, Some(entry(&first, None)));
    }
}

async fn expired_keys_are_removed_and_no_others(Pair { here, elsewhere }: Pair) {
    let later = noon() + TimeDelta::milliseconds(1);
    let (old, new) = (claim(1, 1, noon()), claim(2, 2, later));
    for (claim, at) in [(&old, noon()), (&new, later)] {
        assert!(here.claims(claim, at).await);
        assert!(here.answers(claim, DELIVERED).await);
    }
    let removed = ok(elsewhere.idempotency.prune_idempotency(later + DAY)).await;
    assert_eq!(removed, 1);
    // A reader whose clock is behind finds what is left.
    assert_eq!(here.earlier(&[1], noon()).await, None);
    let found = here.earlier(&[2], noon()).await;
    assert_eq!(found, Some(entry(&new, Some(DELIVERED))));
}
