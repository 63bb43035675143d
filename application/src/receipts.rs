//! Reading of receipts that callers send.

use std::sync::Arc;

use bytes::Bytes;
use domain::calendar;
use domain::own_accounts::{GivenAccount, OwnAccount};
use domain::people::customer::CustomerId;
use domain::query::ProofQuery;
use domain::receipts::{Receipt, ReceiptFile, ReceiptFileError, ReceiptText};
use futures::channel::oneshot;
use ports::outbound::{Clock, ReceiptReader};

use crate::lookups::LookupView;
use crate::participants::SharedCatalogue;
use crate::proofs::Compute;
use crate::sync::places::{Place, Places};

/// A receipt to read.
#[derive(Clone, Debug)]
pub struct ReceiptRequest {
    /// Content of the file, at most [`domain::receipts::MAX_FILE_BYTES`].
    pub file: Bytes,
    /// Its type.
    pub kind: ReceiptFile,
    /// Goes on with a lookup.
    pub follow_up: FollowUp,
}

/// Use of the query that a receipt gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// The caller gets it.
    None,
    /// A lookup is stored if all fields that it needs are read with high confidence.
    LookupIfCertain,
}

/// Result of reading a receipt.
#[derive(Clone, Debug)]
pub struct ReceiptAnswer {
    /// What was read.
    pub receipt: Receipt,
    /// The stored lookup; `None` if there is none.
    pub lookup: Option<LookupView>,
}

/// Maximum number of receipts of one account that are read at the same time. A picture takes a second or two of a
/// processor, and as many are read at once as there are processors.
const PLACES_OF_ACCOUNT: usize = 2;

/// Reads receipts.
pub struct ReceiptReading {
    reader: Arc<dyn ReceiptReader>,
    participants: Arc<SharedCatalogue>,
    clock: Arc<dyn Clock>,
    compute: Compute,
    places: Places,
}

/// Error of reading a receipt.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum ReceiptError {
    /// The file's text can't be read.
    #[error(transparent)]
    File(#[from] ReceiptFileError),
    /// The computation panicked or was dropped.
    #[error("the reading of a receipt did not end")]
    NotEnded,
}

impl ReceiptReading {
    /// Creates a service that reads files with `reader`, and their texts in threads of `compute`.
    pub fn new(
        reader: Arc<dyn ReceiptReader>,
        participants: Arc<SharedCatalogue>,
        clock: Arc<dyn Clock>,
        compute: Compute,
    ) -> Self {
        Self {
            reader,
            participants,
            clock,
            compute,
            places: Places::new(PLACES_OF_ACCOUNT),
        }
    }

    /// Waits until fewer than [`PLACES_OF_ACCOUNT`] receipts of the account are read, and occupies a place until it is
    /// dropped.
    pub(crate) async fn place(&self, customer: CustomerId) -> Place {
        self.places.take(customer).await
    }

    /// Reads a file. Nothing of it is kept.
    pub(crate) async fn read(
        &self,
        file: Bytes,
        kind: ReceiptFile,
    ) -> Result<Receipt, ReceiptError> {
        let text = match kind {
            ReceiptFile::Document(kind) => return Ok(Receipt::of_document(kind)),
            ReceiptFile::Text => Text::Plain(file),
            ReceiptFile::Pdf => Text::Placed(self.reader.pdf(file).await?),
            ReceiptFile::Picture => Text::Placed(self.reader.picture(file).await?),
        };
        let catalogue = self.participants.catalogue();
        let today = calendar::today(self.clock.now());
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            let receipt = match text {
                Text::Placed(text) => Receipt::read(&text, today, &catalogue),
                Text::Plain(text) => {
                    let text = String::from_utf8_lossy(&text);
                    Receipt::read_plain(&text, today, &catalogue)
                }
            };
            // The receiver may be dropped.
            let _ = sender.send(receipt);
        };
        (self.compute)(Box::new(work)).await;
        receiver.await.map_err(|_| ReceiptError::NotEnded)
    }

    /// The query of a receipt that is certain enough to ask the bank without a person; `None` for others.
    pub(crate) fn certain_query(&self, receipt: &Receipt) -> Option<ProofQuery<GivenAccount>> {
        self.query(receipt).filter(|_| receipt.is_certain())
    }

    /// The receipt as the customer's own accounts make it: with a notice if it tells another account, and without a
    /// missing account if they complete its masked one.
    pub(crate) fn completed(&self, receipt: Receipt, own: &[OwnAccount]) -> Receipt {
        let receipt = receipt.compared_with(own);
        if !receipt.lacks_account() {
            return receipt;
        }
        let completed = receipt.clone().with_own_account();
        let catalogue = self.participants.catalogue();
        let query = self.query(&completed);
        match query.map(|query| query.complete(own, &catalogue)) {
            Some(Ok(_)) => completed,
            Some(Err(_)) | None => receipt,
        }
    }

    fn query(&self, receipt: &Receipt) -> Option<ProofQuery<GivenAccount>> {
        let query = receipt.query()?;
        let today = calendar::today(self.clock.now());
        let catalogue = self.participants.catalogue();
        ProofQuery::parse_given(&query, today, &catalogue).ok()
    }
}

/// A text as it was sent, or with positions.
enum Text {
    Plain(Bytes),
    Placed(ReceiptText),
}
