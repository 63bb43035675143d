//! Endpoints and outcomes of proof requests, as statistics record them.

use crate::proofs::file::RequestedFiles;
use crate::query::Institutions;
use crate::variants::named_enum;

named_enum! {
    /// Proof endpoints, each named by the last segment of its path.
    pub enum Endpoint {
        /// `xml_auto`: the XML; missing institutions are inferred.
        XmlAuto,
        /// `xml`: the XML.
        Xml,
        /// `pdf`: the PDF.
        Pdf,
        /// `pdf_auto`: the PDF; missing institutions are inferred.
        PdfAuto,
        /// `zip_auto`: XML and PDF in a ZIP; missing institutions are inferred.
        ZipAuto,
        /// `base64`: the PDF in base64, in a JSON object.
        Base64,
        /// `xml_base64`: the XML in base64, in a JSON object.
        XmlBase64,
        /// `json_auto`: the fields of the XML; missing institutions are inferred.
        JsonAuto,
        /// `json`: the fields of the XML.
        Json,
        /// `verify`: the check of a file.
        Verify,
        /// `lookups`: the creation of a stored lookup, by a receipt as well.
        Lookups,
        /// `batches`: a row of a batch, which becomes a stored lookup.
        Batches,
        /// `receipts`: the reading of a receipt, unless it becomes a stored lookup.
        Receipts,
    }
}

impl Endpoint {
    /// The endpoints that respond with a proof directly; the others check a file or store a lookup.
    pub fn immediate() -> impl Iterator<Item = Self> {
        let others = [Self::Verify, Self::Lookups, Self::Batches, Self::Receipts];
        let all = Self::ALL.into_iter();
        all.filter(move |endpoint| !others.contains(endpoint))
    }

    /// The files that a request to this endpoint downloads from the bank.
    pub fn wanted(self) -> RequestedFiles {
        match self {
            Self::XmlAuto
            | Self::Xml
            | Self::XmlBase64
            | Self::JsonAuto
            | Self::Json
            | Self::Verify
            | Self::Lookups
            | Self::Batches
            | Self::Receipts => RequestedFiles::Xml,
            Self::PdfAuto | Self::Pdf | Self::Base64 => RequestedFiles::Pdf,
            Self::ZipAuto => RequestedFiles::Both,
        }
    }

    /// Returns which institutions the caller must name.
    pub fn institutions(self) -> Institutions {
        match self {
            Self::XmlAuto
            | Self::PdfAuto
            | Self::ZipAuto
            | Self::JsonAuto
            | Self::Verify
            | Self::Lookups
            | Self::Batches
            | Self::Receipts => Institutions::Inferable,
            Self::Xml | Self::Pdf | Self::Base64 | Self::XmlBase64 | Self::Json => {
                Institutions::Required
            }
        }
    }

    /// The endpoints that return the same files if the caller names both institutions; empty for an
    /// endpoint that already requires both, or has no such counterpart.
    pub fn explicit(self) -> &'static [Self] {
        match self {
            Self::XmlAuto => &[Self::Xml],
            Self::PdfAuto => &[Self::Pdf],
            Self::ZipAuto => &[Self::Xml, Self::Pdf],
            Self::JsonAuto => &[Self::Json],
            Self::Xml
            | Self::Pdf
            | Self::Base64
            | Self::XmlBase64
            | Self::Json
            | Self::Verify
            | Self::Lookups
            | Self::Batches
            | Self::Receipts => &[],
        }
    }

    /// Returns `true` if the response contains the parsed fields of the proof.
    pub fn is_parsed(self) -> bool {
        matches!(
            self,
            Self::Json | Self::JsonAuto | Self::Lookups | Self::Batches
        )
    }
}

named_enum! {
    /// Outcome of a request with a valid key.
    pub enum Outcome {
        /// The proof was delivered.
        Delivered,
        /// A receipt was read, whatever was found in it, and no lookup was stored.
        ReceiptRead,
        /// The request was malformed, or its body came too slowly (400, 408, 413, 415).
        InvalidRequest,
        /// A bank could not be inferred.
        InferenceFailed,
        /// Several transfers have the reference number, and one of them must be chosen.
        Ambiguous,
        /// The bank has no record of the transfer.
        NotFound,
        /// The payment was settled, but the bank has no proof of it yet.
        NotIssued,
        /// The payment, or its return, is still in process.
        PaymentInProcess,
        /// The payment was returned to the payer. The bank issues no proof of it, nor of rejected or
        /// canceled payments.
        PaymentReturned,
        /// The payment was rejected, or could not be settled.
        PaymentRejected,
        /// The payment was canceled.
        PaymentCanceled,
        /// The key's limit per minute refused the request.
        RateLimited,
        /// The key's monthly quota refused the request.
        QuotaExceeded,
        /// The bank's answer could not be understood.
        BankProtocolError,
        /// The bank could not be reached, or reported that it is closed.
        BankUnavailable,
        /// The bank's own limit, or our budget of queries, is used up.
        BankThrottled,
        /// The bank did not answer in time.
        BankTimeout,
        /// The program that reads such a file isn't installed, or reads as many as it can.
        ReaderUnavailable,
        /// The gateway itself failed.
        InternalError,
        /// The caller canceled the lookup before it ended.
        Canceled,
    }
}

impl Outcome {
    /// The reason name of a lookup's state: the same as the error code of the other endpoints, where
    /// there is one.
    pub fn reason_name(self) -> &'static str {
        match self {
            Self::NotIssued => "proof_not_issued",
            Self::NotFound => "not_in_spei",
            other => other.name(),
        }
    }

    /// Returns `true` if the bank gave a definite answer other than a proof.
    pub fn is_answer_without_proof(self) -> bool {
        matches!(self.class(), Class::NoProofYet | Class::NoProofEver)
    }

    /// Returns `true` if the bank issues no proof of the payment, neither now nor later.
    pub fn rules_out_proof(self) -> bool {
        self.class() == Class::NoProofEver
    }

    /// Returns `true` if the request is refunded to the monthly quota because we or the bank failed.
    pub fn is_refunded(self) -> bool {
        self.class() == Class::Failure
    }

    fn class(self) -> Class {
        match self {
            Self::NotFound | Self::NotIssued | Self::PaymentInProcess => Class::NoProofYet,
            Self::PaymentReturned | Self::PaymentRejected | Self::PaymentCanceled => {
                Class::NoProofEver
            }
            Self::BankProtocolError
            | Self::BankUnavailable
            | Self::BankThrottled
            | Self::BankTimeout
            | Self::ReaderUnavailable
            | Self::InternalError => Class::Failure,
            Self::Delivered
            | Self::ReceiptRead
            | Self::Ambiguous
            | Self::InvalidRequest
            | Self::InferenceFailed
            | Self::RateLimited
            | Self::QuotaExceeded
            | Self::Canceled => Class::Other,
        }
    }
}

/// Class of an outcome.
#[derive(PartialEq, Eq)]
enum Class {
    /// The bank has no proof, or none yet.
    NoProofYet,
    /// The bank will never issue a proof.
    NoProofEver,
    /// We or the bank failed.
    Failure,
    /// The proof was delivered, or the caller ended the request or caused its refusal.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_infers_and_serves_what_its_name_says() {
        for endpoint in Endpoint::immediate() {
            let infers = endpoint.institutions() == Institutions::Inferable;
            assert_eq!(infers, endpoint.name().ends_with("_auto"), "{endpoint:?}");
            let wanted = match endpoint.name() {
                "zip_auto" => RequestedFiles::Both,
                name if name.starts_with("xml") || name.starts_with("json") => RequestedFiles::Xml,
                _ => RequestedFiles::Pdf,
            };
            assert_eq!(endpoint.wanted(), wanted, "{endpoint:?}");
        }
    }

    #[test]
    fn whoever_infers_has_explicit_endpoints_with_the_same_files() {
        for endpoint in Endpoint::immediate() {
            let infers = endpoint.institutions() == Institutions::Inferable;
            let explicit = endpoint.explicit();
            assert_eq!(!explicit.is_empty(), infers, "{endpoint:?}");
            for other in explicit {
                assert_eq!(other.institutions(), Institutions::Required, "{endpoint:?}");
                let wanted = endpoint.wanted();
                let fits = wanted == RequestedFiles::Both || wanted == other.wanted();
                assert!(fits, "{endpoint:?}: {other:?}");
            }
        }
    }
}
