//! The central bank's CEP portal over HTTP, as an adapter of [`ports::outbound::Bank`].
//!
//! The way of one lookup: a [`Pacer`](ports::outbound::Pacer) gives it a turn, a [`session`] of its
//! own asks `valida.do` and `descarga.do` over the shared connections of [`wire`], [`page`] reads what the portal says,
//! [`mod@file`] checks what it sends. [`fault`] names what goes wrong, [`diagnosis`] keeps the pages
//! that nobody has seen before, [`trace`] tells traces of it. [`portal`] ties this together.

mod address;
mod config;
mod cookies;
mod diagnosis;
mod fault;
mod file;
mod page;
mod portal;
mod session;
mod trace;
mod wire;

pub use address::{CENTRAL_BANK, PortalUrl, PortalUrlError};
pub use config::PortalConfig;
pub use portal::{Portal, PortalError};
pub use trace::TraceHeaders;
