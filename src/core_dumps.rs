//! Core dumps: none, because one would hold secrets, keys and proofs.

use std::io;

use rlimit::Resource;

/// Forbids this process, and those that it starts, to leave a core dump. Nothing allows it again.
///
/// # Errors
/// The system refuses to change the limit, which isn't 0 yet.
pub fn forbid() -> io::Result<()> {
    match Resource::CORE.get()? {
        // As a service manager may have set it, which may then forbid to set limits at all.
        (0, 0) => Ok(()),
        _ => Resource::CORE.set(0, 0),
    }
}
