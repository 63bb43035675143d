//! Example bodies and errors of the routes of batches.

use std::time::Duration;

use application::{
    BatchPreview, BatchView, DeliveredRow, FileUse, RepeatError, RowOutcome, RowView, RowWarning,
    UnusedReason,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::batches::sheet::{Column, SheetColumn};
use domain::batches::{BatchId, BatchState, RowCounts, RowNumber};
use domain::hints::Hint;
use domain::keys::{Environment, KeyId};
use domain::lookups::{LookupState, RetryFor};
use domain::participants::inference::{InferenceFailure, Unresolved};
use domain::proofs::Mismatch;
use domain::proofs::file::RequestedFiles;
use domain::proofs::notice::{Notice, NoticeCode};
use domain::proofs::seen::EarlierDeliveries;
use domain::query::Field;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;
use web::Problem;
use web::problem::{FieldProblem, LineError, RowError};
use web::views::batches::Batch;

use super::{LANGUAGE, WAIT, people, too_many_reads};
use crate::batches::{
    FoundTable, ImportBody, MAX_ARCHIVE_BYTES, MAX_TABLE_BYTES, PreviewBody, RowBody,
};
use crate::failure;

/// Example table as CSV.
pub(crate) const TABLE: &str = "\
id;fecha;clave_rastreo;cuenta;monto
A-1042;2026-11-20;MBAN01002611200001234567;002010077777777771;1234.56
A-1043;20/11/2026;MBAN01002611200001234568;002010077777777771;\"1,050.00\"
";

/// The same table as JSON lines.
pub(crate) const JSON_LINES: &str = "\
{\"id\":\"A-1042\",\"fecha\":\"2026-11-20\",\"clave_rastreo\":\"MBAN01002611200001234567\",\
\"cuenta\":\"002010077777777771\",\"monto\":1234.56}
{\"id\":\"A-1043\",\"fecha\":\"2026-11-20\",\"clave_rastreo\":\"MBAN01002611200001234568\",\
\"cuenta\":\"002010077777777771\",\"monto\":1050.00}
";

fn value(view: &impl Serialize) -> Value {
    serde_json::to_value(view).unwrap_or_default()
}

/// A batch in progress.
pub(super) fn running() -> Value {
    value(&Batch::from(&batch()))
}

pub(super) fn canceled() -> Value {
    let batch = batch();
    let at = batch.updated_at + TimeDelta::minutes(1);
    value(&Batch::from(&BatchView {
        state: BatchState::Canceled,
        updated_at: at,
        erase_at: Some(at + TimeDelta::days(7)),
        lookups: vec![(LookupState::Delivered, 480), (LookupState::Canceled, 12)],
        eta: None,
        ..batch
    }))
}

/// A page of the list with the running batch.
pub(super) fn page() -> Value {
    serde_json::json!({ "items": [running()], "next": null, "total": null })
}

/// A dry run of a table of three rows.
pub(in crate::openapi) fn preview() -> Value {
    let preview = BatchPreview {
        counts: RowCounts {
            rows: 3,
            faulty: 1,
            duplicates: 1,
        },
        rejected: vec![
            faulty(),
            RowView {
                row: RowNumber(2),
                line: 4,
                caller_id: Some("A-1044".to_owned()),
                cells: Vec::new(),
                query: None,
                written: Vec::new(),
                outcome: RowOutcome::Duplicate {
                    of: RowNumber(0),
                    line: 2,
                },
            },
        ],
        warnings: vec![RowWarning {
            row: RowNumber(0),
            line: 2,
            contradictions: vec![(
                Field::Account,
                Hint::CheckDigit {
                    given: 2,
                    expected: 1,
                },
            )],
        }],
        passed_over: Vec::new(),
        quota_left: Some(588),
        seconds: 6,
    };
    value(&PreviewBody::new(
        &preview,
        &FoundTable::default(),
        LANGUAGE,
    ))
}

/// A row whose issuing bank could not be inferred.
pub(in crate::openapi) fn row() -> Value {
    value(&RowBody::new(&faulty(), LANGUAGE))
}

/// Columns of a table with an unrecognised header for the amounts.
fn columns() -> Vec<SheetColumn> {
    let recognised = [
        ("fecha", "20/11/2026", Some(Column::Date)),
        (
            "rastreo",
            "MBAN01002611200001234567",
            Some(Column::TrackingKey),
        ),
        ("cuenta", "002010077777777771", Some(Column::Account)),
        ("total", "1,234.56", None),
    ];
    let column = |(index, (header, sample, column)): (usize, (&str, &str, _))| SheetColumn {
        number: index + 1,
        header: header.to_owned(),
        samples: vec![sample.to_owned()],
        column,
    };
    recognised.into_iter().enumerate().map(column).collect()
}

pub(super) fn import() -> Value {
    let differs = UnusedReason::Differs {
        row: RowNumber(2),
        mismatches: vec![Mismatch::Amount],
    };
    let files = [
        (
            "[2026-11-20]MBAN01002611200001234567.xml",
            FileUse::Delivered(RowNumber(0)),
        ),
        (
            "[2026-11-20]MBAN01002611200001234569.xml",
            FileUse::Unused(differs),
        ),
    ];
    let files = files.map(|(name, used)| (name.to_owned(), Ok(used)));
    let delivered = DeliveredRow {
        row: RowNumber(0),
        seen: Some(EarlierDeliveries::default()),
        notices: vec![
            Notice::IMPORTED,
            Notice::of_unsealed(NoticeCode::UnsealedNotCompared),
        ],
    };
    value(&ImportBody::new(&[delivered], LANGUAGE, files))
}

/// Examples of a named error response, each with its own name.
pub(super) fn of(answer: &str) -> Vec<(&'static str, Problem)> {
    match answer {
        "NoSuchBatch" => vec![("NOT_FOUND", Problem::NoSuchBatch)],
        "FaultyTable" => vec![
            (
                "INVALID_REQUEST, parameter",
                Problem::invalid_field("columns", FieldProblem::MalformedMapping),
            ),
            (
                "INVALID_REQUEST, columns",
                Problem::MissingColumns {
                    missing: vec!["monto"],
                    columns: columns(),
                    sheets: Vec::new(),
                },
            ),
            ("INVALID_REQUEST, rows", nothing_to_look_up()),
            (
                "INVALID_REQUEST, corrections",
                Problem::invalid_field("corrections[3].line", FieldProblem::NoSuchLine),
            ),
        ],
        "FaultyArchive" => vec![
            ("INVALID_REQUEST, no ZIP", Problem::NotAnArchive),
            ("INVALID_REQUEST, damaged", Problem::DamagedArchive),
        ],
        "BatchConflict" => vec![
            ("CONFLICT, ended", Problem::BatchEnded),
            ("CONFLICT, not ended", Problem::BatchNotEnded),
            ("CONFLICT, canceled", Problem::BatchCanceled),
            ("CONFLICT, too many", Problem::TooManyBatches { most: 20 }),
            (
                "CONFLICT, too many rows",
                Problem::TooManyStoredRows { most: 1_000_000 },
            ),
            (
                "CONFLICT, too few rows",
                Problem::TooFewRows { rows: 1, least: 2 },
            ),
            (
                "IDEMPOTENCY_KEY_IN_PROGRESS",
                failure::of_repeat(RepeatError::InProgress { retry_after: WAIT }),
            ),
        ],
        "LargeTable" => vec![
            ("PAYLOAD_TOO_LARGE", too_large(MAX_TABLE_BYTES)),
            (
                "PAYLOAD_TOO_LARGE, a form",
                Problem::PartTooLarge {
                    part: "file",
                    max_bytes: MAX_TABLE_BYTES,
                },
            ),
        ],
        "NoTable" => vec![
            ("UNSUPPORTED_MEDIA_TYPE", Problem::UnsupportedTableType),
            (
                "UNSUPPORTED_MEDIA_TYPE, a form",
                Problem::UnsupportedPartType,
            ),
        ],
        "LargeArchive" => vec![("PAYLOAD_TOO_LARGE", too_large(MAX_ARCHIVE_BYTES))],
        "NoBody" => vec![("UNSUPPORTED_MEDIA_TYPE", Problem::UnsupportedBodyType)],
        "TooManyBatchRequests" => vec![
            ("RATE_LIMIT_EXCEEDED, a key", too_many_reads()),
            (
                "RATE_LIMIT_EXCEEDED, a session",
                people::too_many_requests(),
            ),
        ],
        "NoArchive" => vec![("UNSUPPORTED_MEDIA_TYPE", Problem::UnsupportedArchiveType)],
        _ => vec![],
    }
}

fn too_large(max_bytes: usize) -> Problem {
    Problem::PayloadTooLarge { max_bytes }
}

fn nothing_to_look_up() -> Problem {
    Problem::NothingToLookUp {
        rows: 1,
        faults: vec![LineError {
            line: 2,
            error: RowError::new("emisor", &FieldProblem::NotInferred),
        }],
    }
}

fn faulty() -> RowView {
    RowView {
        row: RowNumber(1),
        line: 3,
        caller_id: Some("A-1043".to_owned()),
        cells: Vec::new(),
        query: None,
        written: Vec::new(),
        outcome: RowOutcome::Unresolved(Unresolved::InferenceFailed {
            issuer: Some(InferenceFailure::UnknownTrackingKeyShape),
            receiver: None,
        }),
    }
}

fn batch() -> BatchView {
    let created_at = created_at();
    BatchView {
        id: BatchId(Uuid::from_u128(0x019a_a0b2_7d3e_7c55_8d3f_4be0_a3f6_c2d2)),
        key: KeyId(Uuid::from_u128(0x019a_a0a1_3c52_7f10_9b44_1d2e_6f70_8a91)),
        environment: Environment::Live,
        state: BatchState::Running,
        reason: None,
        name: Some("noviembre".to_owned()),
        files: RequestedFiles::Both,
        retry_for: RetryFor::DEFAULT,
        created_at,
        updated_at: created_at + TimeDelta::seconds(1),
        erase_at: None,
        passed_over: Vec::new(),
        counts: RowCounts {
            rows: 1000,
            faulty: 3,
            duplicates: 5,
        },
        not_begun: 500,
        erased: 0,
        lookups: vec![
            (LookupState::Queued, 6),
            (LookupState::Running, 2),
            (LookupState::Waiting, 4),
            (LookupState::Delivered, 480),
        ],
        seal_invalid: 1,
        seal_not_checked: 2,
        eta: Some(created_at + Duration::from_mins(34)),
    }
}

/// 20 November 2026.
fn created_at() -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_132_800, 0).unwrap_or_default()
}
