//! Phrases that tell the state of a transfer, and what the document is.

use super::labels::folded;
use super::notice::{DocumentKind, ReceiptNotice};

/// Beginnings of words of a state, in the order in which they count.
const STATES: [(&str, ReceiptNotice); 12] = [
    ("DEVUELT", ReceiptNotice::Returned),
    ("DEVOLUCION", ReceiptNotice::Returned),
    ("RECHAZAD", ReceiptNotice::Refused),
    ("CANCELAD", ReceiptNotice::Refused),
    ("DECLINAD", ReceiptNotice::Refused),
    ("NO EXITOS", ReceiptNotice::Refused),
    ("FALLID", ReceiptNotice::Refused),
    ("PROGRAMAD", ReceiptNotice::NotPaidYet),
    ("EN PROCESO", ReceiptNotice::NotPaidYet),
    ("PENDIENTE", ReceiptNotice::NotPaidYet),
    ("EN TRAMITE", ReceiptNotice::NotPaidYet),
    ("POR AUTORIZAR", ReceiptNotice::NotPaidYet),
];
/// Words of a title beside which a state is one of the transfer.
const SUBJECTS: [&str; 8] = [
    "TRANSFERENCIA",
    "OPERACION",
    "PAGO",
    "ENVIO",
    "TRASPASO",
    "MOVIMIENTO",
    "SPEI",
    "ORDEN",
];
/// Most words of a title.
const TITLE_WORDS: usize = 7;
/// Phrases of a transfer within one bank.
const WITHIN_ONE_BANK: [&str; 6] = [
    "ENTRE CUENTAS",
    "CUENTAS PROPIAS",
    "CUENTA PROPIA",
    "MISMO BANCO",
    "ENTRE MIS CUENTAS",
    "TRASPASO A TERCEROS",
];
/// Phrases of documents that aren't receipts; all of a row are there. A receipt may name the proof, and where to get it.
const DOCUMENTS: [(&[&str], DocumentKind); 6] = [
    (
        &["POR EL MOMENTO NO ES POSIBLE GENERAR EL CEP"],
        DocumentKind::StateReport,
    ),
    (&["ESTADO DEL PAGO EN BANXICO"], DocumentKind::StateReport),
    (
        &["CADENA ORIGINAL", "SELLO DIGITAL", "CERTIFICADO"],
        DocumentKind::Proof,
    ),
    (&["SPEI TERCERO", "CADENACDA"], DocumentKind::Proof),
    (&["FOLIO FISCAL", "CFDI"], DocumentKind::Invoice),
    (
        &["COMPROBANTE FISCAL DIGITAL POR INTERNET"],
        DocumentKind::Invoice,
    ),
];

/// Words of a text in upper case without accents and signs.
pub(super) fn normalised(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(folded)
        .collect();
    words.join(" ")
}

/// The state that the value of a state's label tells; `None` for a payment that was made.
pub(super) fn state(text: &str) -> Option<ReceiptNotice> {
    let text = normalised(text);
    let mut states = STATES.iter();
    let found = states.find(|(word, _)| contains_words(&text, word));
    found.map(|(_, state)| *state)
}

/// The state in a title, as *Transferencia programada*.
pub(super) fn state_of_title(text: &str) -> Option<ReceiptNotice> {
    let words = normalised(text);
    let is_title = words.split(' ').count() <= TITLE_WORDS;
    let names_transfer = words.split(' ').any(|word| SUBJECTS.contains(&word));
    let is_state_alone = words.split(' ').count() <= 2;
    (is_title && (names_transfer || is_state_alone)).then(|| state(text))?
}

/// Returns `true` for the title of a transfer between accounts of one bank.
pub(super) fn is_within_one_bank(text: &str) -> bool {
    let text = normalised(text);
    text.split(' ').count() <= TITLE_WORDS
        && WITHIN_ONE_BANK
            .iter()
            .any(|phrase| contains_words(&text, phrase))
}

/// The type of a document that isn't a receipt, by its whole text.
pub(super) fn document(text: &str) -> Option<DocumentKind> {
    let text = normalised(text);
    let mut documents = DOCUMENTS.iter();
    let found = documents.find(|(phrases, _)| phrases.iter().all(|phrase| text.contains(phrase)));
    found.map(|(_, kind)| *kind)
}

/// Returns `true` if the phrase begins at a word of the text.
fn contains_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase)
        .any(|(place, _)| place == 0 || text.as_bytes()[place - 1] == b' ')
}
