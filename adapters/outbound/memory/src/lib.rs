//! Outbound adapters that keep their state in the process: the rate limiter and the pacer of a
//! gateway that runs on one machine.

mod limiter;
mod pacer;

pub use limiter::InProcessLimiter;
pub use pacer::InProcessPacer;
