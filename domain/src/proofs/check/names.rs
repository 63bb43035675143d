//! Names of checks, results and reasons in the APIs.

use crate::seals::SealVerdict;
use crate::variants::named_enum;

named_enum! {
    /// A check of a file. The serialized names are those of the APIs.
    pub enum CheckName {
        /// The file has the structure of a proof.
        #[strum(serialize = "estructura")]
        Structure,
        /// The attributes of an XML agree with its original chain.
        #[strum(serialize = "atributos_y_cadena")]
        Attributes,
        /// The visible text of a PDF agrees with its original chain.
        #[strum(serialize = "texto_y_cadena")]
        VisibleText,
        /// The seal is the receiving institution's signature of the original chain.
        #[strum(serialize = "sello")]
        Seal,
        /// The end of the original chain repeats the seal.
        #[strum(serialize = "sello_repetido")]
        RepeatedSeal,
        /// The certificate number in the original chain is the one given outside the chain.
        #[strum(serialize = "certificado")]
        Certificate,
        /// The tracking key. No seal covers it, so only the bank's record can confirm it.
        #[strum(serialize = "clave_rastreo")]
        TrackingKey,
        /// The bank's own proof is the same; checked only if the bank was queried.
        #[strum(serialize = "portal")]
        Portal,
    }
}

named_enum! {
    /// Result of one check.
    pub enum CheckResult {
        /// The check passed.
        Ok,
        /// The check found an error.
        Failed,
        /// The check could not be made.
        NotChecked,
    }
}

named_enum! {
    /// Reason of a [`CheckResult`] that isn't `ok`, by its name in the APIs.
    pub enum CheckReason {
        /// The file has more than [`MAX_FILE_BYTES`](super::MAX_FILE_BYTES).
        #[strum(serialize = "archivo_muy_grande")]
        TooLarge,
        /// The file is empty.
        #[strum(serialize = "archivo_vacio")]
        Empty,
        /// The file is an electronic invoice (CFDI).
        #[strum(serialize = "es_factura")]
        Invoice,
        /// The file is a picture.
        #[strum(serialize = "es_imagen")]
        Picture,
        /// The file is a word-processor document or a spreadsheet.
        #[strum(serialize = "es_documento_de_office")]
        OfficeDocument,
        /// The file is an HTML page.
        #[strum(serialize = "es_pagina_web")]
        WebPage,
        /// The file is an e-mail.
        #[strum(serialize = "es_correo")]
        Email,
        /// The file is JSON.
        #[strum(serialize = "es_json")]
        Json,
        /// The body is an HTML form instead of a file.
        #[strum(serialize = "es_formulario")]
        Form,
        /// The file is plain text.
        #[strum(serialize = "es_texto")]
        PlainText,
        /// The file is compressed, and isn't a ZIP.
        #[strum(serialize = "es_otro_archivo_comprimido")]
        OtherArchive,
        /// The file is neither XML nor PDF nor ZIP.
        #[strum(serialize = "formato_desconocido")]
        UnknownFormat,
        /// The ZIP can't be read.
        #[strum(serialize = "zip_danado")]
        DamagedZip,
        /// The ZIP has too many files, or its files are too large together.
        #[strum(serialize = "zip_muy_grande")]
        ZipTooLarge,
        /// The ZIP holds no proof.
        #[strum(serialize = "zip_sin_comprobantes")]
        ZipWithoutProofs,
        /// The file is a ZIP within a ZIP.
        #[strum(serialize = "zip_en_zip")]
        NestedZip,
        /// The file within a ZIP is encrypted.
        #[strum(serialize = "archivo_cifrado")]
        EncryptedEntry,
        /// The file within a ZIP is damaged, or compressed by another method than Deflate.
        #[strum(serialize = "archivo_ilegible")]
        UnreadableEntry,
        /// The compression ratio of the file within a ZIP is far higher than a proof's.
        #[strum(serialize = "compresion_excesiva")]
        TooDeflated,
        /// The file has far more elements, objects or fields than any proof.
        #[strum(serialize = "demasiado_complejo")]
        TooComplex,
        /// The XML isn't UTF-8.
        #[strum(serialize = "no_es_utf8")]
        NotUtf8,
        /// The XML declares a document type.
        #[strum(serialize = "tipo_de_documento")]
        DocumentType,
        /// The file isn't well-formed XML.
        #[strum(serialize = "no_es_xml")]
        NotXml,
        /// The XML's root element isn't a proof's.
        #[strum(serialize = "otra_raiz")]
        Root,
        /// An element or attribute is missing.
        #[strum(serialize = "falta_un_dato")]
        Missing,
        /// An element is repeated.
        #[strum(serialize = "dato_repetido")]
        Repeated,
        /// An attribute can't be read.
        #[strum(serialize = "dato_ilegible")]
        Unreadable,
        /// The file isn't a PDF.
        #[strum(serialize = "no_es_pdf")]
        NotPdf,
        /// The PDF is encrypted.
        #[strum(serialize = "pdf_cifrado")]
        EncryptedPdf,
        /// The PDF is damaged.
        #[strum(serialize = "pdf_danado")]
        DamagedPdf,
        /// The PDF has no text, as one made from a picture.
        #[strum(serialize = "pdf_sin_texto")]
        PdfWithoutText,
        /// The PDF doesn't print the original chain, the seal and the certificate number as the
        /// portal's does.
        #[strum(serialize = "pdf_sin_cadena")]
        PdfWithoutChain,
        /// The PDF is a receipt that a bank gives to its customer.
        #[strum(serialize = "comprobante_del_banco")]
        BankReceipt,
        /// The PDF is the portal's report on the state of a payment.
        #[strum(serialize = "reporte_de_estado")]
        StateReport,
        /// The PDF has more than one proof.
        #[strum(serialize = "varios_comprobantes")]
        SeveralProofs,
        /// The seal is valid but the named fields contradict the chain: the fields were changed.
        #[strum(serialize = "campos_cambiados")]
        FieldsChanged,
        /// The seal is valid, but so many fields contradict the chain that it belongs to another
        /// payment.
        #[strum(serialize = "cadena_de_otro_pago")]
        ChainOfAnotherPayment,
        /// The seal is invalid, and fields contradict: the original chain was changed.
        #[strum(serialize = "cadena_cambiada")]
        ChainChanged,
        /// The seal is invalid, and no field contradicts: the chain and the fields were changed
        /// alike, or the seal is another proof's.
        #[strum(serialize = "cadena_y_campos_cambiados_u_otro_sello")]
        SealOfAnotherText,
        /// Fields contradict the chain; it is unknown which of the two is right.
        #[strum(serialize = "contradiccion")]
        Contradiction,
        /// A name or the concept holds a `|`, so the positions of the chain's fields are uncertain.
        #[strum(serialize = "lugares_inciertos")]
        UncertainPlaces,
        /// The XML has content that banks don't write and that a viewer may show.
        #[strum(serialize = "contenido_ajeno")]
        ForeignContent,
        /// The page isn't drawn as the portal draws it, so what it shows wasn't compared; the named
        /// fields are missing from it.
        #[strum(serialize = "pagina_no_comparada")]
        PageNotCompared,
        /// No key is known for the certificate.
        #[strum(serialize = "certificado_desconocido")]
        UnknownCertificate,
        /// The central bank's validator rejects the file.
        #[strum(serialize = "sello_rechazado_por_banxico")]
        RefusedByValidator,
        /// The certificate number or the seal can't be read.
        #[strum(serialize = "sello_ilegible")]
        UnreadableSeal,
        /// The seal at the end of the original chain differs from the one given outside it.
        #[strum(serialize = "otro_sello")]
        AnotherSeal,
        /// The original chain names another certificate.
        #[strum(serialize = "otro_certificado")]
        AnotherCertificate,
        /// No seal covers the checked field.
        #[strum(serialize = "sin_sello")]
        Unsealed,
        /// The tracking key has a form that no bank uses.
        #[strum(serialize = "clave_que_ningun_banco_escribe")]
        ForeignTrackingKey,
        /// The bank's proof has another amount.
        #[strum(serialize = "otro_monto")]
        OtherAmount,
        /// The bank's proof has another payee.
        #[strum(serialize = "otro_beneficiario")]
        OtherBeneficiary,
        /// The seal is valid, and the bank issues the proof of another payment for the tracking key.
        #[strum(serialize = "clave_de_otro_pago")]
        KeyOfAnotherPayment,
        /// The bank's proof differs in other fields.
        #[strum(serialize = "otros_datos")]
        OtherData,
        /// The bank has no record of the payment.
        #[strum(serialize = "desconocido_para_el_banco")]
        UnknownToBank,
        /// The payment was settled, and the bank has no proof of it.
        #[strum(serialize = "sin_comprobante_del_banco")]
        NotIssuedByBank,
        /// The payment, or its return, is still in process at the bank.
        #[strum(serialize = "pago_en_proceso")]
        PaymentInProcess,
        /// The payment was returned to the payer.
        #[strum(serialize = "pago_devuelto")]
        PaymentReturned,
        /// The payment was rejected, or could not be settled.
        #[strum(serialize = "pago_rechazado")]
        PaymentRejected,
        /// The payment was canceled.
        #[strum(serialize = "pago_cancelado")]
        PaymentCanceled,
        /// The file lacks data that a query to the bank needs.
        #[strum(serialize = "faltan_datos_para_consultar")]
        NotAskable,
        /// The ZIP has proofs of several payments, so the bank wasn't queried.
        #[strum(serialize = "varios_pagos_en_zip")]
        SeveralPayments,
    }
}

named_enum! {
    /// Result of comparing the visible page of a PDF with the sealed data.
    pub enum PageComparison {
        /// The page has the portal's layout and shows the sealed data.
        #[strum(serialize = "coincide")]
        Agrees,
        /// The page contradicts the sealed data.
        #[strum(serialize = "contradice")]
        Contradicts,
        /// Not compared: a viewer may show other text than the text that was read.
        #[strum(serialize = "no_comparada")]
        NotCompared,
    }
}

named_enum! {
    /// Result of all checks of a file.
    pub enum CheckOutcome {
        /// The seal is valid, and the visible data agree with the sealed data.
        Valid,
        /// A check failed.
        Invalid,
        /// No check failed, but at least one could not be made.
        NotChecked,
    }
}

/// Converts the result to the form in which a request records it.
impl From<CheckOutcome> for SealVerdict {
    fn from(outcome: CheckOutcome) -> Self {
        match outcome {
            CheckOutcome::Valid => Self::Valid,
            CheckOutcome::Invalid => Self::Invalid,
            CheckOutcome::NotChecked => Self::NotChecked,
        }
    }
}

impl CheckReason {
    /// Returns `true` if the file is neither an XML nor a PDF nor a ZIP that could be a proof.
    pub(super) fn is_another_document(self) -> bool {
        matches!(
            self,
            Self::Empty
                | Self::Invoice
                | Self::Picture
                | Self::OfficeDocument
                | Self::WebPage
                | Self::Email
                | Self::Json
                | Self::PlainText
                | Self::OtherArchive
                | Self::UnknownFormat
        )
    }
}

impl CheckOutcome {
    /// The worst of several results: invalid, then not checked, then valid. `None` for an empty list.
    pub fn gravest(outcomes: impl IntoIterator<Item = Self>) -> Option<Self> {
        outcomes.into_iter().max_by_key(|outcome| match outcome {
            Self::Valid => 0,
            Self::NotChecked => 1,
            Self::Invalid => 2,
        })
    }
}
