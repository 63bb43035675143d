//! Conversion of errors of batches, tables and ZIP files to problems.

use std::time::Duration;

use application::BatchError;
use domain::batches::sheet::{Column, MappingError, SheetError, WorkbookError};
use domain::proofs::check::ZipError;
use domain::request::RequestId;
use web::problem::FieldProblem;
use web::{Chain, Problem};

use super::views::nothing_to_do;
use crate::charged_key::no_such_key;
use crate::failure;

/// `Retry-After` when too many downloads are running.
const RETRY_DOWNLOAD: Duration = Duration::from_secs(10);

pub(super) fn of_batch(error: &BatchError, request_id: &RequestId) -> Problem {
    match error {
        BatchError::Refused(refusal) => {
            failure::log_refusal(refusal, request_id);
            failure::of_refusal(refusal)
        }
        BatchError::TooManyReads { limit, retry_after } => Problem::TooManyReads {
            limit: *limit,
            retry_after: *retry_after,
        },
        BatchError::NotRepeated(error) => failure::of_repeat(*error),
        BatchError::NoSuchKey => no_such_key(),
        BatchError::Unknown => Problem::NoSuchBatch,
        BatchError::NothingToDo(preview) => nothing_to_do(preview),
        BatchError::TooManyOpen { limit } => Problem::TooManyBatches { most: *limit },
        BatchError::TooManyRows { limit } => Problem::TooManyStoredRows { most: *limit },
        BatchError::TooManyDownloads => Problem::TooManyDownloads {
            retry_after: RETRY_DOWNLOAD,
        },
        BatchError::Final => Problem::BatchEnded,
        BatchError::NotFinal => Problem::BatchNotEnded,
        BatchError::Canceled => Problem::BatchCanceled,
        BatchError::Cursor(_) => Problem::invalid_field("after", FieldProblem::WrongCursor),
        BatchError::Unreadable { cause } => {
            tracing::error!(%request_id, cause = %Chain(&**cause), "a batch can't be read");
            Problem::internal(request_id)
        }
    }
}

pub(super) fn of_workbook(error: WorkbookError) -> Problem {
    match error {
        WorkbookError::Unreadable => Problem::WorkbookUnreadable,
        WorkbookError::Encrypted => Problem::WorkbookEncrypted,
        WorkbookError::TooLarge => Problem::WorkbookTooLarge,
        WorkbookError::NoSuchSheet { wanted, sheets } => Problem::NoSuchSheet { wanted, sheets },
        WorkbookError::Sheet { error, sheets } => of_sheet(error, sheets),
    }
}

/// `sheets` are the names of those of a workbook, none for another file.
pub(super) fn of_sheet(error: SheetError, sheets: Vec<String>) -> Problem {
    match error {
        SheetError::Empty => Problem::EmptyTable,
        SheetError::NotText => Problem::TableNotText,
        SheetError::NoHeader { columns } => Problem::TableNoHeader { columns, sheets },
        SheetError::Header { line, .. } => Problem::TableHeader { line },
        SheetError::MissingColumns { missing, columns } => Problem::MissingColumns {
            missing: missing.into_iter().map(Column::name).collect(),
            columns,
            sheets,
        },
        SheetError::DuplicateColumn {
            column,
            headers,
            columns,
        } => Problem::RepeatedColumn {
            column: column.name(),
            found: headers,
            columns,
            sheets,
        },
        SheetError::Mapping(error) => of_mapping(&error),
    }
}

pub(super) fn of_mapping(error: &MappingError) -> Problem {
    let problem = match error {
        MappingError::Malformed { .. } => FieldProblem::MalformedMapping,
        MappingError::UnknownField { .. } => FieldProblem::MappingField,
        MappingError::Repeated { .. } | MappingError::Shared { .. } => FieldProblem::MappingTwice,
        MappingError::NoSuchHeader { .. }
        | MappingError::AmbiguousHeader { .. }
        | MappingError::NoSuchNumber { .. } => FieldProblem::MappingColumn,
    };
    Problem::invalid_field("columns", problem)
}

pub(super) fn of_archive(error: ZipError) -> Problem {
    match error {
        ZipError::TooManyFiles => Problem::ArchiveTooLarge,
        _ => Problem::DamagedArchive,
    }
}
