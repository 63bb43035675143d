//! Fields of a proof, named as in the JSON.

use crate::variants::named_enum;

named_enum! {
    /// A field of a proof, named as in the JSON and in [`crate::seals::SEALED_FIELDS`].
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

impl ProofField {
    /// Fields of the payer, in the order of the original chain.
    pub(crate) const OF_PAYER: [Self; 5] = [
        Self::IssuerName,
        Self::PayerName,
        Self::PayerAccountType,
        Self::PayerAccount,
        Self::PayerTaxId,
    ];
    /// Fields of the payee, in the order of the original chain.
    pub(crate) const OF_BENEFICIARY: [Self; 5] = [
        Self::ReceiverName,
        Self::BeneficiaryName,
        Self::BeneficiaryAccountType,
        Self::BeneficiaryAccount,
        Self::BeneficiaryTaxId,
    ];
}
