//! Plans of requests with an idempotency key.

use chrono::TimeDelta;
use domain::idempotency::{FirstAnswer, IdempotencyScope, RepeatableRequest, RequestFingerprint};
use domain::outcome::Outcome;
use ports::outbound::{IdempotencyStore, NewClaim, ScopeClaim};
use uuid::Uuid;

use crate::both::entries::now;
use crate::postgres::auto_explain::ExplainedStore;

pub(super) async fn idempotency(explained: &ExplainedStore<'_>) {
    let store = &explained.store;
    let scopes = [[1; 32], [2; 32]].map(IdempotencyScope);
    let by_scope = &["idempotency_keys_pkey"];
    let read = store.earlier_request(&scopes, now());
    explained.through(by_scope, read).await;
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
        explained.cheaply(store.claim_scope(&claim, now())).await;
    }
    let held = ScopeClaim {
        scope: scopes[0],
        token: claim.token,
    };
    let answer = FirstAnswer::Immediate {
        outcome: Outcome::Delivered,
        seen: None,
    };
    let recorded = store.record_answer(held, answer);
    explained.through(by_scope, recorded).await;
    let released = store.release_scope(held);
    explained.through(by_scope, released).await;
    let pruned = store.prune_idempotency(now() + TimeDelta::minutes(10));
    explained
        .through(&["idempotency_keys_by_time"], pruned)
        .await;
}
