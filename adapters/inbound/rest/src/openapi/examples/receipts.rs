//! Examples of receipts.

use application::ReceiptAnswer;
use domain::participants::Catalogue;
use domain::receipts::{MAX_FILE_BYTES, Receipt};
use serde_json::Value;
use web::{Language, Problem};

use super::{date, parameter};
use crate::receipts::views::ReceiptBody;

/// A receipt whose account is masked.
pub(super) fn read() -> Value {
    let text = "Transferencia SPEI exitosa\nMonto: $1,234.56\nFecha: 20/nov/2026 10:53:36\n\
        Cuenta destino: •••• 7771\nBanco destino: BANAMEX\nClave de rastreo: MBAN01002611200001234567";
    let receipt = Receipt::read_plain(text, date(11, 20), Catalogue::embedded());
    let lookup = None;
    let body = ReceiptBody::new(&ReceiptAnswer { receipt, lookup }, Language::Spanish);
    serde_json::to_value(body).unwrap_or_default()
}

/// Problems of a named error response, each with its own name.
pub(super) fn of(answer: &str) -> Vec<(&'static str, Problem)> {
    match answer {
        "BadReceipt" => vec![
            ("INVALID_REQUEST, file", Problem::ReceiptEncrypted),
            ("INVALID_REQUEST, parameter", parameter()),
        ],
        "LargeReceipt" => vec![(
            "PAYLOAD_TOO_LARGE",
            Problem::LargeReceipt {
                max_bytes: MAX_FILE_BYTES,
            },
        )],
        "NoReceipt" => vec![
            ("UNSUPPORTED_MEDIA_TYPE, encoded", Problem::EncodedReceipt),
            ("UNSUPPORTED_MEDIA_TYPE, file", Problem::UnsupportedReceipt),
            (
                "UNSUPPORTED_MEDIA_TYPE, picture",
                Problem::UnsupportedPicture,
            ),
        ],
        "NoRecognition" => vec![("NOT_IMPLEMENTED", Problem::NoRecognition)],
        _ => Vec::new(),
    }
}
