//! The whole system, through real sockets: the real binary in a folder of its own, its real SQLite
//! file, its real sandbox bank.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod abuse;
mod architecture;
mod bad_input;
mod bank_budget;
mod browser;
mod canary;
mod clock;
mod cluster;
mod configuration;
mod counted;
mod crash;
mod dashboard;
mod database_down;
mod documents;
mod embedded;
mod faults;
mod fleet;
mod forgery;
mod gateway;
mod graphql_over_http;
mod keys;
mod killed_replica;
mod limits;
mod load;
mod matrix;
mod metrics;
mod month_edge;
mod own_keys;
mod person;
mod pooler;
mod proofs;
mod replicas;
mod revocations;
mod seal;
mod secret_files;
mod servers;
mod shared_sessions;
mod sign_in;
mod systemd;
mod terminal;
mod traces;
mod transport;
mod two_gateways;
