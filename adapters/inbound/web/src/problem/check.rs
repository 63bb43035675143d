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
        /// The file is empty.
        Empty = CheckReason::Empty, "check-archivo-vacio";
        /// The file is an invoice (CFDI) of the tax authority's.
        Invoice = CheckReason::Invoice, "check-es-factura";
        /// The file is a picture.
        Picture = CheckReason::Picture, "check-es-imagen";
        /// The file is a document of a word processor or a spreadsheet.
        OfficeDocument = CheckReason::OfficeDocument, "check-es-documento-de-office";
        /// The file is a page of a web site.
        WebPage = CheckReason::WebPage, "check-es-pagina-web";
        /// The file is an e-mail.
        Email = CheckReason::Email, "check-es-correo";
        /// The file is JSON.
        Json = CheckReason::Json, "check-es-json";
        /// The body is a form in place of a file.
        Form = CheckReason::Form, "check-es-formulario";
        /// The file is plain text.
        PlainText = CheckReason::PlainText, "check-es-texto";
        /// The file is compressed, and isn't a ZIP.
        OtherArchive = CheckReason::OtherArchive, "check-es-otro-archivo-comprimido";
        /// The file is neither XML nor PDF nor ZIP.
        UnknownFormat = CheckReason::UnknownFormat, "check-formato-desconocido";
        /// The ZIP can't be read.
        DamagedZip = CheckReason::DamagedZip, "check-zip-danado";
        /// The ZIP holds more, or larger, files than are checked.
        ZipTooLarge = CheckReason::ZipTooLarge, "check-zip-muy-grande";
        /// The ZIP holds no proof.
        ZipWithoutProofs = CheckReason::ZipWithoutProofs, "check-zip-sin-comprobantes";
        /// The file is a ZIP within a ZIP.
        NestedZip = CheckReason::NestedZip, "check-zip-en-zip";
        /// The file within a ZIP is encrypted.
        EncryptedEntry = CheckReason::EncryptedEntry, "check-archivo-cifrado";
        /// The file within a ZIP is damaged, or compressed by another method than Deflate.
        UnreadableEntry = CheckReason::UnreadableEntry, "check-archivo-ilegible";
        /// The file within a ZIP is deflated far more than proofs are.
        TooDeflated = CheckReason::TooDeflated, "check-compresion-excesiva";
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
        /// A receipt of a bank.
        BankReceipt = CheckReason::BankReceipt, "check-comprobante-del-banco";
        /// A report on the state of a payment.
        StateReport = CheckReason::StateReport, "check-reporte-de-estado";
        /// Several proofs in one PDF.
        SeveralProofs = CheckReason::SeveralProofs, "check-varios-comprobantes";
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
        /// The XML holds more than a bank writes, which a viewer may show.
        ForeignContent = CheckReason::ForeignContent, "check-contenido-ajeno";
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
        /// No bank writes such a tracking key.
        ForeignTrackingKey = CheckReason::ForeignTrackingKey, "check-clave-que-ningun-banco-escribe";
        /// The bank's proof has another amount.
        OtherAmount = CheckReason::OtherAmount, "check-otro-monto";
        /// The bank's proof has another payee.
        OtherBeneficiary = CheckReason::OtherBeneficiary, "check-otro-beneficiario";
        /// The tracking key is another payment's.
        KeyOfAnotherPayment = CheckReason::KeyOfAnotherPayment, "check-clave-de-otro-pago";
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
        /// The file came with proofs of other payments.
        SeveralPayments = CheckReason::SeveralPayments, "check-varios-pagos-en-zip";
    }
}

impl From<CheckReason> for CheckExplanation {
    fn from(reason: CheckReason) -> Self {
        match reason {
            CheckReason::TooLarge => Self::TooLarge,
            CheckReason::Empty => Self::Empty,
            CheckReason::Invoice => Self::Invoice,
            CheckReason::Picture => Self::Picture,
            CheckReason::OfficeDocument => Self::OfficeDocument,
            CheckReason::WebPage => Self::WebPage,
            CheckReason::Email => Self::Email,
            CheckReason::Json => Self::Json,
            CheckReason::Form => Self::Form,
            CheckReason::PlainText => Self::PlainText,
            CheckReason::OtherArchive => Self::OtherArchive,
            CheckReason::UnknownFormat => Self::UnknownFormat,
            CheckReason::DamagedZip => Self::DamagedZip,
            CheckReason::ZipTooLarge => Self::ZipTooLarge,
            CheckReason::ZipWithoutProofs => Self::ZipWithoutProofs,
            CheckReason::NestedZip => Self::NestedZip,
            CheckReason::EncryptedEntry => Self::EncryptedEntry,
            CheckReason::UnreadableEntry => Self::UnreadableEntry,
            CheckReason::TooDeflated => Self::TooDeflated,
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
            CheckReason::BankReceipt => Self::BankReceipt,
            CheckReason::StateReport => Self::StateReport,
            CheckReason::SeveralProofs => Self::SeveralProofs,
            CheckReason::FieldsChanged => Self::FieldsChanged,
            CheckReason::ChainOfAnotherPayment => Self::ChainOfAnotherPayment,
            CheckReason::ChainChanged => Self::ChainChanged,
            CheckReason::SealOfAnotherText => Self::SealOfAnotherText,
            CheckReason::Contradiction => Self::Contradiction,
            CheckReason::UncertainPlaces => Self::UncertainPlaces,
            CheckReason::ForeignContent => Self::ForeignContent,
            CheckReason::PageNotCompared => Self::PageNotCompared,
            CheckReason::UnknownCertificate => Self::UnknownCertificate,
            CheckReason::UnreadableSeal => Self::UnreadableSeal,
            CheckReason::AnotherSeal => Self::AnotherSeal,
            CheckReason::AnotherCertificate => Self::AnotherCertificate,
            CheckReason::Unsealed => Self::Unsealed,
            CheckReason::ForeignTrackingKey => Self::ForeignTrackingKey,
            CheckReason::OtherAmount => Self::OtherAmount,
            CheckReason::OtherBeneficiary => Self::OtherBeneficiary,
            CheckReason::KeyOfAnotherPayment => Self::KeyOfAnotherPayment,
            CheckReason::OtherData => Self::OtherData,
            CheckReason::UnknownToBank => Self::UnknownToBank,
            CheckReason::NotIssuedByBank => Self::NotIssuedByBank,
            CheckReason::PaymentInProcess => Self::PaymentInProcess,
            CheckReason::PaymentReturned => Self::PaymentReturned,
            CheckReason::PaymentRejected => Self::PaymentRejected,
            CheckReason::PaymentCanceled => Self::PaymentCanceled,
            CheckReason::NotAskable => Self::NotAskable,
            CheckReason::SeveralPayments => Self::SeveralPayments,
        }
    }
}
