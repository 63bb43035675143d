//! The Lua scripts: each is atomic and one round trip.

use std::sync::LazyLock;

use deadpool_redis::redis;

/// A script, cached by the server under its SHA-1.
pub(crate) struct Script {
    text: &'static str,
    /// Kinds of its keys. Of an API key: `k` is its state; `s`, `w` and `r` are the counters, the
    /// window and the refunds, which the keys of a rotation share. Of the bank: `s` is the state,
    /// `w` the window and `q` the queue.
    pub(crate) keys: &'static [char],
    hash: String,
}

impl Script {
    fn new(text: &'static str, keys: &'static [char]) -> Self {
        let hash = redis::Script::new(text).get_hash().to_owned();
        Self { text, keys, hash }
    }

    /// Returns the `EVALSHA` command, for a server that has cached the script.
    pub(crate) fn by_hash(&self) -> redis::Cmd {
        let mut command = redis::cmd("EVALSHA");
        command.arg(&self.hash);
        command
    }

    /// Returns the `EVAL` command, after which the server has cached the script.
    pub(crate) fn by_text(&self) -> redis::Cmd {
        let mut command = redis::cmd("EVAL");
        command.arg(self.text);
        command
    }
}

macro_rules! scripts {
    ($common:literal: $($(#[$doc:meta])* $name:ident($($kind:literal)*) = $($file:literal)+;)*) => {
        $(
            $(#[$doc])*
            pub(crate) static $name: LazyLock<Script> = LazyLock::new(|| {
                Script::new(concat!(include_str!($common), $(include_str!($file)),+), &[$($kind),*])
            });
        )*
    };
}

scripts! {
    "scripts/common.lua":
    /// Admits requests: three keys and one reply for each.
    ADMIT('k' 's' 'w') = "scripts/admit.lua";
    /// Returns the remaining limits: three keys and one reply for each.
    PEEK('k' 's' 'w') = "scripts/peek.lua";
    /// Merges a snapshot of the store.
    HYDRATE('k' 's' 'w') = "scripts/hydrate.lua";
    /// Applies a changed state.
    APPLY('k') = "scripts/apply.lua";
    /// Refunds one request.
    REFUND('s' 'r') = "scripts/refund.lua";
    /// Marks counters as unknown.
    FORGET('s') = "scripts/forget.lua";
}

scripts! {
    "scripts/pacing/common.lua":
    /// Reports a replica's waiting callers, and takes a turn.
    TURN('s' 'w' 'q') = "scripts/pacing/queue.lua" "scripts/pacing/turn.lua";
    /// Returns what is left of the budget.
    BUDGET('s' 'w' 'q') = "scripts/pacing/queue.lua" "scripts/pacing/budget.lua";
    /// Starts a back-off after the bank throttled us.
    LIMITED('s' 'w' 'q') = "scripts/pacing/limited.lua";
    /// Records a success.
    SERVED('s' 'w' 'q') = "scripts/pacing/served.lua";
    /// Merges another pacer's turns and back-off.
    LEARN('s' 'w' 'q') = "scripts/pacing/learn.lua";
}
