//! Fields of a proof, by their names in the JSON.

use crate::variants::named_enum;

named_enum! {
    /// A field of a proof; its name is that of the JSON, as in [`crate::seal::SEALED_FIELDS`].
    pub enum ProofField {
        /// SPEI's payment type, in the chain alone.
        #[strum(serialize = "tipo_pago")]
        PaymentType,
        /// The operation date.
        #[strum(serialize = "fecha_operacion")]
        OperationDate,
        /// The date of the credit.
        #[strum(serialize = "fecha_abono")]
        CreditDate,
        /// The time of the credit.
        #[strum(serialize = "hora_abono")]
        CreditTime,
        /// The receiver's code.
        #[strum(serialize = "receptor.codigo")]
        ReceiverCode,
        /// The issuer's name.
        #[strum(serialize = "emisor.nombre")]
        IssuerName,
        /// The payer's name.
        #[strum(serialize = "ordenante.nombre")]
        PayerName,
        /// The kind of the payer's account.
        #[strum(serialize = "ordenante.tipo_cuenta")]
        PayerAccountType,
        /// The payer's account.
        #[strum(serialize = "ordenante.cuenta")]
        PayerAccount,
        /// The payer's RFC or CURP.
        #[strum(serialize = "ordenante.rfc_curp")]
        PayerTaxId,
        /// The receiver's name.
        #[strum(serialize = "receptor.nombre")]
        ReceiverName,
        /// The payee's name.
        #[strum(serialize = "beneficiario.nombre")]
        BeneficiaryName,
        /// The kind of the payee's account.
        #[strum(serialize = "beneficiario.tipo_cuenta")]
        BeneficiaryAccountType,
        /// The payee's account.
        #[strum(serialize = "beneficiario.cuenta")]
        BeneficiaryAccount,
        /// The payee's RFC or CURP.
        #[strum(serialize = "beneficiario.rfc_curp")]
        BeneficiaryTaxId,
        /// The payer's text.
        #[strum(serialize = "concepto")]
        Concept,
        /// The value added tax.
        #[strum(serialize = "iva")]
        Vat,
        /// The amount.
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
