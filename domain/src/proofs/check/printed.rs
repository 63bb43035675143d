//! Reads the visible page of a proof's PDF.
//!
//! If the page's drawing operations and all text positions are those of the portal's layout, the page
//! shows its texts and nothing else, and is compared as a whole. Any other page is searched for labels:
//! the original chain and the values that may contradict it are read there. A value is the text to the
//! right of its label or below it, including anything else drawn in that place.

use chrono::{NaiveDate, NaiveTime};

use super::{PdfError, ProofField, Reading, Source};
use crate::amount::centavos_from_bank_spelling;
use crate::keys::Environment;
use crate::proofs::{OriginalChain, Party, Proof, given};

mod joins;
mod kinds;
mod labels;
mod layout;
mod spanish;

use joins::joins;
use labels::Page;
pub use layout::PORTAL_NOTICE;
use layout::Sheet;
pub use spanish::printed_date;

/// Maximum number of text runs on a page; the portal's has about 60.
pub const MAX_RUNS: usize = 2048;

/// A text run on a page. Positions are in points, from the bottom left.
#[derive(Clone, PartialEq)]
pub struct TextRun {
    /// Horizontal start, from the left edge.
    pub x: f32,
    /// Height of the base line above the bottom edge.
    pub y: f32,
    /// Width of the text when set in Helvetica.
    pub width: f32,
    /// Font size in points.
    pub size: f32,
    /// The text, including blanks.
    pub text: String,
}

/// The text runs and drawing operations of a PDF page.
#[derive(Clone, PartialEq, Default)]
pub struct PrintedPage {
    /// All text runs in drawing order, at most [`MAX_RUNS`].
    pub runs: Vec<TextRun>,
    /// Kind of the drawing operations.
    pub drawing: Drawing,
}

/// Kind of drawing operations on a page, which tells how reliable the text runs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Drawing {
    /// Only the operations of the portal's generator. A viewer shows the text runs at their positions,
    /// the portal's boxes, lines and picture, and nothing else.
    Portal,
    /// Other operations. A viewer shows the text runs at their positions, unless something covers them.
    Other,
    /// Unknown operations: a viewer may show other text, or none.
    #[default]
    Unknown,
}

/// Part of a page that is compared with its original chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// Everything visible.
    Whole,
    /// The texts next to the labels. There may be other visible text.
    Texts,
    /// Nothing, because the visible text is unknown.
    Nothing,
}

/// The visible fields, in the order of the JSON.
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

/// Reads the pages of a file. Returns one reading for each way to join the lines of the original chain,
/// the likeliest first. `today` is the date in Mexico City.
///
/// # Errors
/// [`PdfError::SeveralProofs`] if more than one page has a chain. If none has one, the kind of document
/// that it is instead ([`PdfError::BankReceipt`], [`PdfError::StateReport`]), [`PdfError::NoText`],
/// [`PdfError::NoChain`], or [`PdfError::TooComplex`].
pub(super) fn readings(
    pages: &[PrintedPage],
    environment: Environment,
    today: NaiveDate,
) -> Result<Vec<Reading>, PdfError> {
    if pages.iter().any(|page| page.runs.len() > MAX_RUNS) {
        return Err(PdfError::TooComplex);
    }
    let mut proofs = pages
        .iter()
        .map(|page| readings_of(page, environment, today))
        .filter(|readings| !readings.is_empty());
    match (proofs.next(), proofs.next()) {
        (Some(readings), None) => Ok(readings),
        (Some(_), Some(_)) => Err(PdfError::SeveralProofs),
        (None, _) => Err(kinds::kind(pages)),
    }
}

fn readings_of(page: &PrintedPage, environment: Environment, today: NaiveDate) -> Vec<Reading> {
    let sheet = match page.drawing {
        Drawing::Portal => Sheet::of(&page.runs, environment, today),
        Drawing::Other | Drawing::Unknown => None,
    };
    if let Some(sheet) = &sheet {
        let (lines, seal, certificate) = (sheet.chain(), sheet.seal(), sheet.certificate());
        let value = |field| sheet.value(field);
        return joined(
            &lines,
            &Visible {
                value: &value,
                compared: Compared::Whole,
                seal,
                certificate,
            },
        );
    }
    let labelled = Page::of(&page.runs);
    let (Some(lines), Some(seal), Some(certificate)) =
        (labelled.chain(), labelled.seal(), labelled.certificate())
    else {
        return Vec::new();
    };
    let compared = match page.drawing {
        Drawing::Portal | Drawing::Other => Compared::Texts,
        Drawing::Unknown => Compared::Nothing,
    };
    let value = |field| labelled.value(field);
    joined(
        &lines,
        &Visible {
            value: &value,
            compared,
            seal,
            certificate,
        },
    )
}

/// A reading for each join of the lines that parses as an original chain.
fn joined(lines: &[String], visible: &Visible<'_>) -> Vec<Reading> {
    joins(lines)
        .filter_map(|text| OriginalChain::parse(&format!("{text}{}", visible.seal)).ok())
        .map(|chain| reading(visible, chain))
        .collect()
}

/// The page's fields. Fields that the page doesn't show are taken from `chain`.
fn reading(visible: &Visible<'_>, chain: OriginalChain) -> Reading {
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
    let missing = missing(visible, &chain);
    let proof = Proof {
        operation_date,
        credit_time,
        receiver: chain.receiver(),
        tracking_key: (visible.value)(ProofField::TrackingKey).unwrap_or_default(),
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
        certificate_number: visible.certificate.clone(),
        seal: visible.seal.clone(),
        chain,
    };
    Reading {
        proof,
        source: Source::Pdf(visible.compared),
        credit_date,
        unreadable,
        missing,
    }
}

/// The sealed fields that the page doesn't show. The portal leaves unknown fields blank, so those don't
/// count.
fn missing(visible: &Visible<'_>, chain: &OriginalChain) -> Vec<ProofField> {
    let (payer, beneficiary) = (chain.payer(), chain.beneficiary());
    let is_sealed = |field: &ProofField| match field {
        ProofField::IssuerName => payer.institution.is_some(),
        ProofField::PayerName => payer.name.is_some(),
        ProofField::PayerAccount => payer.account.is_some(),
        ProofField::PayerTaxId => payer.tax_id.is_some(),
        ProofField::ReceiverName => beneficiary.institution.is_some(),
        ProofField::BeneficiaryName => beneficiary.name.is_some(),
        ProofField::BeneficiaryAccount => beneficiary.account.is_some(),
        ProofField::BeneficiaryTaxId => beneficiary.tax_id.is_some(),
        ProofField::Concept => chain.concept().is_some(),
        ProofField::Vat => chain.vat_centavos().is_some(),
        _ => true,
    };
    let is_missing = |field: &ProofField| (visible.value)(*field).is_none();
    let fields = VISIBLE.into_iter();
    fields.filter(is_missing).filter(is_sealed).collect()
}

/// The visible values of a page.
struct Visible<'a> {
    value: &'a dyn Fn(ProofField) -> Option<String>,
    compared: Compared,
    seal: String,
    certificate: String,
}

impl Visible<'_> {
    /// Parses the value of a field; a failure adds the field to `unreadable`.
    fn read<T>(
        &self,
        field: ProofField,
        parse: impl FnOnce(&str) -> Option<T>,
        unreadable: &mut Vec<ProofField>,
    ) -> Option<T> {
        let text = (self.value)(field)?;
        let value = parse(&text);
        if value.is_none() {
            unreadable.push(field);
        }
        value
    }

    /// The text of a field. It is the chain's if the page doesn't show the field, or if the two differ
    /// only in blanks, which line breaks on a page remove.
    fn text(&self, field: ProofField, sealed: Option<&str>) -> Option<String> {
        let Some(shown) = (self.value)(field) else {
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

    /// The VAT in centavos; `None` if the page shows words instead of a number.
    fn vat(&self, unreadable: &mut Vec<ProofField>) -> Option<u64> {
        let text = (self.value)(ProofField::Vat)?;
        if !text.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.read(ProofField::Vat, centavos, unreadable)
    }
}

/// Parses `$ 1,234.56`, with or without a trailing `MXN`, to centavos.
fn centavos(text: &str) -> Option<u64> {
    let text = text.trim().strip_suffix("MXN").unwrap_or(text);
    let text = text.trim().strip_prefix('$').unwrap_or(text);
    centavos_from_bank_spelling(&text.replace(',', ""))
}

pub(super) fn without_blanks(text: &str) -> String {
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
            .field("drawing", &self.drawing)
            .finish()
    }
}
