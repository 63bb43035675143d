//! Parser of forms (`multipart/form-data`) with a table and its corrections.

use std::convert::Infallible;

use axum::http::header::CONTENT_TYPE;
use bytes::{Bytes, BytesMut};
use futures::executor::block_on;
use futures::stream;
use multer::{Field, Multipart};
use web::problem::{FieldFault, FieldProblem};
use web::{Problem, TableBody, TableType};

use super::BatchCall;
use super::uploads::{MAX_CORRECTIONS_BYTES, MAX_TABLE_BYTES};
use crate::RestState;

/// The part with the table.
const FILE: &str = "file";
/// The part with the corrections of the table.
pub(super) const CORRECTIONS: &str = "corrections";
/// Maximum number of characters of an unknown part's name in a response.
const MAX_NAME: usize = 64;

/// A table as it was sent.
#[derive(Debug, PartialEq)]
pub(super) struct SentTable {
    pub(super) format: TableType,
    pub(super) file: Bytes,
    /// JSON, not parsed yet.
    pub(super) corrections: Option<Bytes>,
}

impl SentTable {
    /// Takes the table out of a body. A form is parsed on the low-priority runtime.
    pub(super) async fn of(
        (state, call): (&RestState, &BatchCall),
        (declared, body): (TableBody, Bytes),
    ) -> Result<Self, Problem> {
        let boundary = match declared {
            TableBody::Table(format) => {
                return Ok(Self {
                    format,
                    file: body,
                    corrections: None,
                });
            }
            TableBody::Form { boundary } => boundary,
        };
        let read = state.low_priority.spawn_blocking(|| read(body, boundary));
        read.await.map_err(|error| call.unwritten(&error))?
    }
}

/// Parses a whole form.
fn read(body: Bytes, boundary: String) -> Result<SentTable, Problem> {
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    // All of the body is there, so this waits for nothing.
    block_on(table(Multipart::new(body, boundary)))
}

async fn table(mut form: Multipart<'_>) -> Result<SentTable, Problem> {
    let (mut file, mut corrections) = (None, None);
    while let Some(part) = form
        .next_field()
        .await
        .map_err(|_| Problem::MalformedForm)?
    {
        match part.name() {
            Some(FILE) if file.is_none() => {
                let format = format(&part).ok_or(Problem::UnsupportedPartType)?;
                file = Some((format, content(part, FILE, MAX_TABLE_BYTES).await?));
            }
            Some(CORRECTIONS) if corrections.is_none() => {
                corrections = Some(content(part, CORRECTIONS, MAX_CORRECTIONS_BYTES).await?);
            }
            name => {
                let problem = match name {
                    Some(FILE | CORRECTIONS) => FieldProblem::Duplicate,
                    _ => FieldProblem::UnknownPart,
                };
                let name: String = name.unwrap_or_default().chars().take(MAX_NAME).collect();
                return Err(Problem::invalid_fields([FieldFault::new(name, problem)]));
            }
        }
    }
    let no_file = || Problem::invalid_field(FILE, FieldProblem::NoFile);
    let (format, file) = file.ok_or_else(no_file)?;
    Ok(SentTable {
        format,
        file,
        corrections,
    })
}

/// The format of the table in a part, by its `Content-Type`, else by its file's name.
fn format(part: &Field<'_>) -> Option<TableType> {
    let declared = part.headers().get(CONTENT_TYPE);
    let declared = declared.and_then(|declared| declared.to_str().ok());
    let by_type = declared.and_then(TableType::of_media_type);
    by_type.or_else(|| TableType::of_file_name(part.file_name()?))
}

/// The content of a part.
async fn content(
    mut part: Field<'_>,
    name: &'static str,
    max_bytes: usize,
) -> Result<Bytes, Problem> {
    let cut_off = |_| Problem::IncompletePart { part: name };
    // A part usually is one chunk, which isn't copied.
    let first = part.chunk().await.map_err(cut_off)?.unwrap_or_default();
    let mut all = BytesMut::new();
    while let Some(chunk) = part.chunk().await.map_err(cut_off)? {
        if all.is_empty() {
            all.extend_from_slice(&first);
        }
        all.extend_from_slice(&chunk);
    }
    let content = if all.is_empty() { first } else { all.freeze() };
    let is_too_large = content.len() > max_bytes;
    let problem = Problem::PartTooLarge {
        part: name,
        max_bytes,
    };
    if is_too_large {
        Err(problem)
    } else {
        Ok(content)
    }
}

#[cfg(test)]
mod tests;
