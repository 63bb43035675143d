//! Paths of what a batch gives.

use domain::batch::BatchId;

/// Paths of what a batch gives, below the gateway's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchPaths {
    /// The batch itself.
    pub batch: String,
    /// Its rows, as CSV or JSON lines.
    pub results: String,
    /// The files of its proofs.
    pub zip: String,
    /// Its open rows, for the bank's own batch.
    pub banxico: String,
}

impl BatchPaths {
    /// The paths of a batch.
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
