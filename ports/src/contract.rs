//! Contract suites: the executable specification of each outbound port, run by every adapter.
//!
//! A suite's macro (`ports::key_store!`) generates a test for each of its cases, in a module of the suite's name.
#![cfg_attr(
    not(test),
    expect(
        clippy::wildcard_imports,
        reason = "cases share the imports of their suite, and suites the names of ports and fixtures"
    )
)]

use std::fmt::Debug;
use std::future::Future;
use std::panic::{AssertUnwindSafe, Location};

use futures::FutureExt as _;

/// Lists the cases of a suite with the modules that they are in, and exports its macro.
macro_rules! cases {
    ($dollar:tt $suite:ident($under_test:ty) $($module:ident::$case:ident,)*) => {
        /// The suite's cases.
        #[doc(hidden)]
        pub struct Cases;

        #[doc(hidden)]
        impl Cases {
            $(
                pub async fn $case(under_test: $under_test) {
                    $module::$case(under_test).await;
                }
            )*
        }

        /// Generates a test for each case of the suite. With `kept`, what must outlive the case is made too, and
        /// `None` skips it. `in turn` runs all cases in the caller's test: for servers that take long to start.
        #[macro_export]
        macro_rules! $suite {
            (in turn: $dollar under_test:expr) => {{
                let mut failed = Vec::new();
                $(
                    let case = $crate::contract::$suite::Cases::$case($dollar under_test);
                    if $crate::contract::fails(case).await {
                        failed.push(stringify!($case));
                    }
                )*
                assert!(failed.is_empty(), "{failed:?}");
            }};
            (kept: $dollar made:expr) => {
                $crate::$suite!(@ #[tokio::test(flavor = "multi_thread")] $dollar made);
            };
            (@ #[$dollar test:meta] $dollar made:expr) => {
                mod $suite {
                    use super::*;

                    $(
                        #[$dollar test]
                        async fn $case() {
                            if let Some((under_test, _kept)) = $dollar made {
                                $crate::contract::$suite::Cases::$case(under_test).await;
                            }
                        }
                    )*
                }
            };
            (#[$dollar test:meta] $dollar made:expr) => {
                $crate::$suite!(@ #[$dollar test] Some(($dollar made, ())));
            };
            ($dollar made:expr) => {
                $crate::$suite!(#[tokio::test(flavor = "multi_thread")] $dollar made);
            };
        }
    };
}

pub mod audit_log;
pub mod bank;
pub mod batches;
pub mod catalogue_store;
pub mod cipher;
pub mod customer_store;
pub mod deny_list;
pub mod fixture;
pub mod idempotency;
pub mod journal;
pub mod key_store;
pub mod limiter;
pub mod lookups;
pub mod own_accounts;
pub mod pacer;
mod paging;
pub mod proof_archive;
pub mod replicas;
pub mod seal_store;
pub mod secret_fingerprints;
pub mod seen_proofs;
pub mod stores;
pub mod usage;
pub mod webhooks;

pub use lookups::notifications as lookup_notifications;

/// Returns whether a case fails.
#[doc(hidden)]
pub async fn fails(case: impl Future<Output = ()>) -> bool {
    AssertUnwindSafe(Box::pin(case))
        .catch_unwind()
        .await
        .is_err()
}

/// Returns what a call returned that must not fail.
#[track_caller]
fn ok<T, E: Debug>(call: impl Future<Output = Result<T, E>>) -> impl Future<Output = T> {
    let place = Location::caller();
    async move {
        let answer = call.await;
        answer.unwrap_or_else(|error| panic!("the call at {place} failed: {error:?}"))
    }
}
