//! Recognises documents that people mistake for a proof, by their words.

use super::{PdfError, PrintedPage};

/// Phrases in the portal's proofs.
const OF_PROOFS: [&str; 3] = [
    "cadena original",
    "sello digital",
    "comprobante electrónico de pago",
];
/// Phrases in the portal's report on the state of a payment. It prints data that its caller sends, so
/// it proves nothing.
const STATE_REPORT: [&str; 2] = [
    "estado del pago en banxico",
    "se identificó el siguiente pago",
];
/// Words in the receipts that banks give to their customers.
const RECEIPT: [&str; 9] = [
    "spei",
    "transferencia",
    "clave de rastreo",
    "comprobante",
    "cuenta destino",
    "beneficiario",
    "importe",
    "monto",
    "folio",
];
/// Minimum number of [`RECEIPT`] words in a receipt.
const ENOUGH: usize = 3;

/// The error for pages without an original chain, by the kind of document.
pub(super) fn kind(pages: &[PrintedPage]) -> PdfError {
    let runs = pages.iter().flat_map(|page| &page.runs);
    let words: Vec<&str> = runs.flat_map(|run| run.text.split_whitespace()).collect();
    if words.is_empty() {
        return PdfError::NoText;
    }
    let text = words.join(" ").to_lowercase();
    if OF_PROOFS.iter().any(|words| text.contains(words)) {
        return PdfError::NoChain;
    }
    if STATE_REPORT.iter().any(|words| text.contains(words)) {
        return PdfError::StateReport;
    }
    let there = RECEIPT.iter().filter(|words| text.contains(**words));
    if there.count() >= ENOUGH {
        PdfError::BankReceipt
    } else {
        PdfError::NoChain
    }
}
