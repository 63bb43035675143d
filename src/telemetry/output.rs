//! Standard error, the output of the log.

use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Bytes of lines that are written together.
const WRITTEN_TOGETHER: usize = 64 * 1024;
/// Pause of an output that lets urgent lines go first.
const PAUSE: Duration = Duration::from_millis(1);

/// Standard error. Clones share it, and have a buffer each, of which whole lines are written.
#[derive(Default)]
pub(super) struct Output {
    lines: Vec<u8>,
    is_urgent: bool,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Lines that are held back; `None` when they are written at once.
    held_back: Mutex<Option<Vec<u8>>>,
    /// True while urgent lines wait.
    is_urgent_waiting: AtomicBool,
    flushes: AtomicU64,
}

impl Clone for Output {
    fn clone(&self) -> Self {
        Self {
            lines: Vec::new(),
            is_urgent: self.is_urgent,
            shared: Arc::clone(&self.shared),
        }
    }
}

impl Output {
    /// An output whose lines are written before those of others.
    pub(super) fn urgent(&self) -> Self {
        Self {
            is_urgent: true,
            ..self.clone()
        }
    }

    /// Holds back what is written to a terminal until [`Output::release`].
    pub(super) fn hold_back_on_terminal(&self) {
        if io::stderr().is_terminal() {
            *self.shared.held_back() = Some(Vec::new());
        }
    }

    /// Writes the lines that were held back; later ones are written at once.
    pub(super) fn release(&self) {
        let held_back = self.shared.held_back().take();
        write(&held_back.unwrap_or_default());
    }

    /// Number of times that lines were written: it stays the same while standard error blocks.
    pub(super) fn flushes(&self) -> u64 {
        self.shared.flushes.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn held_back(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        let held_back = self.held_back.lock();
        held_back.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes whole lines. An error is ignored: there is no other place to report it.
fn write(lines: &[u8]) {
    if !lines.is_empty() {
        let _ = io::stderr().lock().write_all(lines);
    }
}

impl Write for Output {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.lines.extend_from_slice(line);
        if self.lines.len() >= WRITTEN_TOGETHER {
            self.flush()?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut held_back = self.shared.held_back();
        if let Some(held_back) = held_back.as_mut() {
            held_back.append(&mut self.lines);
            return Ok(());
        }
        drop(held_back);
        let urgent = &self.shared.is_urgent_waiting;
        if self.is_urgent {
            urgent.store(true, Ordering::Release);
            write(&self.lines);
            urgent.store(false, Ordering::Release);
        } else {
            while urgent.load(Ordering::Acquire) {
                thread::sleep(PAUSE);
            }
            write(&self.lines);
        }
        self.lines.clear();
        self.shared.flushes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
