//! The embedded database of a gateway under load, while other programs use it, while its files are
//! moved or replaced, and during failures of the machine: no delivered proof is uncounted, the
//! database isn't corrupted, and changes of keys take effect.
//!
//! `CEP_TEST_ROUNDS=10` repeats each scenario, `CEP_TEST_FULL=1` lets events last as long as they
//! do in operation, and `CEP_TEST_BINARY` names another version to compare with. Each round of a
//! scenario prints a line.

mod alone;
mod beside;
mod displaced;
mod effects;
#[cfg(target_os = "linux")]
mod locks;
mod machine;
pub(crate) mod mounted;
pub(crate) mod programs;
mod restored;
mod round;
