//! Stored lookups: encryption, attempts, and reading by callers and people.

mod calls;
mod changes;
mod content;
mod encryption;
mod finding;
mod listener;
pub(crate) mod parts;
mod person;
mod person_types;
mod queue;
mod reader;
mod service;
mod signals;
mod types;
mod waits;
mod worker;

pub use changes::LookupChanges;
pub(crate) use content::{Answer, Question};
pub use encryption::LookupEncryption;
pub use listener::LookupListener;
pub use person::{PersonLookupService, PersonLookupSources};
pub use person_types::{PersonLookupError, PersonLookupQuery};
pub use reader::LookupReader;
pub use service::LookupService;
pub(crate) use service::{Incomplete, ReadTurn, charged};
pub use signals::LookupSignals;
pub use types::{
    LookupAccess, LookupError, LookupQuery, LookupRequest, LookupView, Read, RemovedLookup,
};
pub use worker::{LookupWorker, WorkerParts};
