//! What processes tell each other of the identity provider's keys.

use std::time::Duration;

use async_trait::async_trait;

use super::StoreError;

/// Keeps, for all processes, the newest key set of each identity provider and who fetched it last,
/// so that together they ask the provider no more often than one of them would.
///
/// Whoever can write here can have any session accepted, as with the deny list: the same database
/// keeps both. A reader MUST check a document as if the provider had just sent it.
#[async_trait]
pub trait ProviderKeyCache: Send + Sync {
    /// What is known of an issuer's keys. The document comes with it when it is another than that of
    /// the turn `known`.
    async fn look(&self, issuer: &str, known: Turn) -> Result<Known, StoreError>;

    /// Takes the next turn to fetch, unless somebody has since `seen` was the newest. One atomic
    /// step: of many who saw the same, one takes it, and the others are told `None`.
    ///
    /// Nothing has to be given back: a turn that its taker never ends is over for whoever thinks
    /// that it began long enough ago.
    async fn take_turn(
        &self,
        issuer: &str,
        seen: Turn,
        want: Want,
    ) -> Result<Option<Turn>, StoreError>;

    /// Ends a turn with the document that it brought, which was asked for `age` ago. What a later
    /// turn has brought stays.
    async fn publish(
        &self,
        issuer: &str,
        turn: Turn,
        age: Duration,
        document: &str,
    ) -> Result<(), StoreError>;

    /// Ends a turn that brought nothing.
    async fn give_up(&self, issuer: &str, turn: Turn) -> Result<(), StoreError>;
}

/// The number of a fetch: all that an issuer was ever asked for are numbered in the order in which
/// they began, from one on. Zero stands for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn(pub u64);

/// Why keys are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Those at hand are old, or there are none.
    Newer,
    /// Those at hand don't have the one that a token names.
    Missing,
}

/// What is known of an issuer's keys. Times are measured by the cache's own clock, which is the same
/// for all; one that was set back since makes them unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The newest turn.
    pub turn: Turn,
    /// What became of it.
    pub progress: Progress,
    /// How long ago it began; `None` when that isn't known.
    pub begun: Option<Duration>,
    /// How long ago the last one began that somebody took for [`Want::Missing`]; `None` when there
    /// was none, or it isn't known.
    pub missed: Option<Duration>,
    /// The newest document, when it was asked for.
    pub document: Option<KeyDocument>,
}

/// What became of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// Whoever took it hasn't ended it: it is being fetched, or the process is gone.
    UnderWay,
    /// It brought nothing.
    #[default]
    Failed,
    /// It brought a document.
    Published,
}

/// A key set as the provider published it (RFC 7517), JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDocument {
    /// Which fetch brought it.
    pub turn: Turn,
    /// How long ago it was asked for; `None` when that isn't known.
    pub age: Option<Duration>,
    /// The document.
    pub text: String,
}
