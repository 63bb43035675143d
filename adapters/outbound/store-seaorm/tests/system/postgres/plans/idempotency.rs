//! Plans of requests with an idempotency key.

use chrono::TimeDelta;
use domain::idempotency::{FirstAnswer, IdempotencyScope, RepeatableRequest, RequestFingerprint};
use domain::outcome::Outcome;
use ports::outbound::{IdempotencyStore, NewClaim, ScopeClaim};
use uuid::Uuid;

use crate::postgres::auto_explain::{ExplainedStore, assert_reads_little, assert_uses};
use crate::postgres::support::now;

pub(super) async fn idempotency(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let scopes = [[1; 32], [2; 32]].map(IdempotencyScope);
    let read = explained.plan(store.earlier_request(&scopes, now())).await;
    assert_uses(&read, "idempotency_keys_pkey");
    let claim = NewClaim {
        request: RepeatableRequest {
            scope: scopes[0],
            fingerprint: RequestFingerprint([1; 32]),
        },
        token: Uuid::from_u128(1),
        until: now() + TimeDelta::minutes(2),
        expires_at: now() + TimeDelta::hours(24),
    };
    // A new claim, and one of a scope that is claimed.
    for _ in 0..2 {
        let claimed = explained.plan(store.claim_scope(&claim, now())).await;
        assert_reads_little(&claimed);
    }
    let held = ScopeClaim {
        scope: scopes[0],
        token: claim.token,
    };
    let answer = FirstAnswer::Immediate {
        outcome: Outcome::Delivered,
        seen: None,
    };
    let recorded = explained.plan(store.record_answer(held, answer)).await;
    assert_uses(&recorded, "idempotency_keys_pkey");
    let released = explained.plan(store.release_scope(held)).await;
    assert_uses(&released, "idempotency_keys_pkey");
    let older = now() + TimeDelta::minutes(10);
    let pruned = explained.plan(store.prune_idempotency(older)).await;
    assert_uses(&pruned, "idempotency_keys_by_time");
}
