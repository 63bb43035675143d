//! Reading of receipts, and the lookups that follow.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use domain::idempotency::FirstAnswer;
use domain::lookups::{Metadata, RetryFor};
use domain::outcome::Outcome;
use domain::proofs::file::RequestedFiles;
use domain::receipts::{DocumentKind, Receipt, ReceiptFileError};
use futures::FutureExt as _;

use super::create::CompletedRequest;
use super::entrance::{Entrance, Open};
use super::{
    AdmissionRequest, Admitted, Processed, ProofRequestService, Question, Repeated, Reply, Served,
    caught,
};
use crate::lookups::{LookupRequest, LookupView};
use crate::receipts::{FollowUp, ReceiptAnswer, ReceiptError, ReceiptRequest};

/// Result of reading a receipt, or the reason why the file can't be read.
type Read = Result<ReceiptAnswer, ReceiptFileError>;

impl ProofRequestService {
    /// Reads a receipt, and stores a lookup if the caller asks for one and the receipt is certain. Either way the
    /// request is counted once; one whose file could not be read now is given back.
    pub async fn read_receipt<E: Send + 'static>(
        self: &Arc<Self>,
        request: AdmissionRequest,
        question: Question<'_, ReceiptRequest, E>,
    ) -> Served<Read, E> {
        let (entered, question) = match self.enter(request, question).await {
            Entrance::Admitted(entered, question) => (entered, question),
            Entrance::Repeated(repeated, question) => {
                let reading = self.read_again(&repeated, question);
                return self.repeat(&repeated, pin!(reading.map(Some))).await;
            }
            Entrance::Closed(served) => return *served,
        };
        let admitted = &entered.admitted;
        let failed = || {
            let cause = "the reading of a receipt panicked";
            Err(Box::new(Processed::failed(&admitted.request_id, cause)))
        };
        let read = caught(pin!(self.read_file(admitted, question)), failed).await;
        let (receipt, follow_up) = match read {
            Ok(read) => read,
            Err(processed) => return self.settle(entered.close(), *processed).await,
        };
        let Some(to_store) = self.to_store(admitted, &receipt, follow_up).await else {
            return self.settle(entered.close(), told(receipt, None)).await;
        };
        let Open { admission, claim } = entered.open();
        let charged = (&admission.charged, admission.environment);
        match self.add(charged, *claim, to_store).await {
            Ok(stored) => {
                let answer = |lookup| Ok(ReceiptAnswer { receipt, lookup });
                self.accept(entered, stored, answer).await
            }
            Err(processed) => self.settle(entered.close(), *processed).await,
        }
    }

    /// Reads a file; `Err` with the request that ends without a receipt.
    async fn read_file<E: Send + 'static>(
        &self,
        admitted: &Admitted,
        question: Question<'_, ReceiptRequest, E>,
    ) -> Result<(Receipt, FollowUp), Box<Processed<Read, E>>> {
        let place = self.receipts.place(admitted.lane.customer).await;
        let request = question.read().await;
        let request = request.map_err(|fault| Box::new(Processed::faulty(fault)))?;
        let receipt = self.receipts.read(request.file, request.kind).await;
        drop(place);
        match receipt {
            Ok(receipt) => Ok((
                self.completed_receipt(admitted, receipt).await,
                request.follow_up,
            )),
            Err(error) => Err(Box::new(unread(admitted, error))),
        }
    }

    /// Compares the account with the customer's own ones, or completes it with them, unless they can't be read.
    async fn completed_receipt(&self, admitted: &Admitted, receipt: Receipt) -> Receipt {
        if receipt.kind != DocumentKind::Receipt {
            return receipt;
        }
        match self.lookups.own_accounts(admitted.lane.customer).await {
            Ok(own) => self.receipts.completed(receipt, &own),
            Err(cause) => {
                let request_id = &admitted.request_id;
                tracing::warn!(%request_id, %cause, "own accounts can't be read for a receipt");
                receipt
            }
        }
    }

    /// The lookup that follows a receipt; `None` if none is wanted, or the receipt isn't certain.
    async fn to_store(
        &self,
        admitted: &Admitted,
        receipt: &Receipt,
        follow_up: FollowUp,
    ) -> Option<CompletedRequest> {
        let query = match follow_up {
            FollowUp::None => return None,
            FollowUp::LookupIfCertain => self.receipts.certain_query(receipt)?,
        };
        let request = LookupRequest {
            query,
            files: RequestedFiles::Xml,
            retry_for: RetryFor::DEFAULT,
            metadata: Metadata::default(),
            wait: Duration::ZERO,
        };
        let (request_id, customer) = (&admitted.request_id, admitted.lane.customer);
        let completed = self.completed::<(), Infallible>(request_id, customer, request);
        completed.await.ok()
    }

    /// Reads the file of a repeated request, with the lookup of the first one.
    async fn read_again<E: Send + 'static>(
        &self,
        repeated: &Repeated,
        question: Question<'_, ReceiptRequest, E>,
    ) -> Processed<Read, E> {
        let receipt = match self.read_file(&repeated.admitted, question).await {
            Ok((receipt, _)) => receipt,
            Err(processed) => return *processed,
        };
        let lookup = match repeated.first {
            FirstAnswer::Lookup(id) => {
                let customer = repeated.by.customer;
                self.lookups.created(customer, id, Duration::ZERO).await
            }
            FirstAnswer::Immediate { .. } | FirstAnswer::Batch(_) => None,
        };
        told(receipt, lookup)
    }
}

/// A request whose receipt was read.
fn told<E>(receipt: Receipt, lookup: Option<LookupView>) -> Processed<Read, E> {
    Processed::of(
        Outcome::ReceiptRead,
        Reply::Answer(Ok(ReceiptAnswer { receipt, lookup })),
    )
}

/// A request whose file can't be read. What another attempt may read is given back.
fn unread<E>(admitted: &Admitted, error: ReceiptError) -> Processed<Read, E> {
    let error = match error {
        ReceiptError::File(error) => error,
        ReceiptError::NotEnded => return Processed::failed(&admitted.request_id, error),
    };
    let reply = Reply::Answer(Err(error));
    match error {
        ReceiptFileError::Damaged
        | ReceiptFileError::Encrypted
        | ReceiptFileError::TooLarge
        | ReceiptFileError::TooSlow => Processed::of(Outcome::InvalidRequest, reply),
        ReceiptFileError::NoRecognition | ReceiptFileError::Busy => Processed {
            repeatable: None,
            ..Processed::of(Outcome::ReaderUnavailable, reply)
        },
    }
}
