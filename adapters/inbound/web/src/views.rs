//! Views of resources: the structs that REST writes as JSON and GraphQL resolves, made from the
//! application's views.
//!
//! Members are written `as_here` in JSON and `asHere` in GraphQL, values of enums `as_here` and `AS_HERE`.

pub mod audit;
pub mod batches;
pub mod keys;
pub mod limits;
pub mod lookups;
pub mod own_accounts;
pub mod participants;
pub mod people;
pub mod proof;
pub mod requests;
pub mod row_filter;
pub mod scalars;
pub mod seals;
#[cfg(test)]
mod tests;
pub mod usage;
pub mod webhooks;
