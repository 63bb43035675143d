//! The ten fields of `valida.do`, parsed as leniently as the portal does.

use chrono::NaiveDate;
use domain::amount::{Amount, centavos_from_bank_spelling};
use domain::participant::ParticipantCode;
use domain::tracking_key::TrackingKey;

use crate::order::{Beneficiary, Order};
use crate::seeded_rng::SeededRng;

/// The `tipoConsulta` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryType {
    /// `tipoConsulta=1`: the proof; arms the download.
    Proof,
    /// `tipoConsulta=0`: the state only.
    State,
}

/// A valid form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inquiry {
    pub(crate) order: Order,
    pub(crate) query_type: QueryType,
}

/// Reasons why a form is invalid; the portal has a page for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormError {
    /// Neither a tracking key nor a reference number.
    CriterionMissing,
    /// Any other field is missing or invalid.
    Invalid,
}

impl Inquiry {
    /// Parses the fields in any order; of a repeated field the first counts.
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

/// Returns the tracking key and the numeric reference of the order; the one that isn't given is
/// invented.
fn criterion(kind: &str, value: &str) -> Option<(TrackingKey, u32)> {
    match kind {
        "T" => {
            let key = TrackingKey::parse(value).ok()?;
            let reference = 1 + SeededRng::from_key(&key).below(9_999_999, "reference");
            Some((key, reference))
        }
        "R" => {
            let is_well_formed = (1..=7).contains(&value.len()) && all_digits(value);
            let reference: u32 = is_well_formed.then(|| value.parse().ok()).flatten()?;
            let key = TrackingKey::parse(&format!("SANDBOX{reference:07}")).ok()?;
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
mod tests {
    use super::*;
    use rstest::rstest;

    const GOOD: [(&str, &str); 10] = [
        ("tipoCriterio", "T"),
        ("criterio", "MBAN01002611200001234567"),
        ("fecha", "20-11-2026"),
        ("emisor", "40012"),
        ("receptor", "40002"),
        ("cuenta", "002010077777777771"),
        ("monto", "1234.50"),
        ("receptorParticipante", "0"),
        ("captcha", "c"),
        ("tipoConsulta", "1"),
    ];

    fn read(name: &str, value: &str) -> Result<Inquiry, FormError> {
        let fields: Vec<_> = GOOD
            .iter()
            .map(|(field, good)| (*field, if *field == name { value } else { good }))
            .map(|(field, value)| (field.to_owned(), value.to_owned()))
            .collect();
        Inquiry::parse(&fields)
    }

    #[test]
    fn the_order_of_the_fields_does_not_matter() {
        let backwards: Vec<_> = GOOD
            .iter()
            .rev()
            .map(|(field, value)| ((*field).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(Inquiry::parse(&backwards), read("captcha", "c"));
    }

    #[rstest]
    #[case("1234.5")]
    #[case("0001234.50")]
    fn amounts_are_compared_as_numbers(#[case] spelling: &str) {
        assert_eq!(read("monto", spelling), read("monto", "1234.50"));
    }

    #[rstest]
    #[case("tipoCriterio", "")]
    #[case("tipoCriterio", "X")]
    #[case("criterio", " ")]
    #[case("criterio", "1234567890123456789012345678901")]
    fn a_form_without_a_criterion_is_refused(#[case] name: &str, #[case] value: &str) {
        assert_eq!(read(name, value), Err(FormError::CriterionMissing));
    }

    #[rstest]
    #[case("fecha", "2026-11-20")]
    #[case("fecha", "1-11-2026")]
    #[case("fecha", "31-11-2026")]
    #[case("emisor", "")]
    #[case("receptor", "0002")]
    #[case("cuenta", "12345")]
    #[case("monto", "1,234.50")]
    #[case("monto", "0.00")]
    #[case("receptorParticipante", "2")]
    #[case("captcha", "")]
    #[case("tipoConsulta", "")]
    fn an_invalid_field_is_refused(#[case] name: &str, #[case] value: &str) {
        assert_eq!(read(name, value), Err(FormError::Invalid));
    }

    #[test]
    fn a_payment_is_found_by_its_reference_number() {
        let mut fields: Vec<_> = GOOD
            .iter()
            .map(|(field, value)| ((*field).to_owned(), (*value).to_owned()))
            .collect();
        fields[0].1 = "R".to_owned();
        fields[1].1 = "4600001".to_owned();
        let order = Inquiry::parse(&fields).unwrap().order;
        assert_eq!(order.reference, 4_600_001);
        assert_eq!(order.tracking_key.as_str(), "SANDBOX4600001");
    }
}
