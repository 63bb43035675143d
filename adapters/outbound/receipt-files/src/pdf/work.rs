//! Bounds on the work that a file takes, whatever it declares.

use std::cell::Cell;
use std::time::Instant;

use domain::receipts::ReceiptFileError;

/// Maximum number of values that are kept: of objects and of tables of characters.
const KEPT: usize = 500_000;
/// Maximum number of operands and operators of all contents.
const PASSED: usize = 2_000_000;
/// Maximum size of all streams once they are inflated. Those that are read twice count twice.
const INFLATED: usize = 32 << 20;
/// Bytes of a text that count as a further value.
const LONG: usize = 32;
/// Number of values between two looks at the clock.
const INTERVAL: usize = 1024;

/// Work that a file may still take.
pub(crate) struct Work {
    deadline: Instant,
    kept: Cell<usize>,
    passed: Cell<usize>,
    inflated: Cell<usize>,
}

/// Kind of values that are read.
#[derive(Clone, Copy)]
pub(crate) enum Reading {
    /// Values that stay in memory.
    Kept,
    /// Values that are read and forgotten.
    Passed,
}

impl Work {
    pub(crate) fn until(deadline: Instant) -> Self {
        Self {
            deadline,
            kept: Cell::new(KEPT),
            passed: Cell::new(PASSED),
            inflated: Cell::new(INFLATED),
        }
    }

    /// Counts a value, and a long one as several.
    ///
    /// # Errors
    /// [`ReceiptFileError::TooLarge`] when there were too many, [`ReceiptFileError::TooSlow`] after the deadline.
    pub(crate) fn value(&self, reading: Reading, bytes: usize) -> Result<(), ReceiptFileError> {
        let left = match reading {
            Reading::Kept => &self.kept,
            Reading::Passed => &self.passed,
        };
        let before = left.get();
        let rest = before.checked_sub(1 + bytes / LONG);
        let rest = rest.ok_or(ReceiptFileError::TooLarge)?;
        left.set(rest);
        if before / INTERVAL > rest / INTERVAL {
            self.look()?;
        }
        Ok(())
    }

    /// Looks at the clock.
    ///
    /// # Errors
    /// [`ReceiptFileError::TooSlow`] after the deadline.
    pub(crate) fn look(&self) -> Result<(), ReceiptFileError> {
        if Instant::now() > self.deadline {
            return Err(ReceiptFileError::TooSlow);
        }
        Ok(())
    }

    /// Number of bytes to which streams may still inflate.
    pub(crate) fn room(&self) -> usize {
        self.inflated.get()
    }

    /// Counts inflated bytes.
    pub(crate) fn inflate(&self, bytes: usize) {
        self.inflated.set(self.inflated.get().saturating_sub(bytes));
    }
}
