//! Standard error, the output of the log.

use std::io::{self, BufWriter, IsTerminal as _, Stderr, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Standard error, buffered. Clones share it.
#[derive(Clone)]
pub(super) struct Output {
    target: Arc<Mutex<Target>>,
    /// Separate from the target, whose lock is held while standard error blocks.
    is_holding_back: Arc<AtomicBool>,
}

struct Target {
    stderr: BufWriter<Stderr>,
    held_back: Option<Vec<u8>>,
}

impl Output {
    pub(super) fn new() -> Self {
        let target = Target {
            stderr: BufWriter::with_capacity(64 * 1024, io::stderr()),
            held_back: None,
        };
        Self {
            target: Arc::new(Mutex::new(target)),
            is_holding_back: Arc::default(),
        }
    }

    /// Holds back what is written to a terminal until [`Output::release`].
    pub(super) fn hold_back_on_terminal(&self) {
        if io::stderr().is_terminal() {
            self.target().held_back = Some(Vec::new());
            self.is_holding_back.store(true, Ordering::Release);
        }
    }

    /// Writes the lines that were held back; later ones are written at once.
    pub(super) fn release(&self) {
        if !self.is_holding_back.swap(false, Ordering::AcqRel) {
            return;
        }
        let mut target = self.target();
        let held_back = target.held_back.take().unwrap_or_default();
        // There is no other place to report a standard error that can't be written.
        let _ = target.stderr.write_all(&held_back);
        let _ = target.stderr.flush();
    }

    fn target(&self) -> MutexGuard<'_, Target> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut target = self.target();
        match &mut target.held_back {
            Some(held_back) => held_back.write(bytes),
            None => target.stderr.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target().stderr.flush()
    }
}
