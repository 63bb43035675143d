//! Simulators of external systems: the central bank's CEP portal, whose responses are byte-identical to
//! recorded ones where a client could notice a difference, and an [`identity`] provider.
//!
//! Steps of one query: `form` parses the ten fields into an `order`, `outcome` decides the response
//! (any well-formed transfer is found; a special amount selects another response, in some cases only
//! for the first queries, counted by `query_counts`), `sessions` stores the order that may be
//! downloaded, and `pages` has the portal's HTML. A proof consists of the order and of `details` that
//! `seeded_rng` derives from its tracking key; `seal` signs it, `proof` writes its XML, `pdf` its PDF
//! and `archive` a ZIP of both. `portal` defines the three routes, `validator` that of the validator of
//! seals, and `server` serves the portal or the provider on a listener.

mod answers;
mod archive;
mod cookies;
mod details;
mod form;
pub mod identity;
mod order;
mod outcome;
mod pages;
mod pdf;
mod portal;
mod proof;
mod query_counts;
pub mod seal;
mod seeded_rng;
mod server;
mod sessions;
mod validator;

pub use portal::{Now, SandboxConfig, router};
pub use server::serve;
pub use validator::VALIDATOR_PATH;
