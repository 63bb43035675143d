//! URL paths of a batch and its downloads.

use domain::batches::BatchId;

/// Absolute URL paths of a batch and its downloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchPaths {
    /// The batch resource.
    pub batch: String,
    /// The batch's rows, as CSV or JSON lines.
    pub results: String,
    /// ZIP of the proofs' files.
    pub zip: String,
    /// ZIP of the open rows in the format of the bank's batch service.
    pub banxico: String,
}

impl BatchPaths {
    pub fn of(id: BatchId) -> Self {
        let batch = format!("/v1/cep/batches/{id}");
        Self {
            results: format!("{batch}/results"),
            zip: format!("{batch}/files.zip"),
            banxico: format!("{batch}/banxico.zip"),
            batch,
        }
    }
}
