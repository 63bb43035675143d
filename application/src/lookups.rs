//! Stored lookups: their encryption, their attempts, and what callers and people read of them.

mod changes;
mod content;
mod encryption;
mod listener;
pub(crate) mod parts;
mod person;
mod queue;
mod reader;
mod service;
mod signals;
mod waits;
mod worker;

pub(crate) use content::{Answer, Question};
pub use encryption::LookupEncryption;
pub(crate) use encryption::UnknownGeneration;
pub use listener::LookupListener;
pub use person::{PersonLookupService, PersonLookupSources};
pub use reader::LookupReader;
pub use service::LookupService;
pub(crate) use service::charged;
pub use signals::LookupSignals;
pub use worker::{LookupWorker, WorkerParts};
