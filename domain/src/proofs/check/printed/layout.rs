//! The portal's layout: the position of each text on its page.
//!
//! Positions were measured on a recorded page. If all texts of a page are at these positions, it shows
//! nothing else, and each value belongs to the label beside it.

use chrono::NaiveDate;

use super::{ProofField, TextRun};
use crate::criterion::ReferenceNumber;
use crate::keys::Environment;
use crate::proofs::field::{Align, Kind};
use crate::proofs::spanish;
use crate::tracking_key::TrackingKey;

mod places;

pub use places::PORTAL_NOTICE;
use places::{Cell, Content, FIXED, Fixed, SANDBOX_MARKS, SANDBOX_NOTICE, cells};

/// Maximum distance of a text from its position, in points.
const TOLERANCE: f32 = 0.75;
/// Maximum vertical distance of a value's line from its position: two lines are centred on the position
/// of one.
const LINES: f32 = 8.0;
/// Font sizes of values, in points.
const VALUE_SIZES: std::ops::RangeInclusive<f32> = 6.9..=9.1;
/// Font size of the chain, the seal, the certificate number and the notice, in points.
const SMALL: f32 = 7.0;
/// Line spacing of the chain and of the seal, in points.
const STEP: f32 = 9.14;
/// Maximum number of lines of the chain and of the seal; there is no space for more.
const MAX_LINES: u16 = 9;
/// Left edge and height of the first line of the three blocks.
const CERTIFICATE: (f32, f32) = (23.0, 490.96);
const CHAIN: (f32, f32) = (24.0, 457.96);
const SEAL: (f32, f32) = (24.0, 360.96);
/// Left edge of the notice, and the range of heights of its lines.
const NOTICE_LEFT: f32 = 26.0;
const NOTICE_LINES: std::ops::RangeInclusive<f32> = 40.0..=158.0;

/// A page whose texts are all at the positions of the layout.
pub(super) struct Sheet<'a> {
    cells: Vec<(Cell, Vec<&'a TextRun>)>,
    certificate: Vec<&'a TextRun>,
    chain: Vec<&'a TextRun>,
    seal: Vec<&'a TextRun>,
}

impl<'a> Sheet<'a> {
    /// Assigns texts to the positions of the layout. `None` if a text is elsewhere, unknown or
    /// repeated, or if the printed query date is impossible as of `today`. The sandbox's marks and its
    /// notice are accepted only in the test environment.
    pub(super) fn of(
        runs: &'a [TextRun],
        environment: Environment,
        today: NaiveDate,
    ) -> Option<Self> {
        let mut sheet = Self {
            cells: cells().map(|cell| (cell, Vec::new())).collect(),
            certificate: Vec::new(),
            chain: Vec::new(),
            seal: Vec::new(),
        };
        let mut found = [false; FIXED.len()];
        let mut notice = Vec::new();
        let mut marks = [false; SANDBOX_MARKS.len()];
        for run in runs.iter().filter(|run| !run.text.trim().is_empty()) {
            if let Some(place) = FIXED.iter().position(|fixed| is_at(fixed, run)) {
                if std::mem::replace(&mut found[place], true) {
                    return None;
                }
            } else if let Some((_, texts)) =
                sheet.cells.iter_mut().find(|(cell, _)| holds(cell, run))
            {
                texts.push(run);
            } else if is_line_of(CERTIFICATE, run) {
                sheet.certificate.push(run);
            } else if is_line_of(CHAIN, run) {
                sheet.chain.push(run);
            } else if is_line_of(SEAL, run) {
                sheet.seal.push(run);
            } else if is_near(run.x, NOTICE_LEFT) && NOTICE_LINES.contains(&run.y) {
                notice.push(run);
            } else {
                let mark = SANDBOX_MARKS.iter().position(|mark| is_at(mark, run))?;
                marks[mark] = true;
            }
        }
        sheet.put_in_order()?;
        // A page of the sandbox has its notice and all its marks; one of the portal has none of them.
        let is_marked = marks.contains(&true);
        let own_notice = if is_marked {
            SANDBOX_NOTICE
        } else {
            PORTAL_NOTICE
        };
        let is_whole = found.iter().all(|found| *found)
            && is_notice(&mut notice, own_notice)
            && (!is_marked || environment == Environment::Test && !marks.contains(&false));
        (is_whole && sheet.is_well_spelt() && sheet.is_dated(today)).then_some(sheet)
    }

    /// The value of a field, with lines joined by blanks; `None` if it is blank.
    pub(super) fn value(&self, field: ProofField) -> Option<String> {
        self.text(Content::Field(field))
    }

    pub(super) fn chain(&self) -> Vec<String> {
        texts(&self.chain)
    }

    pub(super) fn seal(&self) -> String {
        texts(&self.seal).concat()
    }

    pub(super) fn certificate(&self) -> String {
        texts(&self.certificate).concat()
    }

    /// The printed reference number; `None` if there is none.
    pub(super) fn reference(&self) -> Option<ReferenceNumber> {
        ReferenceNumber::parse(&self.text(Content::Reference)?).ok()
    }

    fn text(&self, content: Content) -> Option<String> {
        let mut cells = self.cells.iter();
        let (_, runs) = cells.find(|(cell, _)| cell.content == content)?;
        let text = texts(runs).join(" ").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Sorts lines from the top; `None` if two overlap or a block has a gap.
    fn put_in_order(&mut self) -> Option<()> {
        for (_, lines) in &mut self.cells {
            lines.sort_by(|one, other| other.y.total_cmp(&one.y));
            let is_apart = |pair: &[&TextRun]| pair[0].y - pair[1].y >= 0.9 * pair[0].size;
            lines.windows(2).all(is_apart).then_some(())?;
        }
        for (block, (_, top)) in [
            (&mut self.certificate, CERTIFICATE),
            (&mut self.chain, CHAIN),
            (&mut self.seal, SEAL),
        ] {
            block.sort_by(|one, other| other.y.total_cmp(&one.y));
            let mut lines = (0..MAX_LINES).zip(block.iter());
            let is_next = |(line, run): (u16, &&TextRun)| is_near(run.y, line_of(top, line));
            let is_complete = block.len() <= usize::from(MAX_LINES) && lines.all(is_next);
            (!block.is_empty() && is_complete).then_some(())?;
        }
        (self.certificate.len() == 1).then_some(())
    }

    /// Returns `true` if the query date isn't before the credit date nor in the future, with one day of
    /// tolerance for clocks that differ. The operation date may be later than the query: a payment
    /// after 18:00 has the next banking day.
    fn is_dated(&self, today: NaiveDate) -> bool {
        let date = |content| spanish::date(&self.text(content)?);
        let credited = date(Content::Field(ProofField::CreditDate));
        let latest = today.succ_opt().unwrap_or(today);
        date(Content::QueryDate).is_some_and(|queried| {
            queried <= latest && credited.is_none_or(|credited| credited <= queried)
        })
    }

    /// Returns `true` if every value has the portal's spelling, so that people read it the same way as
    /// this code.
    fn is_well_spelt(&self) -> bool {
        self.cells.iter().all(|(cell, _)| {
            let Some(text) = self.text(cell.content) else {
                return true;
            };
            let kind = match cell.content {
                Content::Field(field) => field.kind(),
                Content::QueryDate => Kind::Date,
                Content::QueryTime => Kind::Time,
                Content::Reference => {
                    return text.len() <= 7 && text.bytes().all(|byte| byte.is_ascii_digit());
                }
            };
            match kind {
                Kind::Centavos => spanish::centavos(&text)
                    .is_some_and(|centavos| spanish::printed_amount(centavos) == text),
                Kind::Date => spanish::date(&text).is_some(),
                Kind::Time => spanish::time(&text).is_some(),
                Kind::Verbatim => TrackingKey::parse(&text).is_ok(),
                Kind::Text | Kind::Number | Kind::Participant => true,
            }
        })
    }
}

fn texts(runs: &[&TextRun]) -> Vec<String> {
    runs.iter().map(|run| run.text.clone()).collect()
}

fn is_near(one: f32, other: f32) -> bool {
    (one - other).abs() <= TOLERANCE
}

fn is_at(fixed: &Fixed, run: &TextRun) -> bool {
    is_near(run.x, fixed.x)
        && is_near(run.y, fixed.y)
        && (run.size - fixed.size).abs() < 0.1
        && run.text == fixed.text
}

fn holds(cell: &Cell, run: &TextRun) -> bool {
    let is_in_row = (run.y - cell.y).abs() <= LINES;
    let is_in_column = match cell.align {
        Align::Left(left, most) => is_near(run.x, left) && run.x + run.width <= most,
        Align::Right(least, right) => is_near(run.x + run.width, right) && run.x >= least,
    };
    is_in_row && is_in_column && VALUE_SIZES.contains(&run.size)
}

fn is_line_of((left, top): (f32, f32), run: &TextRun) -> bool {
    is_near(run.x, left)
        && is_near(run.size, SMALL)
        && (0..MAX_LINES).any(|line| is_near(run.y, line_of(top, line)))
}

/// Height of a line in a block whose first line is at `top`.
fn line_of(top: f32, line: u16) -> f32 {
    top - STEP * f32::from(line)
}

/// Returns `true` if the words of the lines are those of the notice.
fn is_notice(lines: &mut [&TextRun], notice: &str) -> bool {
    if !lines.iter().all(|run| is_near(run.size, SMALL)) {
        return false;
    }
    lines.sort_by(|one, other| other.y.total_cmp(&one.y));
    let words = lines.iter().flat_map(|run| run.text.split_whitespace());
    words.eq(notice.split_whitespace())
}
