//! The printed proof: the portal's page, read by its labels.
//!
//! A value stands to the right of its label, or below it (the sandbox's page). Everything that is
//! drawn in a value's place belongs to it, so a text that is drawn over another one shows as a value
//! that no chain has.

use chrono::{NaiveDate, NaiveTime};

use super::{PdfError, ProofField, Reading, Source};
use crate::amount::centavos_from_bank_spelling;
use crate::proof::{OriginalChain, Party, Proof, given};

mod joins;
mod labels;
mod spanish;

use joins::joins;
use labels::Page;

/// Maximum number of texts of a page; the portal's has about 60.
pub const MAX_RUNS: usize = 2048;

/// A text of a page, where it begins. Positions are in points, from the bottom left.
#[derive(Clone, PartialEq)]
pub struct TextRun {
    /// Distance from the left.
    pub x: f32,
    /// Distance of the base line from the bottom.
    pub y: f32,
    /// The text, with its blanks.
    pub text: String,
}

/// The page of a PDF, as it is drawn.
#[derive(Clone, PartialEq, Default)]
pub struct PrintedPage {
    /// The upright texts, in the order in which they are drawn, at most [`MAX_RUNS`].
    pub runs: Vec<TextRun>,
    /// Something that isn't page text may cover or show text: an annotation, a picture over a
    /// text, a form.
    pub may_be_covered: bool,
}

/// The fields that people see, in the order of the JSON.
const VISIBLE: [ProofField; 14] = [
    ProofField::OperationDate,
    ProofField::CreditDate,
    ProofField::CreditTime,
    ProofField::IssuerName,
    ProofField::PayerName,
    ProofField::PayerAccount,
    ProofField::PayerTaxId,
    ProofField::ReceiverName,
    ProofField::BeneficiaryName,
    ProofField::BeneficiaryAccount,
    ProofField::BeneficiaryTaxId,
    ProofField::Concept,
    ProofField::Vat,
    ProofField::Amount,
];

/// Reads a page: one reading for each way to join the lines of its original chain, the likeliest
/// first.
///
/// # Errors
/// [`PdfError::NoText`], [`PdfError::NoChain`], or [`PdfError::TooComplex`].
pub(super) fn readings(page: &PrintedPage) -> Result<Vec<Reading>, PdfError> {
    if page.runs.len() > MAX_RUNS {
        return Err(PdfError::TooComplex);
    }
    if page.runs.iter().all(|run| run.text.trim().is_empty()) {
        return Err(PdfError::NoText);
    }
    let labelled = Page::of(&page.runs);
    let lines = labelled.chain().ok_or(PdfError::NoChain)?;
    let seal = labelled.seal().ok_or(PdfError::NoChain)?;
    let certificate = labelled.certificate().ok_or(PdfError::NoChain)?;
    let readings: Vec<Reading> = joins(&lines)
        .filter_map(|text| OriginalChain::parse(&format!("{text}{seal}")).ok())
        .map(|chain| reading(&labelled, chain, &seal, &certificate, page.may_be_covered))
        .collect();
    if readings.is_empty() {
        return Err(PdfError::NoChain);
    }
    Ok(readings)
}

/// Content of the page for the payment whose chain is `chain`. Fields that it doesn't show are the
/// chain's.
fn reading(
    page: &Page<'_>,
    chain: OriginalChain,
    seal: &str,
    certificate: &str,
    may_be_covered: bool,
) -> Reading {
    let visible = Visible { page };
    let mut unreadable = Vec::new();
    let operation_date = visible
        .read(ProofField::OperationDate, spanish::date, &mut unreadable)
        .unwrap_or_else(|| chain.operation_date());
    let credit_date = visible.read(ProofField::CreditDate, spanish::date, &mut unreadable);
    let credit_time = visible
        .read(ProofField::CreditTime, spanish::time, &mut unreadable)
        .or_else(|| chain.credit_time())
        .unwrap_or(NaiveTime::MIN);
    let centavos = visible
        .read(ProofField::Amount, centavos, &mut unreadable)
        .or_else(|| chain.centavos())
        .unwrap_or_default();
    let vat_centavos = visible.vat(&mut unreadable);
    let (payer, beneficiary) = (chain.payer(), chain.beneficiary());
    let proof = Proof {
        operation_date,
        credit_time,
        receiver: chain.receiver(),
        tracking_key: page.value(ProofField::TrackingKey).unwrap_or_default(),
        centavos,
        concept: visible.text(ProofField::Concept, chain.concept()),
        vat_centavos,
        payer: Party {
            institution: visible.text(ProofField::IssuerName, payer.institution.as_deref()),
            name: visible.text(ProofField::PayerName, payer.name.as_deref()),
            account: visible.text(ProofField::PayerAccount, payer.account.as_deref()),
            tax_id: visible.text(ProofField::PayerTaxId, payer.tax_id.as_deref()),
            ..payer
        },
        beneficiary: Party {
            institution: visible.text(ProofField::ReceiverName, beneficiary.institution.as_deref()),
            name: visible.text(ProofField::BeneficiaryName, beneficiary.name.as_deref()),
            account: visible.text(
                ProofField::BeneficiaryAccount,
                beneficiary.account.as_deref(),
            ),
            tax_id: visible.text(ProofField::BeneficiaryTaxId, beneficiary.tax_id.as_deref()),
            ..beneficiary
        },
        certificate_number: certificate.to_owned(),
        seal: seal.to_owned(),
        chain,
    };
    let is_missing = |field: &ProofField| page.value(*field).is_none();
    Reading {
        proof,
        source: Source::Pdf,
        credit_date,
        unreadable,
        missing: VISIBLE.into_iter().filter(is_missing).collect(),
        may_be_covered,
    }
}

/// The visible values.
struct Visible<'a> {
    page: &'a Page<'a>,
}

impl Visible<'_> {
    /// The value of a field; one that can't be read is noted.
    fn read<T>(
        &self,
        field: ProofField,
        parse: impl FnOnce(&str) -> Option<T>,
        unreadable: &mut Vec<ProofField>,
    ) -> Option<T> {
        let text = self.page.value(field)?;
        let value = parse(&text);
        if value.is_none() {
            unreadable.push(field);
        }
        value
    }

    /// The text of a field: the chain's when both are equal but for blanks, which lines of a page
    /// eat, or when the page doesn't show the field.
    fn text(&self, field: ProofField, sealed: Option<&str>) -> Option<String> {
        let Some(shown) = self.page.value(field) else {
            return sealed.map(str::to_owned);
        };
        let shown = given(&shown);
        let squeezed = |text: Option<&str>| text.map(without_blanks);
        if squeezed(shown) == squeezed(sealed) {
            sealed.map(str::to_owned)
        } else {
            shown.map(str::to_owned)
        }
    }

    /// The VAT; words instead of a number say that there is none.
    fn vat(&self, unreadable: &mut Vec<ProofField>) -> Option<u64> {
        let text = self.page.value(ProofField::Vat)?;
        if !text.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.read(ProofField::Vat, centavos, unreadable)
    }
}

/// Reads `$ 1,234.56`, with or without the currency behind it.
fn centavos(text: &str) -> Option<u64> {
    let text = text.trim().strip_suffix("MXN").unwrap_or(text);
    let text = text.trim().strip_prefix('$').unwrap_or(text);
    centavos_from_bank_spelling(&text.replace(',', ""))
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

impl std::fmt::Debug for TextRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextRun")
            .field("x", &self.x)
            .field("y", &self.y)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for PrintedPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PrintedPage")
            .field("runs", &self.runs.len())
            .field("may_be_covered", &self.may_be_covered)
            .finish()
    }
}
