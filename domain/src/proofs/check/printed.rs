//! Reads the visible page of a proof's PDF.
//!
//! If the page's drawing operations and all text positions are those of the portal's layout, the page
//! shows its texts and nothing else, and is compared as a whole. Any other page is searched for labels:
//! the original chain and the values that may contradict it are read there. A value is the text to the
//! right of its label or below it, including anything else drawn in that place.

use chrono::NaiveDate;

use super::{PdfError, ProofField, Reading, Source};
use crate::criterion::ReferenceNumber;
use crate::keys::Environment;
use crate::proofs::value::{Spelling, Value};
use crate::proofs::{OriginalChain, Proof};

mod joins;
mod kinds;
mod labels;
mod layout;

use joins::joins;
use labels::Page;
pub use layout::PORTAL_NOTICE;
use layout::Sheet;

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

/// Context of reading a page.
#[derive(Clone, Copy, Debug)]
pub struct ReadingContext {
    /// Environment of the bank that the page is from.
    pub environment: Environment,
    /// Today in Mexico City; a page with a later date is refused.
    pub today: NaiveDate,
}

/// The reference number on a page that is drawn like the portal's; `None` for any other page, and for a file of
/// several pages.
pub fn printed_reference(
    pages: &[PrintedPage],
    ReadingContext { environment, today }: ReadingContext,
) -> Option<ReferenceNumber> {
    match pages {
        [page] if page.drawing == Drawing::Portal && page.runs.len() <= MAX_RUNS => {
            Sheet::of(&page.runs, environment, today)?.reference()
        }
        _ => None,
    }
}

fn readings_of(page: &PrintedPage, environment: Environment, today: NaiveDate) -> Vec<Reading> {
    let sheet = match page.drawing {
        Drawing::Portal => Sheet::of(&page.runs, environment, today),
        Drawing::Other | Drawing::Unknown => None,
    };
    if let Some(sheet) = &sheet {
        let visible = Visible {
            value: &|field| sheet.value(field),
            compared: Compared::Whole,
            seal: sheet.seal(),
            certificate: sheet.certificate(),
        };
        return joined(&sheet.chain(), &visible);
    }
    let labelled = Page::of(&page.runs);
    let (Some(lines), Some(seal), Some(certificate)) =
        (labelled.chain(), labelled.seal(), labelled.certificate())
    else {
        return Vec::new();
    };
    let visible = Visible {
        value: &|field| labelled.value(field),
        compared: match page.drawing {
            Drawing::Portal | Drawing::Other => Compared::Texts,
            Drawing::Unknown => Compared::Nothing,
        },
        seal,
        certificate,
    };
    joined(&lines, &visible)
}

/// The visible values of a page.
struct Visible<'a> {
    value: &'a dyn Fn(ProofField) -> Option<String>,
    compared: Compared,
    seal: String,
    certificate: String,
}

/// A reading for each join of the lines that parses as an original chain.
fn joined(lines: &[String], visible: &Visible<'_>) -> Vec<Reading> {
    joins(lines)
        .filter_map(|text| OriginalChain::parse(&format!("{text}{}", visible.seal)).ok())
        .map(|chain| reading(visible, chain))
        .collect()
}

/// The page's fields. Fields that the page doesn't show are taken from `chain`, and so are texts that
/// differ only in blanks, which line breaks on a page remove. The portal leaves unknown fields blank, so
/// only those with a sealed value count as missing.
fn reading(visible: &Visible<'_>, chain: OriginalChain) -> Reading {
    let sealed = chain.values();
    let mut shown = sealed.clone();
    let (mut unreadable, mut missing) = (Vec::new(), Vec::new());
    for field in ProofField::ALL {
        if field.printed().is_none() {
            continue;
        }
        let of_chain = sealed.get(field);
        let Some(text) = (visible.value)(field) else {
            let is_expected = of_chain.is_some() || field.is_required();
            if field.place().is_some() && is_expected {
                missing.push(field);
            }
            if field.is_omittable() {
                shown.set(field, None);
            }
            continue;
        };
        let value = Value::read(field, &text, Spelling::Page);
        let is_word = field.is_omittable() && !text.contains(|c: char| c.is_ascii_digit());
        let is_unreadable = value.is_none() && !field.is_text() && !is_word;
        if is_unreadable {
            unreadable.push(field);
        }
        let is_as_sealed = Value::is_same_but_for_blanks(value.as_ref(), of_chain);
        let is_replaced = is_unreadable && !field.is_omittable();
        if !is_as_sealed && !is_replaced {
            shown.set(field, value);
        }
    }
    let mut values = shown.clone();
    // Reports give the sealed date, as for an XML, which has no other.
    let credit_date = sealed.get(ProofField::CreditDate);
    values.set(ProofField::CreditDate, credit_date.cloned());
    Reading {
        proof: Proof {
            values,
            certificate_number: visible.certificate.clone(),
            seal: visible.seal.clone(),
            chain,
        },
        source: Source::Pdf(visible.compared),
        shown,
        unreadable,
        missing,
    }
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
