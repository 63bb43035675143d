//! The central bank's CEP portal over HTTP, as an adapter of [`ports::outbound::Bank`], and its validator of
//! seals, as one of [`ports::outbound::SealValidator`].
//!
//! Steps of one query in [`portal`]: a [`Pacer`](ports::outbound::Pacer) admits it, a [`session`]
//! of its own requests `valida.do` and `descarga.do` over the connection pool of [`mod@http`],
//! [`page`] classifies the page, [`mod@file`] validates the downloads. [`mod@error`] maps failures
//! to the port's errors, [`diagnostics`] stores unknown pages, [`trace`] records spans, [`mod@metrics`]
//! turns.

mod address;
mod config;
mod cookies;
mod diagnostics;
mod error;
mod file;
mod http;
mod metrics;
mod page;
mod portal;
mod session;
mod trace;

pub use address::{CENTRAL_BANK, PortalUrl, PortalUrlError};
pub use config::PortalConfig;
pub use portal::{Portal, PortalError, Validator};
pub use trace::TraceParent;
