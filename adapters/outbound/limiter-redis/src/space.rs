//! The names of a key's keys, and the time it is there.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::key::KeyId;

use crate::scripts::Script;
use crate::wire::Argument;

/// A namespace of the server's keys.
#[derive(Clone)]
pub(crate) struct Space {
    namespace: String,
    shift: Option<Arc<AtomicI64>>,
}

impl Space {
    pub(crate) fn new(namespace: String) -> Self {
        Self {
            namespace,
            shift: None,
        }
    }

    /// Another one, so many milliseconds away from the server's time, as they are at each call.
    pub(crate) fn shifted(&self, shift: Arc<AtomicI64>) -> Self {
        Self {
            namespace: format!("{}-shifted", self.namespace),
            shift: Some(shift),
        }
    }

    pub(crate) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The keys that a script is given; what stands in braces decides the slot.
    pub(crate) fn keys(&self, script: &Script, key: KeyId) -> impl Iterator<Item = String> {
        let namespace = &self.namespace;
        let id = key.0.simple();
        let name = move |kind: &char| format!("{namespace}:{{{id}}}:{kind}");
        script.keys.iter().map(name)
    }

    /// The arguments of every script, and then those of one.
    pub(crate) fn arguments(&self, rest: impl IntoIterator<Item = Argument>) -> Vec<Argument> {
        let shift = self.shift.as_ref();
        let shift = shift.map_or(0, |shift| shift.load(Ordering::SeqCst));
        std::iter::once(shift.into()).chain(rest).collect()
    }
}
