//! Inbound port: readiness.

use async_trait::async_trait;

/// Inbound port: the state of the gateway's components.
#[async_trait]
pub trait Health: Send + Sync {
    /// The state of each component, as it was at most a second ago; the gateway is ready when none has
    /// failed.
    async fn components(&self) -> Vec<Component>;
}

/// A component that the gateway depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name, for operators.
    pub name: &'static str,
    /// Its state.
    pub state: ComponentState,
}

/// The state of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentState {
    /// It works.
    Up,
    /// The gateway serves without it, with restrictions.
    Degraded,
    /// It doesn't work, and the gateway can't serve without it.
    Failed,
}
