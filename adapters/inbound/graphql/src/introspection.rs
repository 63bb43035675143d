//! The introspection switch.

/// Introspection switch, for people with a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Introspection {
    /// Introspection queries are executed, for tools.
    On,
    /// Introspection queries are refused.
    Off,
}
