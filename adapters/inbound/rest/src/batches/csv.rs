//! Rows of a batch as CSV for spreadsheets.

use application::RowView;
use domain::batches::formula;
use domain::batches::sheet::Column;
use domain::proofs::ProofField;
use web::Language;

use super::result_row::ResultRow;

/// A column: its name, and its value in a row.
pub(super) type CsvColumn = (&'static str, fn(&ResultRow<'_>) -> String);

/// The columns. Those of the query data have the names that they have in a table that creates a batch.
const COLUMNS: [CsvColumn; 42] = [
    ("fila", |it| (it.row.row.0 + 1).to_string()),
    ("linea", |it| it.row.line.to_string()),
    ("id", |it| guarded(&it.asked(Column::Id))),
    ("estado", |it| it.state()),
    ("estado_codigo", |it| it.row_state().name().to_owned()),
    ("motivo", |it| it.reason()),
    ("duplicado_de", |it| it.duplicate_of()),
    ("errores", |it| it.errors()),
    ("estado_del_pago", |it| it.payment()),
    ("estado_del_pago_codigo", |it| it.payment_code()),
    ("pistas", |it| it.hints()),
    ("que_hacer", |it| it.next_step()),
    ("fecha", |it| it.asked(Column::Date)),
    ("clave_rastreo", |it| {
        guarded(&it.asked(Column::TrackingKey))
    }),
    ("cuenta", |it| guarded(&it.asked(Column::Account))),
    ("monto", |it| it.asked(Column::Amount)),
    ("emisor", |it| it.asked(Column::Issuer)),
    ("receptor", |it| it.asked(Column::Receiver)),
    ("emisor_inferido", |it| it.issuer_evidence()),
    ("receptor_inferido", |it| it.receiver_evidence()),
    ("consulta", |it| it.lookup_id()),
    ("origen", |it| it.origin()),
    ("sello", |it| it.seal()),
    ("sello_codigo", |it| it.seal_code()),
    ("avisos", |it| it.notice_codes()),
    ("avisos_en_palabras", |it| it.notices()),
    ("visto_veces", |it| it.seen_times()),
    ("visto_primera_vez", |it| it.seen_first()),
    ("fecha_operacion", |it| {
        it.of_proof(ProofField::OperationDate)
    }),
    ("hora_abono", |it| it.of_proof(ProofField::CreditTime)),
    ("ordenante", |it| it.of_proof(ProofField::PayerName)),
    ("ordenante_rfc_curp", |it| {
        it.of_proof(ProofField::PayerTaxId)
    }),
    ("beneficiario", |it| {
        it.of_proof(ProofField::BeneficiaryName)
    }),
    ("beneficiario_rfc_curp", |it| {
        it.of_proof(ProofField::BeneficiaryTaxId)
    }),
    ("beneficiario_cuenta", |it| {
        guarded(&it.of_proof(ProofField::BeneficiaryAccount))
    }),
    ("concepto", |it| guarded(&it.of_proof(ProofField::Concept))),
    ("errores_codigos", |it| it.error_codes()),
    ("pistas_codigos", |it| it.hint_codes()),
    ("numero_referencia", |it| {
        guarded(&it.asked(Column::Reference))
    }),
    ("candidatas", |it| it.candidates()),
    ("clave_del_cep", |it| guarded(&it.proved_key())),
    ("cuentas_propias", |it| guarded(&it.own_accounts())),
];

/// The columns with these names, in their order.
pub(super) fn columns(names: &[&str]) -> impl Iterator<Item = CsvColumn> {
    let columns = COLUMNS.iter().filter(|(name, _)| names.contains(name));
    columns.copied()
}

/// The header line, after a byte order mark by which spreadsheets recognise UTF-8.
pub(super) fn header() -> String {
    format!("\u{feff}{}", formula::row(COLUMNS.map(|(name, _)| name)))
}

/// The line of a row. Cells that would begin as a formula are escaped.
pub(super) fn line(row: &RowView, language: Language) -> String {
    let row = ResultRow::new(row, language);
    formula::row(COLUMNS.map(|(_, value)| value(&row)))
}

fn guarded(text: &str) -> String {
    formula::as_text(text).into_owned()
}
