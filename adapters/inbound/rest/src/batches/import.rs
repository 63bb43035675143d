//! Handler of `POST /v1/cep/batches/{id}/import`.

use std::sync::Arc;
use std::time::Duration;

use application::{DeliveredRow, FileUse, ImportReport, UnusedReason};
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use domain::batches::RowNumber;
use domain::proofs::Mismatch;
use domain::proofs::check::{ZipBounds, ZipError, is_zip};
use domain::proofs::file::{EntryKind, EntryName};
use ports::outbound::{ZipReader, ZippedFile};
use serde::Serialize;
use utoipa::ToSchema;
use web::problem::{NoticeDetail, PaymentDetail};
use web::{Language, Problem};

use super::problems;
use super::uploads::{Uploaded, Uploads};
use super::{BatchCall, Named};
use crate::RestState;
use crate::openapi::responses::{
    BatchConflict, FaultyArchive, LargeArchive, NoArchive, NoSuchBatch, SlowBody,
};
use crate::proofs::schemas::ZipFile;
use crate::proofs::views::SeenView;

/// Result of an import.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchImport)]
pub(crate) struct ImportBody {
    /// Rows that were delivered, by their numbers.
    delivered: Vec<u32>,
    /// The files that were delivered.
    used: Vec<UsedBody>,
    /// The files that were not used, but for summaries and what a system left in the ZIP.
    unused: Vec<UnusedBody>,
}

/// A file that was delivered.
#[derive(Serialize, ToSchema)]
#[schema(as = UsedFile)]
struct UsedBody {
    /// Its name in the ZIP.
    name: String,
    /// The number of its row.
    row: u32,
    /// Earlier deliveries of the proof to your account. Null when they could not be read.
    #[schema(required)]
    visto: Option<SeenView>,
    /// Facts that the seal doesn't tell.
    avisos: Vec<NoticeDetail>,
}

/// A file that was not used.
#[derive(Serialize, ToSchema)]
#[schema(as = UnusedFile)]
struct UnusedBody {
    /// Its name in the ZIP; of a long one the end.
    name: String,
    /// `not_a_proof`: neither the XML of a proof nor a PDF. `no_row`: no row asks for its tracking key.
    /// `differs`: `row` asks for its tracking key, and `fields` differ from what is sealed. `already_delivered`: `row`
    /// has its proof. `answers_another_row`: it is the proof that `row` has, whatever its tracking key; one payment
    /// answers one row. `row_canceled`: `row`, which asks for it, was canceled. `bank_says_otherwise`: `row` asks for
    /// it, and the bank said that this `payment` was returned, rejected or canceled, or is being returned: don't
    /// count it as received. `seal_invalid`: `row` asks for it, and its seal is invalid, or for a live key the
    /// sandbox's: don't trust it. `seal_not_checked`: `row` asks for it, and no key of its certificate is known, so
    /// anybody could have made it; the gateway's operator can import the key, and the row goes on asking the bank.
    /// `altered`: `row` asks for it, and what stands beside the sealed text contradicts it: don't trust it.
    /// `ambiguous`: `row` asks for it, and its sealed text can be read in several ways, because a name or the concept
    /// holds a `|`. `pdf_not_kept`: the batch keeps no PDFs. `pdf_alone`: no XML that was
    /// delivered is the proof that this PDF shows, page for page as the portal draws it. `pdf_unreadable`: the
    /// PDF can't be read, or is none of a
    /// proof. `pdf_not_read`: the PDFs before it took too long; send it with its XML in a ZIP of its own.
    /// `damaged`, `encrypted`, `unsupported_method` (neither stored nor deflated), `too_large`, `not_a_file`
    /// (a link): the file can't be taken out of the ZIP. `does_not_fit`: the files before it are as much as is
    /// read of a ZIP; send it in another one. `nested`: it is a ZIP itself; send that one.
    reason: &'static str,
    /// The row that the reason is about, if there is one.
    #[schema(required)]
    row: Option<u32>,
    /// The fields of the row that differ: `emisor`, `receptor`, `monto`, `fecha`, `cuenta`.
    fields: Vec<&'static str>,
    /// The payment, as the bank knew it at its last answer about `row`, if that is the reason.
    #[schema(required)]
    payment: Option<PaymentDetail>,
}

/// Reason why a file's content isn't read.
#[derive(Clone, Copy)]
pub(crate) enum UnreadFile {
    /// The file can't be extracted from the ZIP.
    Unreadable(ZipError),
    /// The file is a ZIP itself.
    Nested,
}

impl ImportBody {
    /// The response for these files: each name with the file's use, or the reason why it wasn't read.
    pub(crate) fn new(
        delivered: &[DeliveredRow],
        language: Language,
        files: impl IntoIterator<Item = (String, Result<FileUse, UnreadFile>)>,
    ) -> Self {
        let mut body = Self {
            delivered: delivered.iter().map(|it| number(it.row)).collect(),
            used: Vec::new(),
            unused: Vec::new(),
        };
        for (name, file) in files {
            let kind = EntryKind::of(&name);
            let name = EntryName::of(&name).to_string();
            match file {
                Ok(FileUse::Delivered(row)) => {
                    let of_row = delivered.iter().find(|it| it.row == row);
                    body.used.push(UsedBody {
                        name,
                        row: number(row),
                        visto: of_row.and_then(|it| it.seen).map(SeenView::new),
                        avisos: of_row
                            .map_or_else(Vec::new, |it| NoticeDetail::all(&it.notices, language)),
                    });
                }
                Ok(FileUse::Unused(UnusedReason::NotAProof)) if kind == EntryKind::Summary => {}
                Ok(FileUse::Unused(reason)) => body.unused.push(UnusedBody::new(name, reason)),
                Err(unread) => body.unused.push(UnusedBody {
                    name,
                    reason: name_of(unread),
                    row: None,
                    fields: Vec::new(),
                    payment: None,
                }),
            }
        }
        body
    }
}

impl UnusedBody {
    fn new(name: String, reason: UnusedReason) -> Self {
        use UnusedReason as Reason;
        let payment = match &reason {
            Reason::BankSaysOtherwise { payment, .. } => Some(PaymentDetail::new(payment)),
            _ => None,
        };
        let (reason, row, mismatches) = match reason {
            Reason::NotAProof => ("not_a_proof", None, Vec::new()),
            Reason::NoRow => ("no_row", None, Vec::new()),
            Reason::Differs { row, mismatches } => ("differs", Some(row), mismatches),
            Reason::AlreadyDelivered(row) => ("already_delivered", Some(row), Vec::new()),
            Reason::RowCanceled(row) => ("row_canceled", Some(row), Vec::new()),
            Reason::BankSaysOtherwise { row, .. } => ("bank_says_otherwise", Some(row), Vec::new()),
            Reason::AnswersAnotherRow(row) => ("answers_another_row", Some(row), Vec::new()),
            Reason::SealNotChecked(row) => ("seal_not_checked", Some(row), Vec::new()),
            Reason::Altered(row) => ("altered", Some(row), Vec::new()),
            Reason::Ambiguous(row) => ("ambiguous", Some(row), Vec::new()),
            Reason::SealInvalid(row) => ("seal_invalid", Some(row), Vec::new()),
            Reason::PdfNotKept => ("pdf_not_kept", None, Vec::new()),
            Reason::PdfUnreadable => ("pdf_unreadable", None, Vec::new()),
            Reason::PdfAlone => ("pdf_alone", None, Vec::new()),
            Reason::PdfNotRead => ("pdf_not_read", None, Vec::new()),
        };
        Self {
            name,
            reason,
            row: row.map(number),
            fields: mismatches.into_iter().map(field).collect(),
            payment,
        }
    }
}

fn name_of(unread: UnreadFile) -> &'static str {
    match unread {
        UnreadFile::Nested => "nested",
        UnreadFile::Unreadable(error) => match error {
            ZipError::Damaged | ZipError::TooManyFiles | ZipError::Unreadable => "damaged",
            ZipError::Encrypted => "encrypted",
            ZipError::Method => "unsupported_method",
            ZipError::FileTooLarge | ZipError::TooDeflated => "too_large",
            ZipError::FilesTooLarge => "does_not_fit",
            ZipError::NotAFile => "not_a_file",
        },
    }
}

fn field(mismatch: Mismatch) -> &'static str {
    match mismatch {
        Mismatch::TrackingKey => "clave_rastreo",
        Mismatch::Issuer => "emisor",
        Mismatch::Receiver => "receptor",
        Mismatch::Amount => "monto",
        Mismatch::Date => "fecha",
        Mismatch::Account => "cuenta",
    }
}

/// The row's number for callers, from 1.
fn number(row: RowNumber) -> u32 {
    row.0 + 1
}

/// Brings the ZIP file of the bank's own batch back
///
/// Each file is recognised by its content, whatever its name. Anybody may have made it, so a proof is delivered only
/// when its seal is valid, all of its fields are those of the sealed text, and what is sealed equals what the row asks:
/// account, amount, receiver, dates, and the issuer if the row names it. A row that has its proof takes none, and
/// neither does one whose payment the bank called returned, rejected or canceled. A PDF is kept with the XML whose
/// original chain it shows, if the batch keeps PDFs. A file that isn't used is listed with its reason, and spoils no
/// other. Nothing is counted, and the bank isn't asked. Such rows are marked `imported`, and `avisos` says that no
/// seal covers their tracking key.
#[utoipa::path(
    post,
    path = "/v1/cep/batches/{id}/import",
    operation_id = "importBatch",
    tag = "batches",
    params(("id" = String, Path, description = "The batch.", format = "uuid")),
    request_body(
        description = "The bank's ZIP file.",
        content((inline(ZipFile) = "application/zip"), (inline(ZipFile) = "application/octet-stream")),
    ),
    responses(
        (status = 200, description = "What was delivered.", body = ImportBody),
        FaultyArchive, NoSuchBatch, SlowBody, BatchConflict, LargeArchive, NoArchive,
    ),
)]
pub(super) async fn import(
    State(state): State<Arc<RestState>>,
    Extension(uploads): Extension<Uploads>,
    call: BatchCall,
    Named(id): Named,
) -> Result<Response, Problem> {
    // A caller who may not import sends nothing in vain.
    let found = call.batches.find(&call.access, id, Duration::ZERO).await;
    found.map_err(|error| call.problem(&error))?;
    let uploader = call.batches.uploader(&call.access, None).await;
    let uploader = uploader.map_err(|error| call.problem(&error))?;
    let Uploaded { file, work } = uploads.archive(&call, &uploader).await?;
    let zips = Arc::clone(&state.zips);
    let reading = state
        .low_priority
        .spawn_blocking(move || read(&*zips, file));
    let read = reading.await;
    let files = read.map_err(|error| call.unwritten(&error))??;
    let mut contents = Vec::with_capacity(files.len());
    let files = files.into_iter().map(|ZippedFile { name, content }| {
        let read = match content {
            Ok(content) if is_zip(&content) => Err(UnreadFile::Nested),
            Ok(content) => {
                contents.push(content);
                Ok(())
            }
            Err(error) => Err(UnreadFile::Unreadable(error)),
        };
        (name, read)
    });
    let files: Vec<_> = files.collect();
    let imported = call.batches.import(&call.access, id, contents).await;
    drop(work);
    let imported = imported.map_err(|error| call.problem(&error))?;
    let ImportReport {
        delivered,
        files: uses,
    } = &imported.found;
    let mut uses = uses.iter().cloned();
    let files = files.into_iter().map(|(name, read)| {
        let unused = FileUse::Unused(UnusedReason::NotAProof);
        (name, read.map(|()| uses.next().unwrap_or(unused)))
    });
    let body = ImportBody::new(delivered, call.context.language, files);
    call.answer(StatusCode::OK, &imported, &body)
}

/// Extracts the files of a ZIP.
fn read(zips: &dyn ZipReader, body: Bytes) -> Result<Vec<ZippedFile>, Problem> {
    if !is_zip(&body) {
        return Err(Problem::NotAnArchive);
    }
    let opened = zips.open(body, ZipBounds::OF_IMPORTS);
    let mut files = opened.map_err(problems::of_archive)?;
    Ok(std::iter::from_fn(|| files.next_file()).collect())
}
