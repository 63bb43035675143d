//! PDFs that a reader of their own reads: each line tells a text and where it stands on the page.

use bytes::Bytes;
use domain::proofs::check::{Drawing, PORTAL_NOTICE, PdfError, PrintedPage, TextRun};
use domain::proofs::{Proof, ProofField, printed_date};
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

/// The texts of the portal's page, each `x y size text`, with the names of values in braces.
const PAGE: &str = include_str!("plain_pdf.txt");

/// The portal's page of a proof, as [`PlainPdfs`] reads it.
pub fn plain_pdf(xml: &[u8]) -> Bytes {
    let proof = Proof::parse(xml).expect("it is a proof");
    let chain = &proof.chain;
    let vat = proof.written(ProofField::Vat);
    let or_none = |field| proof.text(field).unwrap_or("NA").to_owned();
    let pesos = |centavos: u64| {
        let (pesos, rest) = (centavos / 100, centavos % 100);
        match pesos {
            0..1_000 => format!("$ {pesos}.{rest:02}"),
            _ => format!("$ {},{:03}.{rest:02}", pesos / 1_000, pesos % 1_000),
        }
    };
    let values = [
        ("{credit_date}", printed_date(chain.credit_date())),
        ("{operation_date}", printed_date(proof.operation_date())),
        ("{credit_time}", proof.credit_time().to_string()),
        ("{concept}", or_none(ProofField::Concept)),
        ("{amount}", pesos(proof.centavos())),
        ("{vat}", format!("$ {}", vat.as_deref().unwrap_or("0.00"))),
        ("{tracking_key}", proof.tracking_key().to_owned()),
        ("{issuer}", or_none(ProofField::IssuerName)),
        ("{payer}", or_none(ProofField::PayerName)),
        ("{payer_tax_id}", or_none(ProofField::PayerTaxId)),
        ("{payer_account}", or_none(ProofField::PayerAccount)),
        ("{receiver}", or_none(ProofField::ReceiverName)),
        ("{beneficiary}", or_none(ProofField::BeneficiaryName)),
        (
            "{beneficiary_tax_id}",
            or_none(ProofField::BeneficiaryTaxId),
        ),
        (
            "{beneficiary_account}",
            or_none(ProofField::BeneficiaryAccount),
        ),
        ("{certificate}", proof.certificate_number.clone()),
        ("{chain}", chain.signed_text().to_owned()),
        ("{seal}", chain.seal().to_owned()),
        ("{notice}", PORTAL_NOTICE.to_owned()),
    ];
    let filled = |page: String, (name, value): (&str, String)| page.replace(name, &value);
    let page = values.into_iter().fold(PAGE.to_owned(), filled);
    Bytes::from(format!("%PDF-1.4\n{page}"))
}
