//! The store: the contract suites of its ports on both databases, and what each one does of its own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

/// The contract suites of a database, on what these functions of the place make: `stores`, `journal_under_test` and
/// `registries`.
macro_rules! contract_suites {
    () => {
        ports::key_store!(kept: stores().await);
        ports::customer_store!(kept: stores().await);
        ports::audit_log!(kept: stores().await);
        ports::deny_list!(kept: stores().await);
        ports::secret_fingerprints!(kept: stores().await);
        ports::catalogue_store!(kept: stores().await);
        ports::seal_store!(kept: stores().await);
        ports::proof_archive!(kept: stores().await);
        ports::lookups!(kept: stores().await);
        ports::batches!(kept: stores().await);
        ports::idempotency!(kept: stores().await);
        ports::webhooks!(kept: stores().await);
        ports::journal!(kept: journal_under_test().await);
        ports::seen_proofs!(kept: journal_under_test().await);
        ports::usage!(kept: journal_under_test().await);
        ports::replicas!(kept: registries().await);
    };
}

mod both;
mod postgres;
mod sqlite;
