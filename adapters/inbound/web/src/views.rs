//! Views of resources: the structs that REST writes as JSON and GraphQL resolves, made from the
//! application's views.

pub mod proof;
