//! Paths at which the API is served, at the root and under `/api` as every route is.

/// Of queries and mutations.
pub(crate) const HTTP: [&str; 2] = ["/graphql", "/api/graphql"];
/// Of subscriptions.
pub(crate) const WEB_SOCKET: [&str; 2] = ["/graphql/ws", "/api/graphql/ws"];
