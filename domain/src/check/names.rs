//! Names of checks, results and reasons in the APIs.

use crate::seal::SealVerdict;
use crate::variants::named_enum;

named_enum! {
    /// A check, by its name in the APIs.
    pub enum CheckName {
        /// The file is a proof.
        #[strum(serialize = "estructura")]
        Structure,
        /// The attributes of an XML say what its original chain says.
        #[strum(serialize = "atributos_y_cadena")]
        Attributes,
        /// The visible text of a PDF says what its original chain says.
        #[strum(serialize = "texto_y_cadena")]
        VisibleText,
        /// The seal is the receiving institution's signature of the original chain.
        #[strum(serialize = "sello")]
        Seal,
        /// The end of the original chain repeats the seal.
        #[strum(serialize = "sello_repetido")]
        RepeatedSeal,
        /// The original chain names the certificate that is given beside it.
        #[strum(serialize = "certificado")]
        Certificate,
        /// The tracking key, which no seal covers and only the bank's record tells.
        #[strum(serialize = "clave_rastreo")]
        TrackingKey,
        /// The bank issues the same proof, if it was asked.
        #[strum(serialize = "portal")]
        Portal,
    }
}

named_enum! {
    /// Result of one check.
    pub enum CheckResult {
        /// As it must be.
        Ok,
        /// Something is wrong.
        Failed,
        /// Nothing is known.
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
        /// The file is an invoice (CFDI) of the tax authority's.
        #[strum(serialize = "es_factura")]
        Invoice,
        /// The file is a picture.
        #[strum(serialize = "es_imagen")]
        Picture,
        /// The file is a document of a word processor or a spreadsheet.
        #[strum(serialize = "es_documento_de_office")]
        OfficeDocument,
        /// The file is a page of a web site.
        #[strum(serialize = "es_pagina_web")]
        WebPage,
        /// The file is an e-mail.
        #[strum(serialize = "es_correo")]
        Email,
        /// The file is JSON.
        #[strum(serialize = "es_json")]
        Json,
        /// The body is a form in place of a file.
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
        /// The ZIP holds more, or larger, files than are checked.
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
        /// The file within a ZIP is deflated far more than proofs are.
        #[strum(serialize = "compresion_excesiva")]
        TooDeflated,
        /// The file has far more parts than any proof.
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
        /// The seal is valid, so the named fields were changed.
        #[strum(serialize = "campos_cambiados")]
        FieldsChanged,
        /// The seal is valid, and so many fields contradict that the chain is another payment's.
        #[strum(serialize = "cadena_de_otro_pago")]
        ChainOfAnotherPayment,
        /// The seal is invalid, and fields contradict: the original chain was changed.
        #[strum(serialize = "cadena_cambiada")]
        ChainChanged,
        /// The seal is invalid, and no field contradicts: the chain and the fields were changed
        /// alike, or the seal is another proof's.
        #[strum(serialize = "cadena_y_campos_cambiados_u_otro_sello")]
        SealOfAnotherText,
        /// Fields contradict the chain, and nothing tells which of them is true.
        #[strum(serialize = "contradiccion")]
        Contradiction,
        /// A `|` in a name or the concept, so the places of the chain's fields are uncertain.
        #[strum(serialize = "lugares_inciertos")]
        UncertainPlaces,
        /// The XML holds more than a bank writes, which a viewer may show.
        #[strum(serialize = "contenido_ajeno")]
        ForeignContent,
        /// The page isn't drawn as the portal draws it, so what it shows wasn't compared; the named
        /// fields are missing from it.
        #[strum(serialize = "pagina_no_comparada")]
        PageNotCompared,
        /// No key is known for the certificate.
        #[strum(serialize = "certificado_desconocido")]
        UnknownCertificate,
        /// The certificate number or the seal can't be read.
        #[strum(serialize = "sello_ilegible")]
        UnreadableSeal,
        /// The seal at the end of the original chain is another one.
        #[strum(serialize = "otro_sello")]
        AnotherSeal,
        /// The original chain names another certificate.
        #[strum(serialize = "otro_certificado")]
        AnotherCertificate,
        /// No seal covers it.
        #[strum(serialize = "sin_sello")]
        Unsealed,
        /// No bank writes such a tracking key.
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
        /// The bank knows no such payment.
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
        /// The file doesn't say enough to ask the bank.
        #[strum(serialize = "faltan_datos_para_consultar")]
        NotAskable,
        /// The file came with proofs of other payments, so the bank wasn't asked.
        #[strum(serialize = "varios_pagos_en_zip")]
        SeveralPayments,
    }
}

named_enum! {
    /// Comparison of what the page of a PDF shows with what is sealed.
    pub enum PageComparison {
        /// The page is the portal's, and shows what is sealed.
        #[strum(serialize = "coincide")]
        Agrees,
        /// The page shows something else.
        #[strum(serialize = "contradice")]
        Contradicts,
        /// A viewer may show something else than the text that was read.
        #[strum(serialize = "no_comparada")]
        NotCompared,
    }
}

named_enum! {
    /// Result of all checks of a file.
    pub enum CheckOutcome {
        /// The seal is valid, and what people read says what is sealed.
        Valid,
        /// A check failed.
        Invalid,
        /// Nothing is wrong, and something couldn't be checked.
        NotChecked,
    }
}

/// The result as it is recorded with a request.
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
    /// The gravest of several results.
    pub fn gravest(outcomes: impl IntoIterator<Item = Self>) -> Option<Self> {
        outcomes.into_iter().max_by_key(|outcome| match outcome {
            Self::Valid => 0,
            Self::NotChecked => 1,
            Self::Invalid => 2,
        })
    }
}
