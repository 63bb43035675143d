//! The portal's adapter against real sockets: a well-behaved portal, a broken one, a hostile one.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod connections;
mod contract;
mod fuzz;
mod hostile;
mod load;
mod logs;
mod pacing;
mod participants;
mod references;
mod sessions;
mod support;
mod validator;
