//! The introspection switch.

/// Whether the API answers introspection queries of a person with a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Introspection {
    /// It does, for tools.
    On,
    /// It doesn't.
    Off,
}
