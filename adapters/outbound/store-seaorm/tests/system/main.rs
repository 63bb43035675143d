//! The store: the contract suites of its ports on both databases, and what each one does of its own.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

/// The contract suites of a database, made by an expression, which is `None` where it can't be.
macro_rules! contract_suites {
    ($database:expr) => {
        ports::key_store!(kept: stores($database).await);
        ports::customer_store!(kept: stores($database).await);
        ports::audit_log!(kept: stores($database).await);
        ports::deny_list!(kept: stores($database).await);
        ports::secret_fingerprints!(kept: stores($database).await);
        ports::catalogue_store!(kept: stores($database).await);
        ports::seal_store!(kept: stores($database).await);
        ports::proof_archive!(kept: stores($database).await);
        ports::lookups!(kept: stores($database).await);
        ports::batches!(kept: stores($database).await);
        ports::idempotency!(kept: stores($database).await);
        ports::own_accounts!(kept: stores($database).await);
        ports::webhooks!(kept: stores($database).await);
        ports::journal!(kept: journaled($database).await);
        ports::seen_proofs!(kept: journaled($database).await);
        ports::usage!(kept: journaled($database).await);
        ports::replicas!(kept: registries($database).await);
    };
}

/// A test for each function of `both::upgrade`, on a new database without tables.
macro_rules! tests_of_versions {
    ($database:expr) => {
        tests_of_versions! { $database =>
            owners_of_keys_become_customers_and_keep_their_keys,
            stored_requests_get_a_customer_and_are_counted,
            an_upgraded_database_works_as_a_new_one,
            a_table_of_provider_keys_that_an_earlier_version_filled_is_dropped,
            migrations_can_be_reverted_and_applied_again,
            a_schema_of_a_newer_version_is_refused,
        }
    };
    ($database:expr => $($name:ident,)*) => {
        mod upgrade {
            $(
                #[tokio::test]
                async fn $name() {
                    if let Some(database) = $database {
                        crate::both::upgrade::$name(&database.url()).await;
                    }
                }
            )*
        }
    };
}

mod both;
mod postgres;
mod sqlite;
