//! Inbound adapter: the GraphQL API for dashboard front ends.
