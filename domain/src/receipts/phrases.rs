//! Phrases that tell the state of a transfer, and what the document is.

use super::labels::folded;
use super::notice::{DocumentKind, ReceiptNotice};

/// Beginnings of words of a state, in the order in which they count.
const STATES: [(&str, ReceiptNotice); 62] = [
    ("DEVUELT", ReceiptNotice::Returned),
    ("DEVOLUCION", ReceiptNotice::Returned),
    ("DEVOLVIMOS", ReceiptNotice::Returned),
    ("REVERTID", ReceiptNotice::Returned),
    ("REVERSAD", ReceiptNotice::Returned),
    ("REEMBOLS", ReceiptNotice::Returned),
    ("TE REGRESAMOS", ReceiptNotice::Returned),
    ("RECHAZAD", ReceiptNotice::Refused),
    ("CANCELAD", ReceiptNotice::Refused),
    ("DECLINAD", ReceiptNotice::Refused),
    ("DENEGAD", ReceiptNotice::Refused),
    ("FALLID", ReceiptNotice::Refused),
    ("ANULAD", ReceiptNotice::Refused),
    ("REVOCAD", ReceiptNotice::Refused),
    ("EXPIRAD", ReceiptNotice::Refused),
    ("VENCID", ReceiptNotice::Refused),
    ("ABORTAD", ReceiptNotice::Refused),
    ("INTERRUMPID", ReceiptNotice::Refused),
    ("BLOQUEAD", ReceiptNotice::Refused),
    ("DETENID", ReceiptNotice::Refused),
    ("RETENID", ReceiptNotice::Refused),
    ("FAILED", ReceiptNotice::Refused),
    ("INVALID", ReceiptNotice::Refused),
    ("NO EXITOS", ReceiptNotice::Refused),
    ("NO FUE EXITOS", ReceiptNotice::Refused),
    ("SIN EXITO", ReceiptNotice::Refused),
    ("FALLO", ReceiptNotice::Refused),
    ("NO REALIZAD", ReceiptNotice::Refused),
    ("NO SE REALIZ", ReceiptNotice::Refused),
    ("NO SE PUDO", ReceiptNotice::Refused),
    ("NO PROCESAD", ReceiptNotice::Refused),
    ("NO ENVIAD", ReceiptNotice::Refused),
    ("NO APLICAD", ReceiptNotice::Refused),
    ("NO LIQUIDAD", ReceiptNotice::Refused),
    ("NO COMPLETAD", ReceiptNotice::Refused),
    ("ERROR EN", ReceiptNotice::Refused),
    ("FONDOS INSUFICIENTES", ReceiptNotice::Refused),
    ("CUENTA INEXISTENTE", ReceiptNotice::Refused),
    ("PROGRAMAD", ReceiptNotice::NotPaidYet),
    ("AGENDAD", ReceiptNotice::NotPaidYet),
    ("PENDIENTE", ReceiptNotice::NotPaidYet),
    ("SOLICITUD", ReceiptNotice::NotPaidYet),
    ("PLANTILLA", ReceiptNotice::NotPaidYet),
    ("BORRADOR", ReceiptNotice::NotPaidYet),
    ("SIMULACION", ReceiptNotice::NotPaidYet),
    ("EN PROCESO", ReceiptNotice::NotPaidYet),
    ("EN TRAMITE", ReceiptNotice::NotPaidYet),
    ("EN REVISION", ReceiptNotice::NotPaidYet),
    ("EN ESPERA", ReceiptNotice::NotPaidYet),
    ("EN TRANSITO", ReceiptNotice::NotPaidYet),
    ("POR AUTORIZAR", ReceiptNotice::NotPaidYet),
    ("POR CONFIRMAR", ReceiptNotice::NotPaidYet),
    ("POR APLICAR", ReceiptNotice::NotPaidYet),
    ("POR LIQUIDAR", ReceiptNotice::NotPaidYet),
    ("FALTA AUTORIZAR", ReceiptNotice::NotPaidYet),
    ("SE ENVIARA", ReceiptNotice::NotPaidYet),
    ("SERA ENVIAD", ReceiptNotice::NotPaidYet),
    ("AUN NO", ReceiptNotice::NotPaidYet),
    ("VISTA PREVIA", ReceiptNotice::NotPaidYet),
    ("DESEAS CONFIRMAR", ReceiptNotice::NotPaidYet),
    ("SIN VALIDEZ", ReceiptNotice::NotPaidYet),
    ("SIN VALOR", ReceiptNotice::NotPaidYet),
];
/// Phrases of advice about a payment that was made.
const ADVICE: [&str; 4] = [
    "NO PUEDE SER",
    "NO SE PUEDE CANCELAR",
    "NO HA SIDO",
    "EN CASO DE",
];
/// Currencies other than the peso.
const CURRENCIES: [&str; 10] = [
    "USD",
    "US",
    "DOLARES",
    "DOLAR",
    "EUR",
    "EUROS",
    "UDI",
    "UDIS",
    "SWIFT",
    "INTERNACIONAL",
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
const TITLE_WORDS: usize = 9;
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
    if ADVICE.iter().any(|advice| contains_words(&text, advice)) {
        return None;
    }
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
    let begins = STATES.iter().any(|(state, _)| words.starts_with(state));
    (is_title && (names_transfer || is_state_alone || begins)).then(|| state(text))?
}

/// Returns `true` if a text tells another currency than the peso.
pub(super) fn is_foreign(text: &str) -> bool {
    let has_sign = text.contains(['€', '£']);
    has_sign
        || normalised(text)
            .split(' ')
            .any(|word| CURRENCIES.contains(&word))
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
