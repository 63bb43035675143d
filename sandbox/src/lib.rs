//! Stand-ins of the outside world that are real servers: the central bank's CEP portal, which speaks
//! the portal's protocol to the byte where a client could tell, and an [`identity`] provider.
//!
//! The way of one lookup: `form` reads the ten fields into an `order`, `outcome` says what
//! becomes of it (any well-formed transfer is found; a magic amount chooses another answer),
//! `sessions` remembers what may be downloaded, `pages` hold the portal's HTML. A proof is made
//! of the order and of `details` that `dice` draw from its tracking key; `seal` signs it,
//! `proof` writes its XML, `pdf` its page and `archive` both. `portal` ties this to the
//! three routes, `server` either of the two to a listener.

mod answers;
mod archive;
mod cookies;
mod details;
mod dice;
mod form;
pub mod identity;
mod order;
mod outcome;
mod pages;
mod pdf;
mod portal;
mod proof;
pub mod seal;
mod server;
mod sessions;

pub use portal::{Now, SandboxConfig, router};
pub use server::serve;
