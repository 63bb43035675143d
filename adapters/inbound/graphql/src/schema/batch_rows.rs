//! Rows of a batch, paged by row number.

use application::{BatchError, BatchRows, LookupView, RowOutcome, RowView};
use async_graphql::{Context, ID, SimpleObject};
use domain::batches::{BatchId, RowNumber};
use domain::page::PageSize;
use web::Language;
use web::problem::{CandidateDetail, GraphqlProblem, NoticeDetail, RowError, what_to_do};

use super::bank_answer::{Hint, Payment};
use super::connection::page_size;
use super::context::{Ports, ports, requester};
use super::enums::{Reason, RowState, SealVerdict};
use super::proof::EarlierDeliveries;
use super::question::{InferredBanks, Question};
use crate::field_error::FieldError;

/// Rows of a batch, in the order of its table.
#[derive(SimpleObject)]
pub(crate) struct BatchRowPage {
    /// The rows.
    rows: Vec<BatchRow>,
    /// True when rows follow these; the next page is `after` the number of the last one.
    has_next_page: bool,
}

/// A row of a batch.
#[derive(SimpleObject)]
pub(crate) struct BatchRow {
    /// Its number, from 1 on.
    row: u32,
    /// Its line in the file, from 1 on.
    line: u32,
    /// The id that its creator gave it.
    caller_id: Option<String>,
    /// Its state.
    state: RowState,
    /// The number of the row that asks the same and is looked up, if this is a duplicate.
    duplicate_of: Option<u32>,
    /// Its errors.
    errors: Vec<BatchRowError>,
    /// Its lookup, if there is one.
    lookup_id: Option<ID>,
    /// Outcome of the last attempt that gave no proof.
    reason: Option<Reason>,
    /// The verdict on the seal of its proof, as of now; null unless it was delivered.
    seal: Option<SealVerdict>,
    /// True when its proof was brought in a file, and not fetched.
    imported: bool,
    /// Facts about its proof that the seal doesn't tell: the REST API's `avisos`.
    notices: Vec<NoticeDetail>,
    /// Earlier deliveries of its proof to the account, as of its delivery; null unless it was delivered, and when
    /// they couldn't be read.
    earlier: Option<EarlierDeliveries>,
    /// The question; null for a row that can't be read.
    question: Option<Question>,
    /// The banks that were inferred for its lookup; null when none was.
    inferred: Option<InferredBanks>,
    /// The payment, when the bank knew it at its last answer and had no proof of it.
    payment: Option<Payment>,
    /// Things to check, most likely first, when the bank didn't know the transfer at its last answer.
    hints: Vec<Hint>,
    /// The next step, in the caller's language; null without a lookup, and once a proof with a valid seal is
    /// delivered.
    what_to_do: Option<String>,
}

/// An error of a row.
#[derive(SimpleObject)]
pub(crate) struct BatchRowError {
    /// The column as the REST API names it; `row` for the whole row.
    field: String,
    /// The problem as the REST API names it.
    problem: String,
    /// Fault and remedy, in the caller's language.
    message: String,
    /// The reason for which a bank can't be inferred, as the REST API names it.
    reason: Option<String>,
    /// The tracking key that was probably meant.
    expected: Option<String>,
    /// The known name that a misspelt one is probably meant to be.
    meant: Option<String>,
    /// The participants of an ambiguous name, or those of similar names, the nearest first.
    candidates: Vec<ParticipantCandidate>,
}

/// A participant that may be meant.
#[derive(SimpleObject)]
pub(crate) struct ParticipantCandidate {
    /// Its code.
    code: String,
    /// Its short name in the central bank's list.
    name: String,
}

impl BatchRow {
    fn new(view: &RowView, ports: &Ports, language: Language) -> Self {
        let (mut duplicate_of, mut lookup) = (None, None);
        match &view.outcome {
            RowOutcome::Duplicate { of, .. } => duplicate_of = Some(number(*of)),
            RowOutcome::Lookup(found) => lookup = Some(&**found),
            RowOutcome::Faulty(_)
            | RowOutcome::Unresolved(_)
            | RowOutcome::NotBegun
            | RowOutcome::Erased => {}
        }
        let delivery = lookup.and_then(|lookup| lookup.delivery.as_ref());
        let errors = RowError::all_of(&view.outcome).into_iter();
        let error = |error: RowError| BatchRowError {
            message: error.message(language).to_owned(),
            field: error.field,
            problem: error.problem,
            reason: error.reason,
            expected: error.expected,
            meant: error.meant,
            candidates: error.candidates.into_iter().map(candidate).collect(),
        };
        Self {
            row: number(view.row),
            line: view.line,
            caller_id: view.caller_id.clone(),
            state: view.outcome.state().into(),
            duplicate_of,
            errors: errors.map(error).collect(),
            lookup_id: lookup.map(|lookup| lookup.id.into()),
            reason: lookup.and_then(LookupView::reason).map(Reason::from),
            seal: delivery
                .map(|delivery| domain::seals::SealVerdict::from(delivery.seal.verdict).into()),
            imported: lookup.is_some_and(LookupView::is_imported),
            notices: delivery.map_or_else(Vec::new, |delivery| {
                NoticeDetail::of_delivery(delivery, language)
            }),
            earlier: delivery
                .and_then(|delivery| delivery.seen)
                .map(EarlierDeliveries::from),
            question: view.query.as_ref().map(Question::from),
            inferred: lookup
                .and_then(|lookup| InferredBanks::of(&lookup.inferred, ports, ports.today())),
            payment: lookup.and_then(|lookup| lookup.payment.as_ref().map(Payment::from)),
            hints: lookup.map_or_else(Vec::new, |lookup| Hint::all_of(&lookup.hints, language)),
            what_to_do: lookup.and_then(|lookup| what_to_do(lookup, language)),
        }
    }
}

fn candidate(CandidateDetail { code, name }: CandidateDetail) -> ParticipantCandidate {
    ParticipantCandidate { code, name }
}

/// The row's number for callers, from 1.
fn number(row: RowNumber) -> u32 {
    row.0 + 1
}

/// Reads a page of a batch's rows by `first` and `after`; `None` when the requester has no such batch.
pub(super) async fn page(
    context: &Context<'_>,
    id: BatchId,
    (first, after): (i32, i32),
) -> Result<Option<BatchRowPage>, FieldError> {
    let size = page_size(first)?;
    let after = u32::try_from(after).map_err(|_| GraphqlProblem::ArgumentInteger {
        argument: "after",
        least: 0,
        most: i32::MAX.unsigned_abs().into(),
    })?;
    let (ports, requester) = (ports(context), requester(context));
    let access = requester.batch_access();
    let read = match ports.batches.rows(&access, id, RowNumber(after)).await {
        Err(BatchError::Unknown) => return Ok(None),
        read => read?,
    };
    Ok(Some(
        read_rows(read.found, size, (ports, requester.language)).await?,
    ))
}

async fn read_rows(
    mut rows: BatchRows,
    size: PageSize,
    (ports, language): (&Ports, Language),
) -> Result<BatchRowPage, BatchError> {
    let size = size.get() as usize;
    let mut found = Vec::with_capacity(size);
    let mut has_next_page = false;
    while let Some(views) = rows.next().await? {
        let left = size - found.len();
        let page = views.iter().take(left);
        found.extend(page.map(|view| BatchRow::new(view, ports, language)));
        if views.len() > left {
            has_next_page = true;
            break;
        }
    }
    Ok(BatchRowPage {
        rows: found,
        has_next_page,
    })
}
