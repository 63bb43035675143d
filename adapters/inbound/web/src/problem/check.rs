//! Explanations of the checks of a proof, in the caller's language.

use domain::proofs::check::{Check, CheckName, CheckReason};

use super::catalogue::catalogue;
use crate::language::Language;

pub fn explanation(check: &Check, language: Language) -> String {
    match check.reason {
        Some(reason) => CheckExplanation::from(reason).message(language),
        None => CheckPassed::from(check.name).message(language),
    }
}

catalogue! {
    /// Explanation of a check that passed.
    #[derive(Copy, Eq)]
    pub enum CheckPassed -> CheckName {
        Structure = CheckName::Structure, "check-ok-estructura";
        /// The XML attributes match the original chain.
        Attributes = CheckName::Attributes, "check-ok-atributos";
        /// The PDF's visible text matches the original chain.
        VisibleText = CheckName::VisibleText, "check-ok-texto";
        /// The seal is a valid signature of the original chain.
        Seal = CheckName::Seal, "check-ok-sello";
        /// The seal at the end of the original chain is the same one.
        RepeatedSeal = CheckName::RepeatedSeal, "check-ok-sello-repetido";
        /// The certificate number in the original chain is the same one.
        Certificate = CheckName::Certificate, "check-ok-certificado";
        TrackingKey = CheckName::TrackingKey, "check-ok-clave-rastreo";
        /// The bank's portal returns the same proof.
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
    /// Explanation of a check that failed, or could not be made.
    #[derive(Copy, Eq)]
    pub enum CheckExplanation -> CheckReason {
        /// The file exceeds the size limit.
        TooLarge = CheckReason::TooLarge, "check-archivo-muy-grande";
        Empty = CheckReason::Empty, "check-archivo-vacio";
        /// The file is an invoice (CFDI), the tax authority's format.
        Invoice = CheckReason::Invoice, "check-es-factura";
        Picture = CheckReason::Picture, "check-es-imagen";
        /// The file is from a word processor or a spreadsheet.
        OfficeDocument = CheckReason::OfficeDocument, "check-es-documento-de-office";
        WebPage = CheckReason::WebPage, "check-es-pagina-web";
        Email = CheckReason::Email, "check-es-correo";
        Json = CheckReason::Json, "check-es-json";
        /// The body is a form submission instead of a file.
        Form = CheckReason::Form, "check-es-formulario";
        PlainText = CheckReason::PlainText, "check-es-texto";
        /// The file is compressed in another format than ZIP.
        OtherArchive = CheckReason::OtherArchive, "check-es-otro-archivo-comprimido";
        /// The file is neither XML nor PDF nor ZIP.
        UnknownFormat = CheckReason::UnknownFormat, "check-formato-desconocido";
        DamagedZip = CheckReason::DamagedZip, "check-zip-danado";
        /// The ZIP exceeds the limits on number or size of files.
        ZipTooLarge = CheckReason::ZipTooLarge, "check-zip-muy-grande";
        ZipWithoutProofs = CheckReason::ZipWithoutProofs, "check-zip-sin-comprobantes";
        NestedZip = CheckReason::NestedZip, "check-zip-en-zip";
        EncryptedEntry = CheckReason::EncryptedEntry, "check-archivo-cifrado";
        /// The ZIP entry is damaged, or compressed by another method than Deflate.
        UnreadableEntry = CheckReason::UnreadableEntry, "check-archivo-ilegible";
        /// The ZIP entry's compression ratio is far above a proof's, as in a ZIP bomb.
        TooDeflated = CheckReason::TooDeflated, "check-compresion-excesiva";
        /// The file has far more elements or objects than any proof.
        TooComplex = CheckReason::TooComplex, "check-demasiado-complejo";
        NotUtf8 = CheckReason::NotUtf8, "check-no-es-utf8";
        /// The XML has a DOCTYPE.
        DocumentType = CheckReason::DocumentType, "check-tipo-de-documento";
        NotXml = CheckReason::NotXml, "check-no-es-xml";
        /// The XML's root element isn't a proof's.
        Root = CheckReason::Root, "check-otra-raiz";
        /// An element or attribute is missing.
        Missing = CheckReason::Missing, "check-falta-un-dato";
        Repeated = CheckReason::Repeated, "check-dato-repetido";
        /// An attribute's value can't be parsed.
        Unreadable = CheckReason::Unreadable, "check-dato-ilegible";
        NotPdf = CheckReason::NotPdf, "check-no-es-pdf";
        EncryptedPdf = CheckReason::EncryptedPdf, "check-pdf-cifrado";
        DamagedPdf = CheckReason::DamagedPdf, "check-pdf-danado";
        /// The PDF has no text, such as a scan.
        PdfWithoutText = CheckReason::PdfWithoutText, "check-pdf-sin-texto";
        /// The PDF doesn't show the original chain, the seal and the certificate number as the portal's do.
        PdfWithoutChain = CheckReason::PdfWithoutChain, "check-pdf-sin-cadena";
        /// The file is a receipt of a commercial bank.
        BankReceipt = CheckReason::BankReceipt, "check-comprobante-del-banco";
        /// The file is the portal's report on a payment's state.
        StateReport = CheckReason::StateReport, "check-reporte-de-estado";
        /// The PDF contains several proofs.
        SeveralProofs = CheckReason::SeveralProofs, "check-varios-comprobantes";
        /// The seal is valid, so the named fields were changed.
        FieldsChanged = CheckReason::FieldsChanged, "check-campos-cambiados";
        /// The seal is valid, and so many fields differ that the chain is another payment's.
        ChainOfAnotherPayment = CheckReason::ChainOfAnotherPayment, "check-cadena-de-otro-pago";
        /// The seal is invalid and fields differ: the original chain was changed.
        ChainChanged = CheckReason::ChainChanged, "check-cadena-cambiada";
        /// The seal is invalid and no field differs: chain and fields were changed alike, or the seal is
        /// another proof's.
        SealOfAnotherText = CheckReason::SealOfAnotherText, "check-cadena-y-campos-cambiados-u-otro-sello";
        /// Fields contradict the chain, and it is unknown which is right.
        Contradiction = CheckReason::Contradiction, "check-contradiccion";
        /// A name or the concept contains `|`, so the chain's fields can't be separated with certainty.
        UncertainPlaces = CheckReason::UncertainPlaces, "check-lugares-inciertos";
        /// The XML contains more than the bank writes, and a viewer may show it.
        ForeignContent = CheckReason::ForeignContent, "check-contenido-ajeno";
        /// The named fields are missing from the visible text, or something may cover it.
        PageNotCompared = CheckReason::PageNotCompared, "check-pagina-no-comparada";
        /// No public key is known for the certificate.
        UnknownCertificate = CheckReason::UnknownCertificate, "check-certificado-desconocido";
        /// The certificate number or the seal can't be parsed.
        UnreadableSeal = CheckReason::UnreadableSeal, "check-sello-ilegible";
        /// The seal at the end of the original chain is another one.
        AnotherSeal = CheckReason::AnotherSeal, "check-otro-sello";
        /// The original chain names another certificate.
        AnotherCertificate = CheckReason::AnotherCertificate, "check-otro-certificado";
        /// The seal doesn't cover the tracking key.
        Unsealed = CheckReason::Unsealed, "check-sin-sello";
        /// The tracking key has no bank's format.
        ForeignTrackingKey = CheckReason::ForeignTrackingKey, "check-clave-que-ningun-banco-escribe";
        /// The bank's proof has another amount.
        OtherAmount = CheckReason::OtherAmount, "check-otro-monto";
        /// The bank's proof has another beneficiary.
        OtherBeneficiary = CheckReason::OtherBeneficiary, "check-otro-beneficiario";
        KeyOfAnotherPayment = CheckReason::KeyOfAnotherPayment, "check-clave-de-otro-pago";
        /// The bank's proof differs in other fields.
        OtherData = CheckReason::OtherData, "check-otros-datos";
        UnknownToBank = CheckReason::UnknownToBank, "check-desconocido-para-el-banco";
        /// The bank has no proof of the payment.
        NotIssuedByBank = CheckReason::NotIssuedByBank, "check-sin-comprobante-del-banco";
        PaymentInProcess = CheckReason::PaymentInProcess, "check-pago-en-proceso";
        PaymentReturned = CheckReason::PaymentReturned, "check-pago-devuelto";
        PaymentRejected = CheckReason::PaymentRejected, "check-pago-rechazado";
        PaymentCanceled = CheckReason::PaymentCanceled, "check-pago-cancelado";
        /// The file lacks data that a query to the bank needs.
        NotAskable = CheckReason::NotAskable, "check-faltan-datos-para-consultar";
        /// The ZIP contains proofs of several payments.
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
