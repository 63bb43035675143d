//! Contract suites: the executable specification of each outbound port, run by every adapter.

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
