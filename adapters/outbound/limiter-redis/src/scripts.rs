//! The scripts: each is one atomic step, and one round trip.

use std::sync::LazyLock;

use deadpool_redis::redis;

/// A script, known to the server by its hash.
pub(crate) struct Script {
    text: &'static str,
    /// Which keys of an API key it is given: `s`tate, `w`indow, `r`efunds; or of the bank, which has a
    /// `q`ueue.
    pub(crate) keys: &'static [char],
    hash: String,
}

impl Script {
    fn new(text: &'static str, keys: &'static [char]) -> Self {
        let hash = redis::Script::new(text).get_hash().to_owned();
        Self { text, keys, hash }
    }

    /// Runs it, if the server has it.
    pub(crate) fn by_hash(&self) -> redis::Cmd {
        let mut command = redis::cmd("EVALSHA");
        command.arg(&self.hash);
        command
    }

    /// Runs it, and has the server that does so remember it.
    pub(crate) fn by_text(&self) -> redis::Cmd {
        let mut command = redis::cmd("EVAL");
        command.arg(self.text);
        command
    }
}

macro_rules! scripts {
    ($common:literal: $($(#[$doc:meta])* $name:ident($($kind:literal)*) = $file:literal;)*) => {
        $(
            $(#[$doc])*
            pub(crate) static $name: LazyLock<Script> = LazyLock::new(|| {
                Script::new(concat!(include_str!($common), include_str!($file)), &[$($kind),*])
            });
        )*
    };
}

scripts! {
    "scripts/common.lua":
    /// Admits requests, one for each pair of keys; answers for each.
    ADMIT('s' 'w') = "scripts/admit.lua";
    /// Tells what is left.
    PEEK('s' 'w') = "scripts/peek.lua";
    /// Merges what the store knows.
    HYDRATE('s' 'w') = "scripts/hydrate.lua";
    /// Applies a change.
    APPLY('s') = "scripts/apply.lua";
    /// Gives one request back.
    REFUND('s' 'r') = "scripts/refund.lua";
    /// Makes a key unknown.
    FORGET('s') = "scripts/forget.lua";
}

scripts! {
    "scripts/pacing/common.lua":
    /// Takes a turn, or a place in the queue.
    TURN('s' 'w' 'q') = "scripts/pacing/turn.lua";
    /// Gives a place back.
    LEAVE('s' 'w' 'q') = "scripts/pacing/leave.lua";
    /// The bank wanted fewer questions.
    LIMITED('s' 'w' 'q') = "scripts/pacing/limited.lua";
    /// The bank answered.
    SERVED('s' 'w' 'q') = "scripts/pacing/served.lua";
    /// Counts and keeps what another pacer knows.
    LEARN('s' 'w' 'q') = "scripts/pacing/learn.lua";
    /// Tells what is left.
    BUDGET('s' 'w' 'q') = "scripts/pacing/budget.lua";
}
