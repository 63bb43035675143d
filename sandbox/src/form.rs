//! The ten form fields of `valida.do`, parsed as leniently as by the portal.

use chrono::NaiveDate;
use domain::amount::{Amount, centavos_from_bank_spelling};
use domain::participants::ParticipantCode;
use domain::tracking_key::TrackingKey;

use crate::order::{Beneficiary, Order};
use crate::seeded_rng::SeededRng;

/// Kind of query: the `tipoConsulta` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryType {
    /// `tipoConsulta=1`: the proof, which may then be downloaded.
    Proof,
    /// `tipoConsulta=0`: only the payment's state.
    State,
}

/// A valid form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inquiry {
    pub(crate) order: Order,
    /// `tipoCriterio`: the order is queried by its reference number.
    pub(crate) is_by_reference: bool,
    pub(crate) query_type: QueryType,
}

/// Reasons why a form is invalid; the portal has a page for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormError {
    /// The form has neither a tracking key nor a reference number.
    CriterionMissing,
    /// Any other field is missing or invalid.
    Invalid,
}

impl Inquiry {
    /// Parses the fields in any order. If a field is repeated, the first one is used.
    pub(crate) fn parse(fields: &[(String, String)]) -> Result<Self, FormError> {
        let field = |name: &str| {
            let found = fields.iter().find(|(field, _)| field == name);
            found.map_or("", |(_, value)| value.trim())
        };
        let (tracking_key, reference) = criterion(field("tipoCriterio"), field("criterio"))
            .ok_or(FormError::CriterionMissing)?;
        let parsed = || {
            if field("captcha").is_empty() {
                return None;
            }
            Some(Self {
                order: Order {
                    date: date(field("fecha"))?,
                    tracking_key,
                    reference,
                    issuer: ParticipantCode::parse(field("emisor"))?,
                    receiver: ParticipantCode::parse(field("receptor"))?,
                    account: account(field("cuenta"))?,
                    amount: Amount::from_centavos(centavos_from_bank_spelling(field("monto"))?)?,
                    beneficiary: match field("receptorParticipante") {
                        "0" => Beneficiary::Customer,
                        "1" => Beneficiary::Participant,
                        _ => return None,
                    },
                },
                is_by_reference: field("tipoCriterio") == "R",
                query_type: match field("tipoConsulta") {
                    "1" => QueryType::Proof,
                    "0" => QueryType::State,
                    _ => return None,
                },
            })
        };
        parsed().ok_or(FormError::Invalid)
    }
}

/// Beginning of the tracking keys that are derived from reference numbers.
const KEY_OF_REFERENCE: &str = "SANDBOX";

/// Returns the reference number of a tracking key that was derived from one.
fn reference_in(key: &TrackingKey) -> Option<u32> {
    let digits = key.as_str().strip_prefix(KEY_OF_REFERENCE)?.get(..7)?;
    let number = all_digits(digits).then(|| digits.parse().ok()).flatten();
    number.filter(|number| *number > 0)
}

/// Returns the tracking key and the numeric reference. The one that isn't given is derived from the
/// other.
fn criterion(kind: &str, value: &str) -> Option<(TrackingKey, u32)> {
    match kind {
        "T" => {
            let key = TrackingKey::parse(value).ok()?;
            let reference = reference_in(&key)
                .unwrap_or_else(|| 1 + SeededRng::from_key(&key).below(9_999_999, "reference"));
            Some((key, reference))
        }
        "R" => {
            let is_well_formed = (1..=7).contains(&value.len()) && all_digits(value);
            let reference: u32 = is_well_formed.then(|| value.parse().ok()).flatten()?;
            let key = TrackingKey::parse(&format!("{KEY_OF_REFERENCE}{reference:07}")).ok()?;
            Some((key, reference))
        }
        _ => None,
    }
}

/// Parses a date in the portal's format: `dd-mm-yyyy`, zero-padded.
pub(crate) fn date(text: &str) -> Option<NaiveDate> {
    let is_well_formed = text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            2 | 5 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_well_formed
        .then(|| NaiveDate::parse_from_str(text, "%d-%m-%Y").ok())
        .flatten()
}

fn account(text: &str) -> Option<String> {
    let is_well_formed = matches!(text.len(), 10 | 16 | 18) && all_digits(text);
    is_well_formed.then(|| text.to_owned())
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
pub(crate) mod tests;
