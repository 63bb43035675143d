//! The GraphQL API as its callers see it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on says so by panicking"
)]

mod schema;
