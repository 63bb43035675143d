//! Explanations of checks of a proof, in the language of their reader.

use domain::check::{Check, CheckName, CheckReason};

use super::catalogue::catalogue;
use crate::language::Language;

/// The explanation of a check's result.
pub fn explanation(check: &Check, language: Language) -> String {
    match check.reason {
        Some(reason) => CheckExplanation::from(reason).message(language),
        None => CheckPassed::from(check.name).message(language),
    }
}

catalogue! {
    /// Explanation of a check that is `ok`.
    #[derive(Copy, Eq)]
    pub enum CheckPassed -> CheckName {
        /// The file is a proof.
        Structure = CheckName::Structure, "check-ok-estructura";
        /// The attributes agree with the chain.
        Attributes = CheckName::Attributes, "check-ok-atributos";
        /// The visible text agrees with the chain.
        VisibleText = CheckName::VisibleText, "check-ok-texto";
        /// The seal is good.
        Seal = CheckName::Seal, "check-ok-sello";
        /// The chain repeats the seal.
        RepeatedSeal = CheckName::RepeatedSeal, "check-ok-sello-repetido";
        /// The chain names the certificate.
        Certificate = CheckName::Certificate, "check-ok-certificado";
        /// The tracking key is right.
        TrackingKey = CheckName::TrackingKey, "check-ok-clave-rastreo";
        /// The bank issues the same proof.
        Portal = CheckName::Portal, "check-ok-portal";
    }
}

impl From<CheckName> for CheckPassed {
    fn from(name: CheckName) -> Self {
        match name {
            CheckName::Structure => Self::Structure,
            CheckName::Attributes => Self::Attributes,
            CheckName::VisibleText => Self::VisibleText,
            CheckName::Seal => Self::Seal,
            CheckName::RepeatedSeal => Self::RepeatedSeal,
            CheckName::Certificate => Self::Certificate,
            CheckName::TrackingKey => Self::TrackingKey,
            CheckName::Portal => Self::Portal,
        }
    }
}

catalogue! {
    /// Explanation of a check that isn't `ok`.
    #[derive(Copy, Eq)]
    pub enum CheckExplanation -> CheckReason {
        /// The file has more than a proof may have.
        TooLarge = CheckReason::TooLarge, "check-archivo-muy-grande";
        /// The file has far more parts than any proof.
        TooComplex = CheckReason::TooComplex, "check-demasiado-complejo";
        /// The XML isn't UTF-8.
        NotUtf8 = CheckReason::NotUtf8, "check-no-es-utf8";
        /// The XML declares a document type.
        DocumentType = CheckReason::DocumentType, "check-tipo-de-documento";
        /// The file isn't well-formed XML.
        NotXml = CheckReason::NotXml, "check-no-es-xml";
        /// The XML's root element isn't a proof's.
        Root = CheckReason::Root, "check-otra-raiz";
        /// An element or attribute is missing.
        Missing = CheckReason::Missing, "check-falta-un-dato";
        /// An element is repeated.
        Repeated = CheckReason::Repeated, "check-dato-repetido";
        /// An attribute can't be read.
        Unreadable = CheckReason::Unreadable, "check-dato-ilegible";
        /// The file isn't a PDF.
        NotPdf = CheckReason::NotPdf, "check-no-es-pdf";
        /// The PDF is encrypted.
        EncryptedPdf = CheckReason::EncryptedPdf, "check-pdf-cifrado";
        /// The PDF is damaged.
        DamagedPdf = CheckReason::DamagedPdf, "check-pdf-danado";
        /// The PDF has no text, as one made from a picture.
        PdfWithoutText = CheckReason::PdfWithoutText, "check-pdf-sin-texto";
        /// The PDF doesn't print the original chain, the seal and the certificate number as the
        /// portal's does.
        PdfWithoutChain = CheckReason::PdfWithoutChain, "check-pdf-sin-cadena";
        /// The seal is valid, so the named fields were changed.
        FieldsChanged = CheckReason::FieldsChanged, "check-campos-cambiados";
        /// The seal is valid, and so many fields contradict that the chain is another payment's.
        ChainOfAnotherPayment = CheckReason::ChainOfAnotherPayment, "check-cadena-de-otro-pago";
        /// The seal is invalid, and fields contradict: the original chain was changed.
        ChainChanged = CheckReason::ChainChanged, "check-cadena-cambiada";
        /// The seal is invalid, and no field contradicts: the chain and the fields were changed
        /// alike, or the seal is another proof's.
        SealOfAnotherText = CheckReason::SealOfAnotherText, "check-cadena-y-campos-cambiados-u-otro-sello";
        /// Fields contradict the chain, and nothing tells which of them is true.
        Contradiction = CheckReason::Contradiction, "check-contradiccion";
        /// A `|` in a name or the concept, so the places of the chain's fields are uncertain.
        UncertainPlaces = CheckReason::UncertainPlaces, "check-lugares-inciertos";
        /// The named fields are missing from the visible text, or it may be covered.
        PageNotCompared = CheckReason::PageNotCompared, "check-pagina-no-comparada";
        /// No key is known for the certificate.
        UnknownCertificate = CheckReason::UnknownCertificate, "check-certificado-desconocido";
        /// The certificate number or the seal can't be read.
        UnreadableSeal = CheckReason::UnreadableSeal, "check-sello-ilegible";
        /// The seal at the end of the original chain is another one.
        AnotherSeal = CheckReason::AnotherSeal, "check-otro-sello";
        /// The original chain names another certificate.
        AnotherCertificate = CheckReason::AnotherCertificate, "check-otro-certificado";
        /// No seal covers it.
        Unsealed = CheckReason::Unsealed, "check-sin-sello";
        /// The bank's proof has another amount.
        OtherAmount = CheckReason::OtherAmount, "check-otro-monto";
        /// The bank's proof has another payee.
        OtherBeneficiary = CheckReason::OtherBeneficiary, "check-otro-beneficiario";
        /// The bank's proof differs in other fields.
        OtherData = CheckReason::OtherData, "check-otros-datos";
        /// The bank knows no such payment.
        UnknownToBank = CheckReason::UnknownToBank, "check-desconocido-para-el-banco";
        /// The bank has no proof of the payment.
        NotIssuedByBank = CheckReason::NotIssuedByBank, "check-sin-comprobante-del-banco";
        /// The payment, or its return, is still in process.
        PaymentInProcess = CheckReason::PaymentInProcess, "check-pago-en-proceso";
        /// The payment was returned.
        PaymentReturned = CheckReason::PaymentReturned, "check-pago-devuelto";
        /// The payment was rejected.
        PaymentRejected = CheckReason::PaymentRejected, "check-pago-rechazado";
        /// The payment was canceled.
        PaymentCanceled = CheckReason::PaymentCanceled, "check-pago-cancelado";
        /// The file doesn't say enough to ask the bank.
        NotAskable = CheckReason::NotAskable, "check-faltan-datos-para-consultar";
    }
}

impl From<CheckReason> for CheckExplanation {
    fn from(reason: CheckReason) -> Self {
        match reason {
            CheckReason::TooLarge => Self::TooLarge,
            CheckReason::TooComplex => Self::TooComplex,
            CheckReason::NotUtf8 => Self::NotUtf8,
            CheckReason::DocumentType => Self::DocumentType,
            CheckReason::NotXml => Self::NotXml,
            CheckReason::Root => Self::Root,
            CheckReason::Missing => Self::Missing,
            CheckReason::Repeated => Self::Repeated,
            CheckReason::Unreadable => Self::Unreadable,
            CheckReason::NotPdf => Self::NotPdf,
            CheckReason::EncryptedPdf => Self::EncryptedPdf,
            CheckReason::DamagedPdf => Self::DamagedPdf,
            CheckReason::PdfWithoutText => Self::PdfWithoutText,
            CheckReason::PdfWithoutChain => Self::PdfWithoutChain,
            CheckReason::FieldsChanged => Self::FieldsChanged,
            CheckReason::ChainOfAnotherPayment => Self::ChainOfAnotherPayment,
            CheckReason::ChainChanged => Self::ChainChanged,
            CheckReason::SealOfAnotherText => Self::SealOfAnotherText,
            CheckReason::Contradiction => Self::Contradiction,
            CheckReason::UncertainPlaces => Self::UncertainPlaces,
            CheckReason::PageNotCompared => Self::PageNotCompared,
            CheckReason::UnknownCertificate => Self::UnknownCertificate,
            CheckReason::UnreadableSeal => Self::UnreadableSeal,
            CheckReason::AnotherSeal => Self::AnotherSeal,
            CheckReason::AnotherCertificate => Self::AnotherCertificate,
            CheckReason::Unsealed => Self::Unsealed,
            CheckReason::OtherAmount => Self::OtherAmount,
            CheckReason::OtherBeneficiary => Self::OtherBeneficiary,
            CheckReason::OtherData => Self::OtherData,
            CheckReason::UnknownToBank => Self::UnknownToBank,
            CheckReason::NotIssuedByBank => Self::NotIssuedByBank,
            CheckReason::PaymentInProcess => Self::PaymentInProcess,
            CheckReason::PaymentReturned => Self::PaymentReturned,
            CheckReason::PaymentRejected => Self::PaymentRejected,
            CheckReason::PaymentCanceled => Self::PaymentCanceled,
            CheckReason::NotAskable => Self::NotAskable,
        }
    }
}
