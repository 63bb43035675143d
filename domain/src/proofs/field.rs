//! The table of a proof's fields: their names in the JSON, and their places in the original chain, the XML
//! and the printed page.

use crate::variants::named_enum;

named_enum! {
    /// A field of a proof, named as in the JSON. The fields of the original chain come first, in its order.
    pub enum ProofField {
        /// SPEI's payment type, which only the original chain has.
        #[strum(serialize = "tipo_pago")]
        PaymentType,
        /// Banking day to which SPEI assigns the payment.
        #[strum(serialize = "fecha_operacion")]
        OperationDate,
        /// Calendar date of the credit in Mexico City.
        #[strum(serialize = "fecha_abono")]
        CreditDate,
        /// Time of the credit in Mexico City.
        #[strum(serialize = "hora_abono")]
        CreditTime,
        /// Code of the receiving institution.
        #[strum(serialize = "receptor.codigo")]
        ReceiverCode,
        /// Name of the issuing institution.
        #[strum(serialize = "emisor.nombre")]
        IssuerName,
        /// The payer's name.
        #[strum(serialize = "ordenante.nombre")]
        PayerName,
        /// Type of the payer's account: CLABE, card or phone.
        #[strum(serialize = "ordenante.tipo_cuenta")]
        PayerAccountType,
        /// Number of the payer's account.
        #[strum(serialize = "ordenante.cuenta")]
        PayerAccount,
        /// The payer's RFC or CURP.
        #[strum(serialize = "ordenante.rfc_curp")]
        PayerTaxId,
        /// Name of the receiving institution.
        #[strum(serialize = "receptor.nombre")]
        ReceiverName,
        /// The payee's name.
        #[strum(serialize = "beneficiario.nombre")]
        BeneficiaryName,
        /// Type of the payee's account: CLABE, card or phone.
        #[strum(serialize = "beneficiario.tipo_cuenta")]
        BeneficiaryAccountType,
        /// Number of the payee's account.
        #[strum(serialize = "beneficiario.cuenta")]
        BeneficiaryAccount,
        /// The payee's RFC or CURP.
        #[strum(serialize = "beneficiario.rfc_curp")]
        BeneficiaryTaxId,
        /// Free text written by the payer.
        #[strum(serialize = "concepto")]
        Concept,
        /// Value added tax in pesos.
        #[strum(serialize = "iva")]
        Vat,
        /// Amount of the payment in pesos.
        #[strum(serialize = "monto")]
        Amount,
        /// The tracking key, which no seal covers.
        #[strum(serialize = "clave_rastreo")]
        TrackingKey,
    }
}

/// Number of fields that the seal covers, which all versions of the original chain have.
pub(crate) const SEALED: usize = ProofField::TrackingKey as usize;

/// Names of the elements of the XML.
pub(crate) const ROOT: &str = "SPEI_Tercero";
pub(crate) const PAYER: &str = "Ordenante";
pub(crate) const BENEFICIARY: &str = "Beneficiario";

/// Kind of a field's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Date,
    Time,
    Participant,
    Centavos,
    Text,
    /// A text that is taken as it is, with blanks around it.
    Verbatim,
}

/// Occurrence of a field outside the original chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// Each proof has a value.
    Required,
    /// Banks leave the value out if they don't know it.
    Optional,
    /// Banks may leave the value out even if the chain has it.
    Omittable,
}

/// A label's text in lower case: the whole text or its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wording {
    Is(&'static str),
    Begins(&'static str),
}

/// Horizontal position of a value on the portal's page.
#[derive(Clone, Copy)]
pub(crate) enum Align {
    /// Left-aligned: starts at the first position and ends before the second.
    Left(f32, f32),
    /// Right-aligned: starts after the first position and ends at the second.
    Right(f32, f32),
}

/// Label and position of a field on the printed page.
#[derive(Clone, Copy)]
pub(crate) struct Printed {
    /// The portal's labels, and those of the sandbox that differ. Two fields with the same labels are
    /// those of the payer, on the left, and of the beneficiary, on the right.
    pub(crate) labels: &'static [Wording],
    /// Column on the portal's page.
    pub(crate) align: Align,
    /// Height of the base line of a single-line value on the portal's page.
    pub(crate) y: f32,
}

/// Left and right edges of the columns of values, measured on a recorded page of 595 by 850 points.
const DATES: Align = Align::Left(199.0, 331.0);
const CONCEPTS: Align = Align::Left(111.0, 331.0);
pub(crate) const AMOUNTS: Align = Align::Right(400.0, 572.0);
const OF_PAYER: Align = Align::Left(153.0, 303.0);
const OF_BENEFICIARY: Align = Align::Left(435.0, 576.0);

use Wording::{Begins, Is};

/// Labels of fields that both parties have.
const NAMES: &[Wording] = &[Is("titular de la cuenta")];
const TAX_IDS: &[Wording] = &[Is("rfc/curp"), Is("rfc o curp")];
const ACCOUNTS: &[Wording] = &[
    Is("clabe"),
    Is("clabe,tarjeta de débito,número"),
    Is("tarjeta de débito"),
    Is("número de celular"),
    Is("cuenta"),
];

/// Row of the table.
#[derive(Clone, Copy)]
struct Row {
    kind: Kind,
    presence: Presence,
    /// Element and attribute of the XML.
    attribute: Option<(&'static str, &'static str)>,
    printed: Option<Printed>,
}

const fn row(kind: Kind) -> Row {
    Row {
        kind,
        presence: Presence::Optional,
        attribute: None,
        printed: None,
    }
}

impl Row {
    const fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    const fn omittable(mut self) -> Self {
        self.presence = Presence::Omittable;
        self
    }

    const fn attribute(mut self, element: &'static str, name: &'static str) -> Self {
        self.attribute = Some((element, name));
        self
    }

    const fn printed(mut self, labels: &'static [Wording], align: Align, y: f32) -> Self {
        self.printed = Some(Printed { labels, align, y });
        self
    }
}

impl ProofField {
    /// Fields that no seal covers.
    pub const UNSEALED: [Self; Self::ALL.len() - SEALED] = *Self::ALL
        .last_chunk()
        .expect("there are more fields than sealed ones");

    const fn row(self) -> Row {
        match self {
            Self::PaymentType => row(Kind::Number),
            Self::OperationDate => row(Kind::Date)
                .required()
                .attribute(ROOT, "FechaOperacion")
                .printed(&[Begins("fecha de operación en el spei")], DATES, 765.66),
            Self::CreditDate => row(Kind::Date).required().printed(
                &[Begins("fecha de abono en la cuenta")],
                DATES,
                747.66,
            ),
            Self::CreditTime => row(Kind::Time).required().attribute(ROOT, "Hora").printed(
                &[
                    Is("hora de abono en la cuenta beneficiaria*"),
                    Is("hora de abono"),
                ],
                DATES,
                727.66,
            ),
            Self::ReceiverCode => row(Kind::Participant)
                .required()
                .attribute(ROOT, "ClaveSPEI"),
            Self::IssuerName => row(Kind::Text).attribute(PAYER, "BancoEmisor").printed(
                &[Is("institución emisora del pago")],
                OF_PAYER,
                651.66,
            ),
            Self::PayerName => row(Kind::Text)
                .attribute(PAYER, "Nombre")
                .printed(NAMES, OF_PAYER, 628.66),
            Self::PayerAccountType => row(Kind::Number).attribute(PAYER, "TipoCuenta"),
            Self::PayerAccount => row(Kind::Text)
                .attribute(PAYER, "Cuenta")
                .printed(ACCOUNTS, OF_PAYER, 581.66),
            Self::PayerTaxId => row(Kind::Text)
                .attribute(PAYER, "RFC")
                .printed(TAX_IDS, OF_PAYER, 602.66),
            Self::ReceiverName => row(Kind::Text)
                .attribute(BENEFICIARY, "BancoReceptor")
                .printed(
                    &[Is("institución receptora del pago")],
                    OF_BENEFICIARY,
                    650.66,
                ),
            Self::BeneficiaryName => row(Kind::Text).attribute(BENEFICIARY, "Nombre").printed(
                NAMES,
                OF_BENEFICIARY,
                628.66,
            ),
            Self::BeneficiaryAccountType => row(Kind::Number).attribute(BENEFICIARY, "TipoCuenta"),
            Self::BeneficiaryAccount => row(Kind::Text).attribute(BENEFICIARY, "Cuenta").printed(
                ACCOUNTS,
                OF_BENEFICIARY,
                581.66,
            ),
            Self::BeneficiaryTaxId => row(Kind::Text).attribute(BENEFICIARY, "RFC").printed(
                TAX_IDS,
                OF_BENEFICIARY,
                601.66,
            ),
            Self::Concept => row(Kind::Text).attribute(BENEFICIARY, "Concepto").printed(
                &[Is("concepto del pago")],
                CONCEPTS,
                709.7,
            ),
            Self::Vat => row(Kind::Centavos)
                .omittable()
                .attribute(BENEFICIARY, "IVA")
                .printed(&[Is("iva")], AMOUNTS, 747.66),
            Self::Amount => row(Kind::Centavos)
                .required()
                .attribute(BENEFICIARY, "MontoPago")
                .printed(&[Is("monto")], AMOUNTS, 765.66),
            Self::TrackingKey => row(Kind::Verbatim)
                .required()
                .attribute(ROOT, "claveRastreo")
                .printed(&[Is("clave de rastreo")], AMOUNTS, 708.66),
        }
    }

    /// Fields that the seal covers, in the order of the original chain.
    pub fn sealed() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().take(SEALED)
    }

    /// Position in the original chain, where 0 is the first field after the leading `||`; `None` for a
    /// field that no seal covers.
    pub(crate) fn place(self) -> Option<usize> {
        let place = self as usize;
        (place < SEALED).then_some(place)
    }

    pub(crate) fn kind(self) -> Kind {
        self.row().kind
    }

    /// Returns `true` if any text is a value.
    pub(crate) fn is_text(self) -> bool {
        matches!(self.kind(), Kind::Text | Kind::Verbatim)
    }

    /// Returns `true` if each proof has a value.
    pub(crate) fn is_required(self) -> bool {
        self.row().presence == Presence::Required
    }

    /// Returns `true` if banks may leave the value out even if the chain has it.
    pub(crate) fn is_omittable(self) -> bool {
        self.row().presence == Presence::Omittable
    }

    /// Element and attribute in the XML; `None` if the XML has it in the chain alone.
    pub(crate) fn attribute(self) -> Option<(&'static str, &'static str)> {
        self.row().attribute
    }

    /// Label and position on the printed page; `None` if the page doesn't show it.
    pub(crate) fn printed(self) -> Option<Printed> {
        self.row().printed
    }
}
