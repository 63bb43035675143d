//! Construction of the lookups of rows.

use chrono::{DateTime, TimeDelta, Utc};
use domain::batches::RowNumber;
use domain::keys::CountedKey;
use domain::lookups::{LookupId, Metadata};
use domain::month::Month;
use domain::pacing::LookupClass;
use domain::proofs::file::RequestedFiles;
use domain::query::ProofQuery;
use ports::Cause;
use ports::outbound::{BatchFacts, BatchRow, LookupFacts, RowLookup};

use super::content::BatchContent;
use crate::lookups::{LookupEncryption, Question};

/// Builds the encrypted lookup of a row.
pub(super) fn row_lookup(
    encryption: &LookupEncryption,
    (batch, content): (&BatchFacts, &BatchContent),
    (id, key, month, now): (LookupId, CountedKey, Month, DateTime<Utc>),
    (row, query): (RowNumber, ProofQuery),
) -> Result<RowLookup, Cause> {
    let retry_for = TimeDelta::from_std(content.retry_for.duration());
    let facts = LookupFacts {
        id,
        customer: batch.customer,
        key,
        environment: batch.environment,
        class: LookupClass::Background,
        request_id: batch.request_id.clone(),
        month,
        created_at: now,
        retry_until: now + retry_for.unwrap_or_default(),
        generation: encryption.generation(),
        batch: Some(BatchRow {
            batch: batch.id,
            row,
        }),
    };
    let question = Question {
        query,
        files: match content.files {
            RequestedFiles::Xml => RequestedFiles::Xml,
            RequestedFiles::Pdf | RequestedFiles::Both => RequestedFiles::Both,
        },
        metadata: Metadata::default(),
    };
    Ok(RowLookup {
        question: encryption.encrypt_question(&facts, &question)?,
        facts,
    })
}
