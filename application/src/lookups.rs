//! Stored lookups: their encryption, their attempts, and what callers and people read of them.

mod content;
mod encryption;
mod listener;
mod person;
mod queue;
mod reader;
mod service;
mod signals;
mod worker;

pub use encryption::LookupEncryption;
pub use listener::LookupListener;
pub use person::{PersonLookupService, PersonLookupSources};
pub use reader::LookupReader;
pub use service::LookupService;
pub use signals::LookupSignals;
pub use worker::{LookupWorker, WorkerParts};
