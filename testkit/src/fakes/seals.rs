//! Checks of seals that know no key, and readers of PDFs that are none.

use async_trait::async_trait;
use bytes::Bytes;
use domain::check::{Drawing, PdfError, PrintedPage, TextRun};
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::{CheckedSeal, NotChecked, Verdict};
use ports::outbound::{ProofPdfReader, SealChecks};

/// Checks of seals that know no key, and record nothing.
pub struct NoSealKeys;

#[async_trait]
impl SealChecks for NoSealKeys {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        CheckedSeal::of(proof, |_| unknown_certificate(environment, proof))
    }

    async fn record(&self, _: Environment, _: &Proof, _: &CheckedSeal) {}
}

/// The verdict on every seal: its certificate isn't known.
pub fn unknown_certificate(_: Environment, _: &Proof) -> Verdict {
    Verdict::NotChecked(NotChecked::UnknownCertificate)
}

/// A reader for which every PDF is damaged.
pub struct NoPdfs;

impl ProofPdfReader for NoPdfs {
    fn read(&self, _: &[u8]) -> Result<Vec<PrintedPage>, PdfError> {
        Err(PdfError::Damaged)
    }
}

/// A reader of text for which each line after the first is a line of the page, one below the other.
pub struct PlainPdfs;

impl ProofPdfReader for PlainPdfs {
    fn read(&self, pdf: &[u8]) -> Result<Vec<PrintedPage>, PdfError> {
        let text = str::from_utf8(pdf).map_err(|_| PdfError::Damaged)?;
        let mut y = 800.0;
        let runs = text.lines().skip(1).map(|line| {
            y -= 12.0;
            TextRun {
                x: 20.0,
                y,
                width: 100.0,
                size: 8.0,
                text: line.to_owned(),
            }
        });
        Ok(vec![PrintedPage {
            runs: runs.collect(),
            drawing: Drawing::Other,
        }])
    }
}

/// A PDF that shows the original chain of a proof, as [`PlainPdfs`] reads it.
pub fn plain_pdf(xml: &[u8]) -> Bytes {
    let proof = Proof::parse(xml).expect("it is a proof");
    let text = format!(
        "%PDF-1.4\nNúmero de Serie del Certificado de Seguridad\n{}\n\
         Cadena Original (información del pago):\n{}\nSello Digital (firma):\n{}\n",
        proof.certificate_number,
        proof.chain.signed_text(),
        proof.chain.seal(),
    );
    text.into()
}
