//! JSON view of a receipt.

use application::ReceiptAnswer;
use domain::query::Token;
use domain::receipts::{
    MissingField, Place, PortalLink, ReadField, Receipt, ReceiptField, ReceiptNotice,
};
use serde::Serialize;
use utoipa::ToSchema;
use web::Language;
use web::problem::{missing_field_message, receipt_notice_message};

use super::schemas;
use crate::lookups::views::LookupBody;

/// A receipt that was read.
#[derive(Serialize, ToSchema)]
#[schema(as = Receipt)]
pub(crate) struct ReceiptBody {
    /// `true`
    ok: bool,
    #[schema(schema_with = schemas::kind)]
    tipo: &'static str,
    /// The fields that were read. Members without a value are null.
    campos: Fields,
    /// Fields that a lookup needs and that the receipt doesn't tell, in the order in which they are found on it.
    faltan: Vec<Missing>,
    /// Facts that a person should know before the payment is believed.
    avisos: Vec<ReceiptWarning>,
    /// The link to the central bank's portal that the receipt has, mostly as a QR code, for a person to open.
    #[schema(required, nullable)]
    enlace: Option<LinkView>,
    /// The body for `POST /v1/cep/lookups`; null while a field is missing.
    #[schema(required, nullable)]
    solicitud: Option<LookupQuestion>,
    /// The lookup that was stored; null without `lookup=true`, or if the receipt isn't certain, as one without a
    /// tracking key never is.
    #[schema(required, nullable)]
    lookup: Option<LookupBody>,
}

/// The fields of a receipt, each as it was read.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptFields)]
struct Fields {
    /// Date of the transfer, `2026-11-20`.
    #[schema(required, nullable)]
    fecha: Option<FieldView>,
    /// Time of day, `10:53:36`.
    #[schema(required, nullable)]
    hora: Option<FieldView>,
    #[schema(required, nullable)]
    clave_rastreo: Option<FieldView>,
    /// Numeric reference, of at most seven digits.
    #[schema(required, nullable)]
    numero_referencia: Option<FieldView>,
    /// Account of the beneficiary: digits, or masked as `****1234`.
    #[schema(required, nullable)]
    cuenta: Option<FieldView>,
    /// Amount in pesos, `1234.56`.
    #[schema(required, nullable)]
    monto: Option<FieldView>,
    /// Code of the issuing bank.
    #[schema(required, nullable)]
    emisor: Option<FieldView>,
    /// Code of the receiving bank.
    #[schema(required, nullable)]
    receptor: Option<FieldView>,
    #[schema(required, nullable)]
    nombre_beneficiario: Option<FieldView>,
    /// Concept, which the payer wrote.
    #[schema(required, nullable)]
    concepto: Option<FieldView>,
}

/// A field as it was read.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptField)]
struct FieldView {
    /// The value, in the form that requests take.
    valor: String,
    #[schema(schema_with = schemas::confidence)]
    confianza: &'static str,
    /// The text that it was taken from; empty for a bank that the account or the tracking key tells.
    texto: String,
    /// Where the text stands. Null for a text without pages, and for a bank that another field tells.
    #[schema(required, nullable)]
    lugar: Option<PlaceView>,
    /// Other values that the receipt may mean.
    alternativas: Vec<String>,
    /// Characters were replaced by those that look like them, as `O` by `0`.
    corregido: bool,
}

/// A box on a page, in fractions of the page's width and height.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptPlace)]
struct PlaceView {
    /// The page, from 1.
    #[schema(minimum = 1)]
    pagina: usize,
    /// Distance from the left edge, from 0 to 1.
    x: f32,
    /// Distance from the top, from 0 to 1.
    y: f32,
    ancho: f32,
    alto: f32,
}

/// A link to the portal. It tells the issuing bank; the rest of it is encrypted for the portal.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptLink)]
struct LinkView {
    #[schema(format = "uri")]
    url: String,
    /// Code of the issuing bank.
    emisor: String,
    /// The date in the link, `2026-11-20`: often the transfer's.
    #[schema(required, nullable)]
    fecha: Option<String>,
}

/// A field that is missing.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptMissing)]
struct Missing {
    #[schema(schema_with = schemas::field)]
    campo: &'static str,
    #[schema(schema_with = schemas::reason)]
    motivo: &'static str,
    /// A sentence for people: what to look for, in the language that `Accept-Language` prefers.
    mensaje: String,
}

/// A notice about a receipt.
#[derive(Serialize, ToSchema)]
struct ReceiptWarning {
    #[schema(schema_with = schemas::notice)]
    codigo: &'static str,
    /// A sentence for people, in the language that `Accept-Language` prefers.
    mensaje: String,
}

/// The question of a receipt, as a lookup takes it.
#[derive(Serialize, ToSchema)]
#[schema(as = ReceiptQuestion)]
struct LookupQuestion {
    fecha: String,
    /// Absent if the receipt shows none, and a reference number.
    #[serde(skip_serializing_if = "Option::is_none")]
    clave_rastreo: Option<String>,
    /// Absent if there is a tracking key.
    #[serde(skip_serializing_if = "Option::is_none")]
    numero_referencia: Option<String>,
    /// Absent if one of your own accounts completes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cuenta: Option<String>,
    monto: String,
    emisor: String,
    /// Absent if one of your own accounts tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    receptor: Option<String>,
}

impl ReceiptBody {
    pub(crate) fn new(answer: &ReceiptAnswer, language: Language) -> Self {
        let receipt = &answer.receipt;
        let missing = receipt.missing.iter();
        let notices = receipt.notices.iter();
        let lookup = answer.lookup.as_ref();
        Self {
            ok: true,
            tipo: receipt.kind.name(),
            campos: Fields::new(receipt),
            faltan: missing.map(|it| Missing::new(*it, language)).collect(),
            avisos: notices
                .map(|it| ReceiptWarning::new(*it, language))
                .collect(),
            enlace: receipt.link.as_ref().map(LinkView::new),
            solicitud: LookupQuestion::new(receipt),
            lookup: lookup.map(|lookup| LookupBody::new(lookup, language)),
        }
    }
}

impl Fields {
    fn new(receipt: &Receipt) -> Self {
        let view = |field| receipt.field(field).map(FieldView::new);
        Self {
            fecha: view(ReceiptField::Date),
            hora: view(ReceiptField::Time),
            clave_rastreo: view(ReceiptField::TrackingKey),
            numero_referencia: view(ReceiptField::Reference),
            cuenta: view(ReceiptField::Account),
            monto: view(ReceiptField::Amount),
            emisor: view(ReceiptField::Issuer),
            receptor: view(ReceiptField::Receiver),
            nombre_beneficiario: view(ReceiptField::Beneficiary),
            concepto: view(ReceiptField::Concept),
        }
    }
}

impl FieldView {
    fn new(read: &ReadField) -> Self {
        Self {
            valor: read.value.clone(),
            confianza: read.confidence.name(),
            texto: read.text.clone(),
            lugar: read.place.map(PlaceView::new),
            alternativas: read.alternatives.clone(),
            corregido: read.is_corrected,
        }
    }
}

impl PlaceView {
    fn new((page, place): (usize, Place)) -> Self {
        Self {
            pagina: page,
            x: place.x,
            y: place.y,
            ancho: place.width,
            alto: place.height,
        }
    }
}

impl LinkView {
    fn new(link: &PortalLink) -> Self {
        Self {
            url: link.url.to_string(),
            emisor: link.issuer.to_string(),
            fecha: link.date.map(|date| date.to_string()),
        }
    }
}

impl Missing {
    fn new(missing: MissingField, language: Language) -> Self {
        Self {
            campo: missing.field.name(),
            motivo: missing.reason.name(),
            mensaje: missing_field_message(missing, language),
        }
    }
}

impl ReceiptWarning {
    fn new(notice: ReceiptNotice, language: Language) -> Self {
        Self {
            codigo: notice.name(),
            mensaje: receipt_notice_message(notice, language),
        }
    }
}

impl LookupQuestion {
    /// The question; `None` while a field is missing.
    fn new(receipt: &Receipt) -> Option<Self> {
        let query = receipt.query()?;
        let text = |token: &Token<'_>| match token {
            Token::Text(text) => Some(text.to_string()),
            _ => None,
        };
        Some(Self {
            fecha: text(&query.date)?,
            clave_rastreo: text(&query.tracking_key),
            numero_referencia: text(&query.reference),
            cuenta: text(&query.account),
            monto: text(&query.amount)?,
            emisor: text(&query.issuer)?,
            receptor: text(&query.receiver),
        })
    }
}
