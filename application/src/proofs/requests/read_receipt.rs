//! Reading of receipts, and the lookups that follow.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use domain::idempotency::FirstAnswer;
use domain::lookups::{Metadata, RetryFor};
use domain::outcome::Outcome;
use domain::proofs::file::RequestedFiles;
use domain::receipts::{DocumentKind, Receipt, ReceiptFileError};

use super::entrance::{Entrance, Open};
use super::{
    AdmissionRequest, Admitted, LookupDetails, Processed, ProofRequestService, Question, Repeated,
    Reply, Served, caught,
};
use crate::lookups::LookupRequest;
use crate::receipts::{FollowUp, ReceiptAnswer, ReceiptError, ReceiptRequest};

/// Result of reading a receipt, or the reason why the file can't be read.
type Read = Result<ReceiptAnswer, ReceiptFileError>;

/// A receipt that was read, and the lookup to store.
struct ToLookUp {
    receipt: Receipt,
    request: LookupRequest,
    details: LookupDetails,
}

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
                let reading = pin!(self.read_again(&repeated, question));
                return self.repeat(&repeated, reading).await;
            }
            Entrance::Closed(served) => return *served,
        };
        let admitted = &entered.admitted;
        let failed = || {
            let cause = "the reading of a receipt panicked";
            Err(Box::new(Processed::failed(&admitted.request_id, cause)))
        };
        let read = caught(pin!(self.read_file(admitted, question)), failed).await;
        let ToLookUp {
            receipt,
            request,
            details,
        } = match read {
            Ok(wanted) => wanted,
            Err(processed) => return self.settle(entered.close(), *processed).await,
        };
        let Open { admission, claim } = entered.open();
        let charged = (&admission.charged, admission.environment);
        match self.add(charged, *claim, (request, details)).await {
            Ok(stored) => {
                let answer = |lookup| Ok(ReceiptAnswer { receipt, lookup });
                self.accept(entered, stored, answer).await
            }
            Err(processed) => self.settle(entered.close(), *processed).await,
        }
    }

    /// Reads a file; `Err` with a request that has been processed, because no lookup follows.
    async fn read_file<E: Send + 'static>(
        &self,
        admitted: &Admitted,
        question: Question<'_, ReceiptRequest, E>,
    ) -> Result<ToLookUp, Box<Processed<Read, E>>> {
        let _place = self.files.place(admitted.lane.key).await;
        let request = question.read().await;
        let request = request.map_err(|fault| Box::new(Processed::faulty(fault)))?;
        let receipt = self.receipts.read(request.file, request.kind).await;
        let receipt = receipt.map_err(|error| Box::new(unread(admitted, error)))?;
        let query = match request.follow_up {
            FollowUp::None => None,
            FollowUp::LookupIfCertain => self.receipts.certain_query(&receipt),
        };
        let Some(query) = query else {
            return Err(Box::new(told(receipt)));
        };
        let (inferred, banks) = self.lookups.resolve(&query);
        let Ok(banks) = banks else {
            return Err(Box::new(told(receipt)));
        };
        Ok(ToLookUp {
            receipt,
            request: LookupRequest {
                query,
                files: RequestedFiles::Xml,
                retry_for: RetryFor::DEFAULT,
                metadata: Metadata::default(),
                wait: Duration::ZERO,
            },
            details: LookupDetails {
                inferred,
                banks: Some(banks),
                ..LookupDetails::default()
            },
        })
    }

    /// Reads the file of a repeated request, with the lookup of the first one.
    async fn read_again<E: Send + 'static>(
        &self,
        repeated: &Repeated,
        question: Question<'_, ReceiptRequest, E>,
    ) -> Option<Processed<Read, E>> {
        let (receipt, details) = match self.read_file(&repeated.admitted, question).await {
            Err(processed) => return Some(*processed),
            Ok(ToLookUp {
                receipt, details, ..
            }) => (receipt, details),
        };
        let FirstAnswer::Lookup(id) = repeated.first else {
            return Some(told(receipt));
        };
        let customer = repeated.by.customer;
        let lookup = self.lookups.created(customer, id, Duration::ZERO).await;
        Some(Processed {
            details,
            ..Processed::of(
                Outcome::Delivered,
                Reply::Answer(Ok(ReceiptAnswer { receipt, lookup })),
            )
        })
    }
}

/// A request whose receipt was read, without a lookup.
fn told<E>(receipt: Receipt) -> Processed<Read, E> {
    let outcome = match receipt.kind {
        DocumentKind::Unknown => Outcome::InvalidRequest,
        _ => Outcome::Delivered,
    };
    let lookup = None;
    Processed::of(
        outcome,
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
            ..Processed::of(Outcome::InternalError, reply)
        },
    }
}
