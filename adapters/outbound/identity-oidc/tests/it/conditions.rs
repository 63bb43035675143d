//! Conditions that tests check, and wait for.

use std::time::Duration;

use ports::outbound::{IdentityError, TokenError};

pub(crate) fn is_invalid<T>(verified: &Result<T, TokenError>) -> bool {
    matches!(verified, Err(TokenError::Invalid(_)))
}

pub(crate) fn is_unavailable<T>(verified: &Result<T, TokenError>) -> bool {
    matches!(verified, Err(TokenError::Unavailable(_)))
}

/// Returns the text of an error of the provider's or the configuration's.
pub(crate) fn unusable<T>(result: Result<T, IdentityError>) -> String {
    match result {
        Err(IdentityError::Unusable(text)) => text,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("accepted"),
    }
}

/// Waits until a condition holds that another task brings about.
pub(crate) async fn wait_until(condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    in_time(waiting).await;
}

/// Fails the test rather than hanging.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(Duration::from_secs(20), future).await;
    outcome.expect("it ends in time")
}
