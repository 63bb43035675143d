//! The scripts: each is one atomic step, and one round trip.

use std::sync::LazyLock;

use deadpool_redis::redis;

/// A script, known to the server by its hash.
pub(crate) struct Script {
    text: &'static str,
    hash: String,
}

impl Script {
    fn new(text: &'static str) -> Self {
        let hash = redis::Script::new(text).get_hash().to_owned();
        Self { text, hash }
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
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $(
            $(#[$doc])*
            pub(crate) static $name: LazyLock<Script> = LazyLock::new(|| {
                Script::new(concat!(include_str!("scripts/common.lua"), include_str!($file)))
            });
        )*
    };
}

scripts! {
    /// Admits one request.
    ADMIT = "scripts/admit.lua";
    /// Tells what is left.
    PEEK = "scripts/peek.lua";
    /// Merges what the store knows.
    HYDRATE = "scripts/hydrate.lua";
    /// Applies a change.
    APPLY = "scripts/apply.lua";
    /// Gives one request back.
    REFUND = "scripts/refund.lua";
    /// Forgets a key.
    FORGET = "scripts/forget.lua";
}
