//! Known headers of columns, in Spanish and English.

use super::column::Column;
use crate::folding;

/// Words that don't change a header's meaning.
const FILLERS: [&str; 22] = [
    "de", "del", "la", "las", "el", "los", "en", "a", "the", "of", "to", "no", "num", "nro",
    "numero", "number", "mxn", "mn", "pesos", "spei", "n", "nº",
];

const DATE: &[&str] = &[
    "fecha",
    "fechaoperacion",
    "fechapago",
    "fechatransferencia",
    "fechaabono",
    "fechacredito",
    "fechadeposito",
    "fechaenvio",
    "fechamovimiento",
    "fechatransaccion",
    "date",
    "paymentdate",
    "transferdate",
    "transactiondate",
    "operationdate",
    "creditdate",
];
const TRACKING_KEY: &[&str] = &[
    "claverastreo",
    "rastreo",
    "cverastreo",
    "cvrastreo",
    "codigorastreo",
    "trackingkey",
    "tracking",
    "trackingcode",
    "trackingid",
];
/// A bare *Referencia* is mostly a number of the bank or of the caller, so these are compared with all words of a
/// header.
const REFERENCE: &[&str] = &[
    "numeroreferencia",
    "numerodereferencia",
    "noreferencia",
    "noreferenciaspei",
    "nodereferencia",
    "numreferencia",
    "numdereferencia",
    "referencianumerica",
    "referencianumericaspei",
    "refnumerica",
    "numericreference",
    "referencenumber",
];
const ACCOUNT: &[&str] = &[
    "cuenta",
    "clabe",
    "cuentaclabe",
    "clabeinterbancaria",
    "cuentaclabeinterbancaria",
    "cuentabeneficiaria",
    "cuentabeneficiario",
    "cuentaclabebeneficiario",
    "cuentaclabebeneficiaria",
    "clabebeneficiario",
    "clabebeneficiaria",
    "cuentadestino",
    "clabedestino",
    "cuentaclabedestino",
    "cuentaabono",
    "cuentareceptor",
    "cuentareceptora",
    "account",
    "beneficiaryaccount",
    "recipientaccount",
    "destinationaccount",
    "receiveraccount",
    "creditaccount",
];
const AMOUNT: &[&str] = &[
    "monto",
    "importe",
    "cantidad",
    "montopago",
    "importepago",
    "montooperacion",
    "importeoperacion",
    "montotransferencia",
    "importetransferencia",
    "montoabono",
    "importeabono",
    "amount",
    "paymentamount",
    "transferamount",
    "transactionamount",
];
const ISSUER: &[&str] = &[
    "emisor",
    "bancoemisor",
    "institucionemisora",
    "entidademisora",
    "bancoordenante",
    "institucionordenante",
    "bancoorigen",
    "codigoemisor",
    "claveemisor",
    "codigobancoemisor",
    "clavebancoemisor",
    "issuer",
    "issuingbank",
    "issuerbank",
    "senderbank",
    "sendingbank",
    "originbank",
    "sourcebank",
];
const RECEIVER: &[&str] = &[
    "receptor",
    "bancoreceptor",
    "institucionreceptora",
    "entidadreceptora",
    "bancobeneficiario",
    "institucionbeneficiaria",
    "bancodestino",
    "codigoreceptor",
    "clavereceptor",
    "codigobancoreceptor",
    "clavebancoreceptor",
    "receiver",
    "receivingbank",
    "receiverbank",
    "beneficiarybank",
    "recipientbank",
    "destinationbank",
];
const ID: &[&str] = &[
    "id",
    "folio",
    "foliointerno",
    "referenciainterna",
    "referenciacliente",
    "identificador",
    "identificadorinterno",
    "idinterno",
    "idpago",
    "internalid",
    "internalreference",
    "externalid",
    "clientreference",
    "customerreference",
    "paymentid",
];

const TEXT: &[&str] = &[
    "texto",
    "concepto",
    "conceptopago",
    "descripcion",
    "descripcionmovimiento",
    "detalle",
    "detallemovimiento",
    "movimiento",
    "description",
    "details",
];
const CHARGE: &[&str] = &[
    "cargo",
    "cargos",
    "retiro",
    "retiros",
    "debito",
    "debitos",
    "debe",
    "egreso",
    "egresos",
    "debit",
    "withdrawal",
];
const CREDIT: &[&str] = &[
    "abono",
    "abonos",
    "deposito",
    "depositos",
    "credito",
    "creditos",
    "haber",
    "ingreso",
    "ingresos",
    "credit",
    "deposit",
];

/// The column that a header names; `None` if it is unknown.
pub(super) fn column(header: &str) -> Option<Column> {
    if REFERENCE.contains(&&*words(header).concat()) {
        return Some(Column::Reference);
    }
    let folded = fold(header);
    let mut columns = Column::ALL.into_iter().chain(Column::OF_STATEMENTS);
    columns.find(|column| names(*column).contains(&&*folded))
}

fn names(column: Column) -> &'static [&'static str] {
    match column {
        Column::Date => DATE,
        Column::TrackingKey => TRACKING_KEY,
        Column::Account => ACCOUNT,
        Column::Amount => AMOUNT,
        Column::Issuer => ISSUER,
        Column::Receiver => RECEIVER,
        Column::Id => ID,
        Column::Text => TEXT,
        Column::Charge => CHARGE,
        Column::Credit => CREDIT,
        Column::Reference | Column::State | Column::Seal | Column::Lookup => &[],
    }
}

/// Returns `true` if two headers are equal except for case, accents and punctuation.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    words(one) == words(other)
}

/// A header's normalised words without [`FILLERS`], concatenated.
fn fold(header: &str) -> String {
    let mut words = words(header);
    words.retain(|word| !FILLERS.contains(&&**word));
    words.concat()
}

/// A header's words in lower case without accents; any character other than a letter or digit separates
/// words.
pub(super) fn words(header: &str) -> Vec<String> {
    let mut folded = String::with_capacity(header.len());
    for c in folding::folded(header) {
        folded.push(match c {
            c if c.is_alphanumeric() => c.to_ascii_lowercase(),
            _ => ' ',
        });
    }
    folded.split_whitespace().map(str::to_owned).collect()
}
