//! Issues proofs in the receiving bank's format: original chain, seal, XML. Their bytes depend only on
//! the order.

use bytes::Bytes;
use domain::proofs::file::FileStem;

use crate::details::{ChildOrder, Details, Generation, Party};
use crate::order::Order;
use crate::seal::SealCertificate;

/// Fields after the amount in original chains of the second version (from recorded proofs).
const SECOND_GENERATION: &str = "|NA|NA|0|0|NA|0|0.00";
/// Further fields in chains of the third version: 17 empty ones.
const THIRD_GENERATION: &str = "|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA";

/// Special amounts: the proof has the seal of another text.
const SEALED_ANOTHER_TEXT: [&str; 2] = ["600.00", "600.02"];
/// Concept in that other text; no proof has it.
const CONCEPT_OF_ANOTHER_TEXT: &str = "OTRO CONCEPTO";
/// Special amounts: the proof is sealed with [`SealCertificate::Unknown`]. The last ones select answers of the
/// validator.
const SEALED_WITH_AN_UNKNOWN_CERTIFICATE: [&str; 7] = [
    "600.01", "600.02", "600.03", "600.04", "600.05", "600.06", "600.07",
];

/// A sealed proof with its data and files.
pub(crate) struct SealedProof {
    pub(crate) order: Order,
    pub(crate) details: Details,
    pub(crate) certificate: SealCertificate,
    /// The original chain without the final seal.
    pub(crate) chain: String,
    /// The seal in base64, 344 characters.
    pub(crate) seal: String,
    pub(crate) xml: Bytes,
    /// File name without extension.
    pub(crate) stem: FileStem,
}

impl SealedProof {
    /// Issues the proof of `order`; the signature takes about 0.6 ms.
    pub(crate) fn issue(order: Order) -> Self {
        let details = Details::of(&order);
        let amount = order.amount.to_string();
        let certificate = if SEALED_WITH_AN_UNKNOWN_CERTIFICATE.contains(&amount.as_str()) {
            SealCertificate::Unknown
        } else {
            SealCertificate::Known
        };
        let chain = original_chain(&order, &details, certificate);
        let seal = if SEALED_ANOTHER_TEXT.contains(&amount.as_str()) {
            let another = Details {
                concept: CONCEPT_OF_ANOTHER_TEXT.to_owned(),
                ..details.clone()
            };
            certificate.seal(&original_chain(&order, &another, certificate))
        } else {
            certificate.seal(&chain)
        };
        let xml = xml(&order, &details, certificate, &chain, &seal).into();
        let stem = FileStem::new(details.operation_date, &order.tracking_key);
        Self {
            order,
            details,
            certificate,
            chain,
            seal,
            xml,
            stem,
        }
    }
}

fn original_chain(order: &Order, details: &Details, certificate: SealCertificate) -> String {
    let date = |date: chrono::NaiveDate| date.format("%d%m%Y");
    let side = |party: &Party| {
        let Party {
            institution,
            name,
            account,
            rfc,
            ..
        } = party;
        format!(
            "{institution}|{name}|{}|{account}|{rfc}",
            party.chain_account_type()
        )
    };
    let further = match details.generation {
        Generation::First => String::new(),
        Generation::Second => SECOND_GENERATION.to_owned(),
        Generation::Third => format!("{SECOND_GENERATION}{THIRD_GENERATION}"),
    };
    format!(
        "||{payment_type}|{operation}|{credit}|{time}|{receiver}|{payer}|{beneficiary}|{concept}|\
         {iva}|{amount}{further}|{certificate}||",
        payment_type = details.payment_type,
        operation = date(details.operation_date),
        credit = date(details.credited_at.date()),
        time = details.credited_at.format("%H%M%S"),
        receiver = order.receiver,
        payer = side(&details.payer),
        beneficiary = side(&details.beneficiary),
        concept = details.concept,
        iva = details.iva.unwrap_or("NA"),
        amount = details.amount,
        certificate = certificate.number(),
    )
}

fn xml(
    order: &Order,
    details: &Details,
    certificate: SealCertificate,
    chain: &str,
    seal: &str,
) -> String {
    let children = match details.child_order {
        ChildOrder::BeneficiaryFirst => [beneficiary(details), payer(details)],
        ChildOrder::PayerFirst => [payer(details), beneficiary(details)],
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n\
         <SPEI_Tercero FechaOperacion=\"{operation}\" Hora=\"{time}\" ClaveSPEI=\"{receiver}\" \
         sello=\"{seal}\" numeroCertificado=\"{certificate}\" \
         cadenaCDA=\"{chain}{seal}\" claveRastreo=\"{key}\">\r\n\
         \x20   {first}\r\n\
         \x20   {second}\r\n\
         </SPEI_Tercero>",
        operation = details.operation_date,
        time = details.credited_at.format("%H:%M:%S"),
        receiver = order.receiver,
        certificate = certificate.number(),
        chain = escape(chain),
        key = escape(order.tracking_key.as_str()),
        first = children[0],
        second = children[1],
    )
}

fn beneficiary(details: &Details) -> String {
    let party = &details.beneficiary;
    let iva = details
        .iva
        .map(|iva| format!(" IVA=\"{iva}\""))
        .unwrap_or_default();
    format!(
        "<Beneficiario BancoReceptor=\"{}\" {} Concepto=\"{}\"{iva} MontoPago=\"{}\"/>",
        escape(&party.institution),
        attributes(party),
        escape(&details.concept),
        details.amount,
    )
}

fn payer(details: &Details) -> String {
    let party = &details.payer;
    format!(
        "<Ordenante BancoEmisor=\"{}\" {}/>",
        escape(&party.institution),
        attributes(party)
    )
}

fn attributes(party: &Party) -> String {
    format!(
        "Nombre=\"{}\" TipoCuenta=\"{}\" Cuenta=\"{}\" RFC=\"{}\"",
        escape(&party.name),
        party.account_type,
        party.account,
        party.rfc
    )
}

/// Escapes text for double-quoted attributes and for HTML text.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
pub(crate) mod tests;
