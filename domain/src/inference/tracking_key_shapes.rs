//! Shapes of tracking keys and the banks that make them.
//!
//! A shape may name a date inside the key. Digits that are no real date then belong to another
//! shape. How far the date is from the transfer's isn't asked of a shape that is one bank's own: a
//! wrong `fecha` shall be found out by the bank's answer and a hint, not pass for an unknown bank.
//! A shape that reads the bank's code out of the key is less sure of itself and does ask.

use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::{Captures, Regex, RegexBuilder};

use super::tracking_key_dates::{DateForm, days_apart};
use super::{Confidence, Evidence, Inferred};
use crate::calendar::parse_date;
use crate::participant::{Catalogue, Participant, ParticipantCode};
use crate::tracking_key::TrackingKey;

/// How far the date inside a key may be from the transfer's when the key itself names the bank:
/// an operation date rolls that far at Easter, from Wednesday evening to Monday.
const MAX_DAYS_APART: u64 = 5;

/// The keys of one bank, or of all banks that build them alike.
struct Shape {
    regex: Regex,
    issuer: Issuer,
    bank: String,
    confidence: Confidence,
    /// The group that holds a date, and its form.
    date: Option<(&'static str, DateForm)>,
    valid_from: Option<NaiveDate>,
    valid_to: Option<NaiveDate>,
}

/// Who makes keys of a shape.
enum Issuer {
    /// This participant, under whatever code it has on the date.
    Named(ParticipantCode),
    /// The participant whose code stands in the key.
    CodeInKey,
    /// The participant whose CLABE prefix (its ABM number) stands in the key.
    ClabePrefixInKey,
}

/// What a key says about its date.
enum DateInKey {
    /// Its shape has no place for one.
    Unsaid,
    /// There is no such day.
    Unreal,
    /// A real date.
    Real(NaiveDate),
}

/// Most specific first.
static EMBEDDED: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    from_csv(include_str!("../../data/tracking-key-patterns.csv"))
        .expect("the embedded table is tested")
});

/// The issuer by the shape of its tracking key: specific shapes of high confidence, then generic
/// ones, then those of medium confidence.
pub(super) fn issuer_of(
    key: &TrackingKey,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<Inferred> {
    EMBEDDED.iter().find_map(|shape| {
        let groups = shape.regex.captures(key.as_str())?;
        let code = shape.issuer_of(&groups, date, catalogue)?.code;
        let evidence = Evidence::TrackingKeyShape {
            bank: &shape.bank,
            confidence: shape.confidence,
        };
        Some(Inferred { code, evidence })
    })
}

/// The real dates that the key's possible shapes name, the most specific shape first.
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
            Issuer::Named(code) => {
                let prefix = &catalogue.find(code)?.clabe_prefix;
                catalogue.by_clabe_prefix(prefix, date)
            }
            Issuer::CodeInKey if near => {
                let code = ParticipantCode::parse(groups.name("p5")?.as_str())?;
                let participant = catalogue.find(code)?;
                participant.is_valid_on(date).then_some(participant)
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

    /// The order in which shapes are tried.
    fn rank(&self) -> u8 {
        match (self.confidence, &self.issuer) {
            (Confidence::High, Issuer::Named(_)) => 0,
            (Confidence::High, Issuer::CodeInKey | Issuer::ClabePrefixInKey) => 1,
            (Confidence::Medium, _) => 2,
        }
    }
}

/// Reads `regex,participant,bank,confidence,valid_from,valid_to` with a header row, without the
/// rows of low confidence, the most specific shapes first; `None` when a row is malformed.
fn from_csv(csv: &str) -> Option<Vec<Shape>> {
    let mut shapes = csv::Reader::from_reader(csv.as_bytes())
        .records()
        .filter(|row| !matches!(row, Ok(row) if row.get(3) == Some("low")))
        .map(|row| shape(&row.ok()?))
        .collect::<Option<Vec<_>>>()?;
    shapes.sort_by_key(Shape::rank);
    Some(shapes)
}

/// Reads one row; `None` when it is malformed.
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
    // Keys are ASCII; without Unicode classes the shapes compile small.
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
