//! Headings of `--help` and of `docs/configuration.md`.

pub(super) const SERVER: &str = "Server";
pub(super) const DATABASE: &str = "Database and keys";
pub(super) const REPLICAS: &str = "Replicas and Redis";
pub(super) const BANK: &str = "Central bank's portal";
pub(super) const SANDBOX: &str = "Sandbox bank";
pub(super) const PEOPLE: &str = "Dashboard and sign-in";
pub(super) const ADMIN: &str = "Metrics";
pub(super) const TRACES: &str = "Traces";
pub(super) const LOG: &str = "Logs";
