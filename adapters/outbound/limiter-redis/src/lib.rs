//! Outbound adapter: exact limits in Redis or Redis Cluster, shared by many replicas.
