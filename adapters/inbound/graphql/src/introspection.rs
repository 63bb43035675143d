//! Configuration of introspection.

/// Configuration of introspection; it always needs a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Introspection {
    /// Introspection queries are executed, for development tools.
    On,
    /// Introspection queries are refused.
    Off,
}
