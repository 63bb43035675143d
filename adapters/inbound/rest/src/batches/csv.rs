//! Rows of a batch as CSV for spreadsheets.

use application::{Delivery, LookupView, RowOutcome, RowView};
use chrono::SecondsFormat;
use domain::batches::formula;
use domain::participants::inference::Inferred;
use domain::proofs::notice::{Notice, ProofOrigin};
use domain::proofs::{Proof, ProofField};
use web::Language;
use web::problem::{HintReason, RowError, notice_message, what_to_do};

/// Column names. Those of the query data are the same as in a table that creates a batch.
const COLUMNS: [&str; 35] = [
    "fila",
    "linea",
    "id",
    "estado",
    "motivo",
    "duplicado_de",
    "errores",
    "estado_del_pago",
    "pistas",
    "que_hacer",
    "fecha",
    "clave_rastreo",
    "cuenta",
    "monto",
    "emisor",
    "receptor",
    "emisor_inferido",
    "receptor_inferido",
    "consulta",
    "origen",
    "sello",
    "avisos",
    "avisos_en_palabras",
    "visto_veces",
    "visto_primera_vez",
    "fecha_operacion",
    "hora_abono",
    "ordenante",
    "ordenante_rfc_curp",
    "beneficiario",
    "beneficiario_rfc_curp",
    "beneficiario_cuenta",
    "concepto",
    "errores_codigos",
    "pistas_codigos",
];

/// The header line, after a byte order mark by which spreadsheets recognise UTF-8.
pub(super) fn header() -> String {
    format!("\u{feff}{}", formula::row(COLUMNS))
}

/// The line of a row. Cells that would begin as a formula are escaped.
pub(super) fn line(row: &RowView, language: Language) -> String {
    let errors = RowError::all_of(&row.outcome);
    let of_errors =
        |read: &dyn Fn(&RowError) -> String| errors.iter().map(read).collect::<Vec<_>>().join(" ");
    let lookup = match &row.outcome {
        RowOutcome::Lookup(lookup) => Some(lookup),
        _ => None,
    };
    let duplicate_of = match &row.outcome {
        RowOutcome::Duplicate { of, .. } => (of.0 + 1).to_string(),
        _ => String::new(),
    };
    let delivery = lookup.and_then(|lookup| lookup.delivery.as_ref());
    let proof = delivery.map(|delivery| &*delivery.proof);
    let of_notices = |read: &dyn Fn(&Notice) -> String| {
        delivery
            .map(|delivery| notices(delivery, read))
            .unwrap_or_default()
    };
    let seen = delivery.and_then(|delivery| delivery.seen);
    let reason = lookup.and_then(|lookup| lookup.reason());
    let query = row.query.as_ref();
    let of_query =
        |read: fn(&domain::query::ProofQuery) -> String| query.map(read).unwrap_or_default();
    let of_proof = |field| proof.and_then(|it| it.written(field)).unwrap_or_default();
    let code = |code: Option<domain::participants::ParticipantCode>| {
        code.map(|code| code.to_string()).unwrap_or_default()
    };
    let inferred = lookup.map(|lookup| &lookup.inferred);
    let [issuer, receiver] = [
        inferred.and_then(|inferred| inferred.issuer.as_ref()),
        inferred.and_then(|inferred| inferred.receiver.as_ref()),
    ];
    let payment = lookup.and_then(|lookup| lookup.payment);
    let of_hints = |read: &dyn Fn(&HintReason) -> String| {
        lookup.map(|lookup| hints(lookup, read)).unwrap_or_default()
    };
    let next_step = lookup.and_then(|lookup| what_to_do(lookup, language));
    let cells = [
        (row.row.0 + 1).to_string(),
        row.line.to_string(),
        row.caller_id.clone().unwrap_or_default(),
        row.outcome.state().name().to_owned(),
        reason
            .map(|reason| reason.reason_name().to_owned())
            .unwrap_or_default(),
        duplicate_of,
        of_errors(&|error| format!("{}: {}", error.field, error.message(language))),
        payment
            .map(|payment| payment.state.name().to_owned())
            .unwrap_or_default(),
        of_hints(&|hint| hint.message(language)),
        next_step.unwrap_or_default(),
        of_query(|query| query.date.to_string()),
        of_query(|query| query.tracking_key.as_str().to_owned()),
        of_query(|query| query.account.as_str().to_owned()),
        of_query(|query| query.amount.to_string()),
        code(
            query
                .and_then(|query| query.issuer)
                .or(delivery.map(|delivery| delivery.issuer))
                .or(issuer.map(|issuer| issuer.code)),
        ),
        code(
            query
                .and_then(|query| query.receiver)
                .or(proof.map(Proof::receiver))
                .or(receiver.map(|receiver| receiver.code)),
        ),
        origin_of_bank(issuer),
        origin_of_bank(receiver),
        lookup
            .map(|lookup| lookup.id.to_string())
            .unwrap_or_default(),
        lookup
            .and_then(|lookup| lookup.origin())
            .map(ProofOrigin::name)
            .unwrap_or_default()
            .to_owned(),
        delivery
            .map(|delivery| delivery.seal.verdict.name().to_owned())
            .unwrap_or_default(),
        of_notices(&|notice| notice.code.name().to_owned()),
        of_notices(&|notice| notice_message(notice.code, language)),
        seen.map(|seen| seen.times.to_string()).unwrap_or_default(),
        seen.and_then(|seen| seen.first)
            .map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true))
            .unwrap_or_default(),
        of_proof(ProofField::OperationDate),
        of_proof(ProofField::CreditTime),
        of_proof(ProofField::PayerName),
        of_proof(ProofField::PayerTaxId),
        of_proof(ProofField::BeneficiaryName),
        of_proof(ProofField::BeneficiaryTaxId),
        of_proof(ProofField::BeneficiaryAccount),
        of_proof(ProofField::Concept),
        of_errors(&RowError::code),
        of_hints(&|hint| hint.code().to_owned()),
    ];
    formula::row(cells)
}

/// Joins the notices of a proof with spaces.
fn notices(delivery: &Delivery, read: &dyn Fn(&Notice) -> String) -> String {
    let notices = Notice::of_delivery(delivery.origin, &delivery.seal);
    notices.iter().map(read).collect::<Vec<_>>().join(" ")
}

/// Joins the hints of a lookup.
fn hints(lookup: &LookupView, read: &dyn Fn(&HintReason) -> String) -> String {
    let hints = lookup.hints.iter().cloned();
    let hints = hints.map(|hint| read(&HintReason::from(hint)));
    hints.collect::<Vec<_>>().join(" ")
}

/// The evidence that a bank was inferred from, and its confidence.
fn origin_of_bank(inferred: Option<&Inferred>) -> String {
    let origin = |inferred: &Inferred| {
        let evidence = &inferred.evidence;
        format!("{} ({})", evidence.source(), evidence.confidence().name())
    };
    inferred.map(origin).unwrap_or_default()
}
