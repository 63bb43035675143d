//! PDFs that a reader of their own reads: each line tells a text and where it stands on the page.

use bytes::Bytes;
use domain::check::{Drawing, PORTAL_NOTICE, PdfError, PrintedPage, TextRun, printed_date};
use domain::proof::Proof;
use ports::outbound::ProofPdfReader;

/// Reader of the PDFs of [`plain_pdf`]: a page in the portal's own drawing, with the texts of the lines after
/// the first, each `x y size text`.
pub struct PlainPdfs;

impl ProofPdfReader for PlainPdfs {
    fn read(&self, pdf: &[u8]) -> Result<Vec<PrintedPage>, PdfError> {
        let text = str::from_utf8(pdf).map_err(|_| PdfError::Damaged)?;
        let runs = text.lines().skip(1).map(run);
        let runs = runs.collect::<Option<Vec<_>>>().ok_or(PdfError::Damaged)?;
        Ok(vec![PrintedPage {
            runs,
            drawing: Drawing::Portal,
        }])
    }
}

fn run(line: &str) -> Option<TextRun> {
    let mut parts = line.splitn(4, ' ');
    let mut number = || parts.next()?.parse::<f32>().ok();
    let (x, y, size) = (number()?, number()?, number()?);
    let text = parts.next()?.to_owned();
    // Amounts and the like end at 572 points; the width of no other text matters.
    let is_amount = x > 400.0 && (700.0..770.0).contains(&y);
    let width = if is_amount { 572.0 - x } else { 10.0 };
    Some(TextRun {
        x,
        y,
        width,
        size,
        text,
    })
}

/// The portal's page of a proof, as [`PlainPdfs`] reads it.
#[expect(clippy::too_many_lines, reason = "the texts of a page")]
pub fn plain_pdf(xml: &[u8]) -> Bytes {
    let proof = Proof::parse(xml).expect("it is a proof");
    let chain = &proof.chain;
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "NA".to_owned());
    let (payer, beneficiary) = (&proof.payer, &proof.beneficiary);
    let pesos = |centavos: u64| {
        let (pesos, rest) = (centavos / 100, centavos % 100);
        match pesos {
            0..1_000 => format!("$ {pesos}.{rest:02}"),
            _ => format!("$ {},{:03}.{rest:02}", pesos / 1_000, pesos % 1_000),
        }
    };
    let seal = chain.seal().to_owned();
    let texts = [
        (504.75, 812.32, 9.0, "horas".to_owned()),
        (353.0, 825.62, 10.0, "Fecha de consulta".to_owned()),
        (452.0, 827.7, 8.0, printed_date(chain.credit_date())),
        (353.0, 810.62, 10.0, "Hora de consulta".to_owned()),
        (453.0, 811.66, 9.0, "10:58:25".to_owned()),
        (
            153.0,
            787.09,
            12.0,
            "COMPROBANTE   ELECTRÓNICO   DE   PAGO".to_owned(),
        ),
        (
            24.0,
            766.7,
            8.0,
            "Fecha de operación en el SPEI®".to_owned(),
        ),
        (199.0, 765.66, 9.0, printed_date(proof.operation_date)),
        (
            24.0,
            748.7,
            8.0,
            "Fecha de abono en la cuenta beneficiaria*".to_owned(),
        ),
        (199.0, 747.66, 9.0, printed_date(chain.credit_date())),
        (
            23.0,
            728.7,
            8.0,
            "Hora de abono en la cuenta beneficiaria*".to_owned(),
        ),
        (199.0, 727.66, 9.0, format!("{} horas", proof.credit_time)),
        (24.0, 710.7, 8.0, "Concepto del pago".to_owned()),
        (111.0, 709.7, 8.0, or_none(&proof.concept)),
        (336.0, 765.7, 8.0, "Monto".to_owned()),
        (529.47, 765.66, 9.0, pesos(proof.centavos)),
        (336.0, 747.7, 8.0, "IVA".to_owned()),
        (
            546.98,
            747.66,
            9.0,
            pesos(proof.vat_centavos.unwrap_or_default()),
        ),
        (335.0, 728.7, 8.0, "Referencia numérica".to_owned()),
        (536.97, 728.66, 9.0, "4900001".to_owned()),
        (335.0, 709.7, 8.0, "Clave de rastreo".to_owned()),
        (467.92, 708.66, 9.0, proof.tracking_key.clone()),
        (130.29, 668.5, 13.0, "Ordenante".to_owned()),
        (24.0, 652.7, 8.0, "Institución emisora del pago".to_owned()),
        (153.0, 651.66, 9.0, or_none(&payer.institution)),
        (24.0, 627.7, 8.0, "Titular de la cuenta".to_owned()),
        (153.0, 628.66, 9.0, or_none(&payer.name)),
        (25.0, 603.7, 8.0, "RFC/CURP".to_owned()),
        (153.0, 602.66, 9.0, or_none(&payer.tax_id)),
        (
            24.0,
            582.7,
            8.0,
            "CLABE,Tarjeta de débito,Número".to_owned(),
        ),
        (24.0, 572.63, 8.0, "de celular".to_owned()),
        (153.0, 581.66, 9.0, or_none(&payer.account)),
        (410.0, 668.5, 13.0, "Beneficiario".to_owned()),
        (
            305.0,
            651.7,
            8.0,
            "Institución receptora del pago".to_owned(),
        ),
        (435.0, 650.66, 9.0, or_none(&beneficiary.institution)),
        (306.0, 627.7, 8.0, "Titular de la cuenta".to_owned()),
        (435.0, 628.66, 9.0, or_none(&beneficiary.name)),
        (306.0, 602.7, 8.0, "RFC/CURP".to_owned()),
        (435.0, 601.66, 9.0, or_none(&beneficiary.tax_id)),
        (
            306.0,
            582.7,
            8.0,
            "CLABE,Tarjeta de débito,Número".to_owned(),
        ),
        (306.0, 572.63, 8.0, "de celular".to_owned()),
        (435.0, 581.66, 9.0, or_none(&beneficiary.account)),
        (
            101.0,
            542.32,
            9.0,
            "*La hora de abono corresponde al huso horario que rige en la Ciudad de México."
                .to_owned(),
        ),
        (
            21.0,
            501.62,
            10.0,
            "Número de Serie del Certificado de Seguridad de la institución receptora del pago"
                .to_owned(),
        ),
        (23.0, 490.96, 7.0, proof.certificate_number.clone()),
        (
            20.0,
            468.62,
            10.0,
            "Cadena Original (información del pago):".to_owned(),
        ),
        (
            20.0,
            371.62,
            10.0,
            "Sello Digital (firma provista por la institución receptora del pago):".to_owned(),
        ),
        (474.63, 19.62, 10.0, "Página 1 de".to_owned()),
        (530.0, 19.62, 10.0, " 1".to_owned()),
        (24.0, 457.96, 7.0, chain.signed_text().to_owned()),
        (24.0, 360.96, 7.0, seal),
    ];
    let notice = (26.0, 154.73, 7.0, PORTAL_NOTICE.to_owned());
    let lines = texts.into_iter().chain([notice]);
    let lines = lines.map(|(x, y, size, text)| format!("{x} {y} {size} {text}\n"));
    Bytes::from(format!("%PDF-1.4\n{}", lines.collect::<String>()))
}
