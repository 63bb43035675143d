//! Shapes of tracking keys and the banks that use them.
//!
//! A shape may define the position of a date in the key. If the digits there aren't a real date, the
//! key doesn't have this shape. For a shape of a single bank, the distance between that date and the
//! transfer's is ignored, so that a wrong `fecha` leads to a hint instead of an unknown bank. A shape
//! that reads the bank's code from the key is less certain, so the distance is checked.

use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::{Captures, Regex, RegexBuilder};

use super::tracking_key_dates::{DateForm, days_apart};
use super::{Confidence, Evidence, Inferred};
use crate::calendar::parse_date;
use crate::participants::{Catalogue, Participant, ParticipantCode};
use crate::tracking_key::TrackingKey;

/// Maximum distance in days between the date in a key and the transfer's, if the key contains the
/// bank's code. The longest gap to an operation date is at Easter, from Wednesday evening to Monday.
const MAX_DAYS_APART: u64 = 5;

/// Format of the tracking keys of one bank, or of several banks.
struct Shape {
    regex: Regex,
    issuer: Issuer,
    bank: String,
    confidence: Confidence,
    /// Name of the capture group of a date, and the date's format.
    date: Option<(&'static str, DateForm)>,
    valid_from: Option<NaiveDate>,
    valid_to: Option<NaiveDate>,
}

/// Determines the issuer of a key.
enum Issuer {
    /// This participant, by its code on the date.
    Named(ParticipantCode),
    /// The participant whose code is in the key.
    CodeInKey,
    /// The participant whose CLABE prefix (ABM number) is in the key.
    ClabePrefixInKey,
}

/// Date found at the shape's date position in a key.
enum DateInKey {
    /// The shape has no date.
    Unsaid,
    /// The digits aren't a real date.
    Unreal,
    /// A real date.
    Real(NaiveDate),
}

/// The compiled-in shapes, most specific first.
static EMBEDDED: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    from_csv(include_str!("../../../data/tracking-key-patterns.csv"))
        .expect("the embedded table is tested")
});

/// Infers the issuer from the shape of a tracking key: specific shapes of high confidence first,
/// then generic ones, then those of medium confidence.
pub(super) fn issuer_of(
    key: &TrackingKey,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<Inferred> {
    EMBEDDED.iter().find_map(|shape| {
        let groups = shape.regex.captures(key.as_str())?;
        let issuer = shape.issuer_of(&groups, date, catalogue)?;
        let evidence = Evidence::TrackingKeyShape {
            bank: &shape.bank,
            confidence: Confidence::in_validity(issuer, date).min(shape.confidence),
        };
        Some(Inferred {
            code: issuer.code,
            evidence,
        })
    })
}

/// Returns `true` if the key has any known shape, whatever its date.
pub(super) fn is_known(key: &TrackingKey) -> bool {
    EMBEDDED
        .iter()
        .any(|shape| shape.regex.is_match(key.as_str()))
}

/// Real dates in the key according to its possible shapes, most specific first.
pub(super) fn dates_in(key: &TrackingKey, near: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    EMBEDDED.iter().filter_map(move |shape| {
        let groups = shape.regex.captures(key.as_str())?;
        match shape.date_in(&groups, near) {
            DateInKey::Real(date) => Some(date),
            DateInKey::Unsaid | DateInKey::Unreal => None,
        }
    })
}

impl Shape {
    fn issuer_of<'a>(
        &self,
        groups: &Captures<'_>,
        date: NaiveDate,
        catalogue: &'a Catalogue,
    ) -> Option<&'a Participant> {
        if self.valid_from.is_some_and(|from| date < from)
            || self.valid_to.is_some_and(|to| to < date)
        {
            return None;
        }
        let near = match self.date_in(groups, date) {
            DateInKey::Unreal => return None,
            DateInKey::Unsaid => false,
            DateInKey::Real(inside) => days_apart(inside, date) <= MAX_DAYS_APART,
        };
        match self.issuer {
            Issuer::Named(code) => catalogue.by_institution(catalogue.institution(code), date),
            Issuer::CodeInKey if near => {
                let code = ParticipantCode::parse(groups.name("p5")?.as_str())?;
                catalogue
                    .on(date)
                    .find(|participant| participant.code == code)
            }
            Issuer::ClabePrefixInKey if near => {
                catalogue.by_clabe_prefix(groups.name("abm")?.as_str(), date)
            }
            Issuer::CodeInKey | Issuer::ClabePrefixInKey => None,
        }
    }

    fn date_in(&self, groups: &Captures<'_>, near: NaiveDate) -> DateInKey {
        let Some((group, form)) = self.date else {
            return DateInKey::Unsaid;
        };
        groups
            .name(group)
            .and_then(|text| form.read(text.as_str(), near))
            .map_or(DateInKey::Unreal, DateInKey::Real)
    }

    /// Order of evaluation, lowest first.
    fn rank(&self) -> u8 {
        match (self.confidence, &self.issuer) {
            (Confidence::High, Issuer::Named(_)) => 0,
            (Confidence::High, Issuer::CodeInKey | Issuer::ClabePrefixInKey) => 1,
            (Confidence::Medium, _) => 2,
        }
    }
}

/// Parses rows of `regex,participant,bank,confidence,valid_from,valid_to` after a header row. Rows of
/// low confidence are skipped. Returns the most specific shapes first; `None` if a row is malformed.
fn from_csv(csv: &str) -> Option<Vec<Shape>> {
    let mut shapes = csv::Reader::from_reader(csv.as_bytes())
        .records()
        .filter(|row| !matches!(row, Ok(row) if row.get(3) == Some("low")))
        .map(|row| shape(&row.ok()?))
        .collect::<Option<Vec<_>>>()?;
    shapes.sort_by_key(Shape::rank);
    Some(shapes)
}

/// Parses one row; `None` if it is malformed.
fn shape(row: &csv::StringRecord) -> Option<Shape> {
    let confidence = match row.get(3)? {
        "high" => Confidence::High,
        "medium" => Confidence::Medium,
        _ => return None,
    };
    let issuer = match row.get(1)? {
        "$p5" => Issuer::CodeInKey,
        "$abm" => Issuer::ClabePrefixInKey,
        code => Issuer::Named(ParticipantCode::parse(code)?),
    };
    let day = |text: &str| match text {
        "" => Some(None),
        text => parse_date(text).ok().map(Some),
    };
    // Keys are ASCII, and without Unicode classes the regexes need less memory.
    let regex = RegexBuilder::new(row.get(0)?).unicode(false).build().ok()?;
    let named = |group: &str| regex.capture_names().flatten().any(|name| name == group);
    let date = DateForm::GROUPS.into_iter().find(|(group, _)| named(group));
    Some(Shape {
        date,
        regex,
        issuer,
        bank: row.get(2)?.to_owned(),
        confidence,
        valid_from: day(row.get(4)?)?,
        valid_to: day(row.get(5)?)?,
    })
}

#[cfg(test)]
mod tests;
