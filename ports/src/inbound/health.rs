//! Whether we can serve.

use async_trait::async_trait;

/// Looks at what we stand on.
#[async_trait]
pub trait Health: Send + Sync {
    /// The state of each component; we are ready when none has failed.
    async fn components(&self) -> Vec<Component>;
}

/// One thing that we stand on.
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
    /// We serve without it, but not as we should.
    Degraded,
    /// It doesn't, and without it we can't serve.
    Failed,
}
