//! Handler of `GET /v1/cep/batches/{id}/files.zip`.

use application::{Delivery, Files, RowOutcome, RowView};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;
use bytes::Bytes;
use domain::batches::RowNumber;
use domain::proofs::file::Format;
use domain::seals::Verdict;
use futures::stream;
use web::Problem;

use super::interrupted::{CutOff, Interrupted};
use super::results_workbook::ResultsWorkbook;
use super::zip_stream::ZipStream;
use super::{BatchCall, BegunRows, Named, csv, sent_parts, split, with_standing};
use crate::openapi::responses::NoSuchBatch;
use crate::proofs::schemas::ZipFile;

/// The files of a batch's proofs, in a ZIP file
///
/// The files of the rows that are delivered by now, and `resumen.xlsx` and `resumen.csv` with all rows. Files whose seal is
/// invalid are in the folder `sello_invalido`. It is written while it
/// is sent: one that was cut off has no end, and opens in no program.
#[utoipa::path(
    get,
    path = "/v1/cep/batches/{id}/files.zip",
    operation_id = "getBatchFiles",
    tag = "batches",
    params(("id" = String, Path, description = "The batch.", format = "uuid")),
    responses(
        (status = 200, description = "The files.", body = inline(ZipFile), content_type = "application/zip"),
        NoSuchBatch,
    ),
)]
pub(super) async fn files(call: BatchCall, Named(id): Named) -> Result<Response, Problem> {
    let read = call.batches.download(&call.access, id, RowNumber(0)).await;
    let (standing, rows) = split(read.map_err(|error| call.problem(&error))?);
    let rows = call.begin(rows).await?;
    let workbook = ResultsWorkbook::new(rows.columns(), call.workbook_options());
    let writing = Writing {
        zip: ZipStream::new(),
        summary: csv::header(),
        workbook: (
            workbook.map_err(|error| call.unwritten(&error))?,
            Vec::new(),
        ),
        rows,
        call,
    };
    let (context, runtime) = (
        writing.call.context.clone(),
        writing.call.low_priority.clone(),
    );
    let parts = stream::try_unfold(Some(writing), |writing| async move {
        match writing {
            Some(writing) => Box::pin(writing.next()).await.map(Some),
            None => Ok(None),
        }
    });
    let mut response = Response::new(sent_parts::body(parts, context, &runtime));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    let disposition = format!("attachment; filename=\"comprobantes-{id}.zip\"");
    if let Ok(disposition) = HeaderValue::try_from(disposition) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(with_standing(response, &standing))
}

/// State of a ZIP file that is being generated.
struct Writing {
    zip: ZipStream,
    /// Content of `resumen.csv`, up to a few hundred bytes per row.
    summary: String,
    /// Writer of `resumen.xlsx`, and what it has written, a few hundred bytes per row.
    workbook: (ResultsWorkbook, Vec<u8>),
    rows: BegunRows,
    call: BatchCall,
}

/// Folder of a proof's files. Files with an invalid seal get their own, so that they aren't mistaken for
/// valid ones.
fn folder(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid(_) | Verdict::NotChecked(_) => "",
        Verdict::Invalid => "sello_invalido/",
    }
}

impl Writing {
    /// The next bytes, and the remaining state. Rows are read only when their part is needed: reading them
    /// while the previous part is being sent would double the memory.
    async fn next(mut self) -> Result<(Bytes, Option<Self>), Interrupted> {
        let ready = self.rows.next().await.map_err(CutOff)?;
        // Compressing a hundred files takes milliseconds, too long for a thread that serves other requests.
        let written = tokio::task::spawn_blocking(move || {
            if let Some(rows) = ready {
                for row in &rows {
                    self.add(row)?;
                }
                return Ok::<_, Interrupted>((self.zip.take(), Some(self)));
            }
            let Self {
                mut zip,
                summary,
                workbook: (workbook, mut written),
                ..
            } = self;
            zip.add("resumen.csv", summary.as_bytes())?;
            written.extend_from_slice(&workbook.finish()?);
            zip.add("resumen.xlsx", &written)?;
            Ok((zip.finish()?, None))
        });
        written.await?
    }

    fn add(&mut self, row: &RowView) -> Result<(), Interrupted> {
        let (workbook, written) = &mut self.workbook;
        workbook.add(row)?;
        written.extend_from_slice(&workbook.take());
        self.summary
            .push_str(&csv::line(row, self.call.context.language));
        let RowOutcome::Lookup(lookup) = &row.outcome else {
            return Ok(());
        };
        let Some(Delivery {
            stem, files, seal, ..
        }) = &lookup.delivery
        else {
            return Ok(());
        };
        let folder = folder(seal.verdict);
        // The row number makes names unique.
        let number = row.row.0 + 1;
        let mut add = |format: Format, content: &[u8]| {
            let name = stem.with_extension(format.extension());
            let path = format!("{folder}{number:05}_{name}");
            Ok(self.zip.add(&path, content)?)
        };
        match files {
            Files::Xml(xml) => add(Format::Xml, xml),
            Files::Pdf(pdf) => add(Format::Pdf, pdf),
            Files::Both { xml, pdf } => {
                add(Format::Xml, xml)?;
                add(Format::Pdf, pdf)
            }
        }
    }
}
