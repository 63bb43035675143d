//! The composition root: the command line, options, wiring and life cycle.
//!
//! `wiring` is the one place where services and adapters are put together.

mod admin;
mod catalogue_watch;
pub mod cli;
pub mod commands;
pub mod config;
mod console;
pub mod core_dumps;
mod database_log;
mod first_start;
mod low_priority;
mod metrics;
mod private_files;
mod seal_watch;
mod secret;
mod server;
mod system;
mod systemd;
mod telemetry;
mod traces;
mod wiring;

pub use console::say_error;
