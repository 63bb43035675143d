//! Paths of the API, at the root and under `/api`.

/// Paths of queries and mutations.
pub(crate) const HTTP: [&str; 2] = ["/graphql", "/api/graphql"];
/// Paths of subscriptions.
pub(crate) const WEB_SOCKET: [&str; 2] = ["/graphql/ws", "/api/graphql/ws"];
