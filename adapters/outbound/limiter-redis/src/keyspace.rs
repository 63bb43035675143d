//! Names of an API key's keys in Redis, and the clock offset of tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::keys::CountedKey;

use crate::connection::{Argument, ScriptCall};
use crate::scripts::Script;

/// A namespace of keys in Redis.
#[derive(Clone)]
pub(crate) struct Keyspace {
    namespace: String,
    offset: Option<Arc<AtomicI64>>,
}

impl Keyspace {
    pub(crate) fn new(namespace: String) -> Self {
        Self {
            namespace,
            offset: None,
        }
    }

    /// Returns a separate keyspace whose time is offset from the server's by so many milliseconds,
    /// read at each call.
    pub(crate) fn with_offset(&self, offset: Arc<AtomicI64>) -> Self {
        Self {
            namespace: format!("{}-shifted", self.namespace),
            offset: Some(offset),
        }
    }

    pub(crate) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the call of a script on these API keys, with the arguments that all scripts have in common
    /// and those of this one.
    pub(crate) fn call(
        &self,
        script: &'static Script,
        keys: &[CountedKey],
        rest: impl IntoIterator<Item = Argument>,
    ) -> ScriptCall {
        let offset = self.offset.as_ref();
        let offset = offset.map_or(0, |offset| offset.load(Ordering::SeqCst));
        ScriptCall {
            script,
            keys: keys
                .iter()
                .flat_map(|key| self.names(script, *key))
                .collect(),
            arguments: std::iter::once(offset.into()).chain(rest).collect(),
        }
    }

    /// Returns the keys of a script on one API key. The hash tag in braces decides the slot, which is the
    /// same for all keys that share their counters. The state of the first of these keys is in the same hash
    /// as the counters: few keys are ever rotated.
    fn names(&self, script: &Script, key: CountedKey) -> impl Iterator<Item = String> {
        let namespace = &self.namespace;
        let (counters, id) = (key.counters.0.simple(), key.id.0.simple());
        let is_first = key.counters == key.id.into();
        let name = move |kind: &char| match kind {
            'k' if is_first => format!("{namespace}:{{{counters}}}:s"),
            'k' => format!("{namespace}:{{{counters}}}:{{{id}}}:s"),
            kind => format!("{namespace}:{{{counters}}}:{kind}"),
        };
        script.keys.iter().map(name)
    }
}
