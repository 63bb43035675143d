//! Positions of the texts, measured on a recorded page of 595 by 850 points.

use super::ProofField;
use crate::proofs::field::{AMOUNTS, Align, Printed};

/// A text that is the same on every page.
pub(super) struct Fixed {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) text: &'static str,
}

/// The position of a value.
pub(super) struct Cell {
    pub(super) content: Content,
    pub(super) align: Align,
    /// Height of the base line of a single-line value.
    pub(super) y: f32,
}

/// Meaning of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Field(ProofField),
    /// Numeric reference, which isn't in the original chain.
    Reference,
    /// Date of the query at the portal.
    QueryDate,
    /// Time of the query at the portal.
    QueryTime,
}

const fn fixed(x: f32, y: f32, size: f32, text: &'static str) -> Fixed {
    Fixed { x, y, size, text }
}

/// Headings and labels, with position and font size.
pub(super) const FIXED: [Fixed; 30] = [
    fixed(353.0, 825.62, 10.0, "Fecha de consulta"),
    fixed(353.0, 810.62, 10.0, "Hora de consulta"),
    fixed(504.75, 812.32, 9.0, "horas"),
    fixed(153.0, 787.09, 12.0, "COMPROBANTE   ELECTRÓNICO   DE   PAGO"),
    fixed(24.0, 766.7, 8.0, "Fecha de operación en el SPEI®"),
    fixed(
        24.0,
        748.7,
        8.0,
        "Fecha de abono en la cuenta beneficiaria*",
    ),
    fixed(23.0, 728.7, 8.0, "Hora de abono en la cuenta beneficiaria*"),
    fixed(24.0, 710.7, 8.0, "Concepto del pago"),
    fixed(336.0, 765.7, 8.0, "Monto"),
    fixed(336.0, 747.7, 8.0, "IVA"),
    fixed(335.0, 728.7, 8.0, "Referencia numérica"),
    fixed(335.0, 709.7, 8.0, "Clave de rastreo"),
    fixed(130.29, 668.5, 13.0, "Ordenante"),
    fixed(24.0, 652.7, 8.0, "Institución emisora del pago"),
    fixed(24.0, 627.7, 8.0, "Titular de la cuenta"),
    fixed(25.0, 603.7, 8.0, "RFC/CURP"),
    fixed(24.0, 582.7, 8.0, "CLABE,Tarjeta de débito,Número"),
    fixed(24.0, 572.63, 8.0, "de celular"),
    fixed(410.0, 668.5, 13.0, "Beneficiario"),
    fixed(305.0, 651.7, 8.0, "Institución receptora del pago"),
    fixed(306.0, 627.7, 8.0, "Titular de la cuenta"),
    fixed(306.0, 602.7, 8.0, "RFC/CURP"),
    fixed(306.0, 582.7, 8.0, "CLABE,Tarjeta de débito,Número"),
    fixed(306.0, 572.63, 8.0, "de celular"),
    fixed(
        101.0,
        542.32,
        9.0,
        "*La hora de abono corresponde al huso horario que rige en la Ciudad de México.",
    ),
    fixed(
        21.0,
        501.62,
        10.0,
        "Número de Serie del Certificado de Seguridad de la institución receptora del pago",
    ),
    fixed(
        20.0,
        468.62,
        10.0,
        "Cadena Original (información del pago):",
    ),
    fixed(
        20.0,
        371.62,
        10.0,
        "Sello Digital (firma provista por la institución receptora del pago):",
    ),
    fixed(474.63, 19.62, 10.0, "Página 1 de"),
    fixed(530.0, 19.62, 10.0, " 1"),
];

/// Values that aren't fields, with column and height.
const OTHERS: [Cell; 3] = [
    Cell {
        content: Content::QueryDate,
        align: Align::Left(452.0, 580.0),
        y: 827.7,
    },
    Cell {
        content: Content::QueryTime,
        align: Align::Left(453.0, 500.0),
        y: 811.66,
    },
    Cell {
        content: Content::Reference,
        align: AMOUNTS,
        y: 728.66,
    },
];

/// The positions of all values.
pub(super) fn cells() -> impl Iterator<Item = Cell> {
    let fields = ProofField::ALL.into_iter().filter_map(|field| {
        let Printed { align, y, .. } = field.printed()?;
        let content = Content::Field(field);
        Some(Cell { content, align, y })
    });
    fields.chain(OTHERS)
}

/// The notice at the foot of the portal's page.
pub const PORTAL_NOTICE: &str = "La información contenida en este Comprobante Electrónico de Pago \
    corresponde a la Confirmación de Abono generada y firmada electrónicamente por la institución \
    receptora del pago, conforme a lo establecido en la regla 20a. de la Circular 14/2017 emitida por \
    el Banco de México, por lo que este último no tiene responsabilidad alguna sobre la información \
    mostrada. El presente Comprobante Electrónico de Pago se emite con fines informativos y está \
    dirigido únicamente a las personas usuarias del SPEI® que proporcionaron electrónicamente la \
    información requerida por el servicio. Para mayor información o aclaraciones respecto de este \
    Comprobante Electrónico de Pago y/o de la Orden de Transferencia Aceptada que le dio origen, la \
    persona usuaria deberá consultar a la Institución que le haya proporcionado el servicio de \
    transferencia electrónica vía SPEI® o a la Institución que lleve la cuenta en la que se depositaron \
    los recursos, según corresponda. Respecto el tratamiento de los datos personales que realiza el \
    Banco de México en el SPEI® le sugerimos consultar el aviso de privacidad disponible en: \
    https://transparencia.banxico.org.mx/documentos/%7BD77FE465-7945-1489-3DAB-C292153C76B7%7D.pdf \
    (banxico.org.mx).";

/// Texts that the sandbox adds to the portal's page.
pub(super) const SANDBOX_MARKS: [Fixed; 4] = [
    fixed(23.0, 816.0, 26.0, "SANDBOX"),
    fixed(23.0, 801.0, 9.0, "SIN VALIDEZ"),
    fixed(70.0, 250.0, 72.0, "SANDBOX"),
    fixed(
        70.0,
        214.0,
        12.0,
        "SIN VALIDEZ: comprobante de prueba, ningún banco lo emitió",
    ),
];

/// The notice that the sandbox prints instead of the portal's.
pub(super) const SANDBOX_NOTICE: &str = "Este documento fue generado por un banco simulado (sandbox) \
    para probar programas. No acredita pago alguno: las personas, los RFC, las cuentas de origen y el \
    concepto son inventados, y el sello digital se firmó con una llave pública de desarrollo que no \
    protege nada. Ninguna institución financiera ni el Banco de México participaron en su emisión.";
