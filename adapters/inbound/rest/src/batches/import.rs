//! `POST /v1/cep/batches/{id}/import`.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::Extension;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use chrono::NaiveDate;
use domain::batch::bank_file::EntryName;
use domain::file::Format;
use domain::tracking_key::TrackingKey;
use ports::inbound::{ImportFile, ImportReport, Rejection};
use serde::Serialize;
use utoipa::ToSchema;
use web::Problem;

use super::import_archive::ImportArchive;
use super::problems;
use super::uploads::{Uploaded, Uploads};
use super::{BatchCall, Named};
use crate::openapi::responses::{
    BatchConflict, FaultyArchive, LargeArchive, NoArchive, NoSuchBatch, SlowBody,
};
use crate::proofs::schemas::ZipFile;

/// Result of an import.
#[derive(Serialize, ToSchema)]
#[schema(as = BatchImport)]
pub(crate) struct ImportBody {
    /// Rows that were delivered, by their numbers.
    delivered: Vec<u32>,
    /// Files whose rows had a proof already.
    present: u32,
    /// Files that were not delivered.
    rejected: Vec<RejectedBody>,
    /// Files that aren't the bank's, and proofs that come as PDF alone.
    ignored: u32,
}

/// A file that was not delivered.
#[derive(Serialize, ToSchema)]
#[schema(as = RejectedFile)]
struct RejectedBody {
    /// Date in its name.
    #[schema(format = "date")]
    fecha: String,
    /// Tracking key in its name.
    clave_rastreo: String,
    /// `not_a_proof`; `no_row`: no row asks for it; `differs`: a row has its tracking key, and its date,
    /// account, amount or banks differ; `wrong_seal`.
    reason: &'static str,
}

impl ImportBody {
    pub(crate) fn new(report: ImportReport, ignored: u32) -> Self {
        let rejected = report.rejected.into_iter().map(|file| RejectedBody {
            fecha: file.date.to_string(),
            clave_rastreo: file.tracking_key.as_str().to_owned(),
            reason: match file.reason {
                Rejection::NotAProof => "not_a_proof",
                Rejection::NoRow => "no_row",
                Rejection::Differs => "differs",
                Rejection::WrongSeal => "wrong_seal",
            },
        });
        Self {
            delivered: report.delivered.into_iter().map(|row| row.0 + 1).collect(),
            present: report.present,
            rejected: rejected.collect(),
            ignored,
        }
    }
}

/// Brings the ZIP file of the bank's own batch back
///
/// Each proof in it is checked as if it had been fetched, and delivered to the row that asks for it, unless
/// that has one. Nothing is counted, and the bank isn't asked. Such rows are marked `imported`, because the
/// file came from you.
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
    Extension(uploads): Extension<Uploads>,
    call: BatchCall,
    Named(id): Named,
) -> Result<Response, Problem> {
    // A caller who may not import sends nothing in vain.
    let found = call.batches.find(&call.access, id, Duration::ZERO).await;
    found.map_err(|error| call.problem(&error))?;
    let place = call.batches.upload(&call.access, None).await;
    let _place = place.map_err(|error| call.problem(&error))?;
    let Uploaded { file, work } = uploads.archive(&call).await?;
    let read = tokio::task::spawn_blocking(move || read(file)).await;
    let (files, ignored) = read.map_err(|error| call.unwritten(&error))??;
    let imported = call.batches.import(&call.access, id, files).await;
    drop(work);
    let imported = imported.map_err(|error| call.problem(&error))?;
    let body = ImportBody::new(imported.found.clone(), ignored);
    call.answer(StatusCode::OK, &imported, &body)
}

/// The proofs of an archive, and the number of other files.
fn read(body: Bytes) -> Result<(Vec<ImportFile>, u32), Problem> {
    let archive = ImportArchive::open(body).map_err(problems::of_archive)?;
    let mut proofs: HashMap<(NaiveDate, String), Proof> = HashMap::new();
    let mut ignored = 0;
    for file in archive {
        let file = file.map_err(problems::of_archive)?;
        match file.name {
            Some(EntryName::Proof {
                date,
                tracking_key,
                format,
            }) => {
                let key = (date, tracking_key.as_str().to_owned());
                let proof = proofs
                    .entry(key)
                    .or_insert_with(|| Proof::new(tracking_key));
                match format {
                    Format::Xml => proof.xml = Some(file.bytes.into()),
                    Format::Pdf => proof.pdf = Some(file.bytes.into()),
                }
            }
            Some(EntryName::Summary) => {}
            None => ignored += 1,
        }
    }
    let mut files = Vec::with_capacity(proofs.len());
    for ((date, _), proof) in proofs {
        match proof.xml {
            Some(xml) => files.push(ImportFile {
                date,
                tracking_key: proof.tracking_key,
                xml,
                pdf: proof.pdf,
            }),
            None => ignored += 1,
        }
    }
    Ok((files, ignored))
}

/// The files of a proof.
struct Proof {
    tracking_key: TrackingKey,
    xml: Option<Bytes>,
    pdf: Option<Bytes>,
}

impl Proof {
    fn new(tracking_key: TrackingKey) -> Self {
        Self {
            tracking_key,
            xml: None,
            pdf: None,
        }
    }
}
