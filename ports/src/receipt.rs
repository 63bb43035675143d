//! Receipts of admissions, issued by the journal.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::JournalError;

/// A future that resolves once an admission is durable.
pub struct Receipt(Pin<Box<dyn Future<Output = Result<(), JournalError>> + Send>>);

impl Receipt {
    /// Creates a receipt that resolves when `future` does.
    pub fn new(future: impl Future<Output = Result<(), JournalError>> + Send + 'static) -> Self {
        Self(Box::pin(future))
    }
}

impl Future for Receipt {
    type Output = Result<(), JournalError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receipt")
    }
}
