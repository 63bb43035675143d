//! The ten fields of `valida.do`, read as leniently as the portal reads them.

use chrono::NaiveDate;
use domain::amount::{Amount, centavos_from_bank_spelling};
use domain::participant::ParticipantCode;
use domain::tracking_key::TrackingKey;

use crate::dice::Dice;
use crate::order::{Beneficiary, Order};

/// What the client wants to know of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// `tipoConsulta=1`: the proof; arms the download.
    Proof,
    /// `tipoConsulta=0`: the state only.
    State,
}

/// A readable form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inquiry {
    pub(crate) order: Order,
    pub(crate) wanted: Wanted,
}

/// Why a form can't be answered; the portal has a page for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormFault {
    /// Neither a tracking key nor a reference number.
    CriterionMissing,
    /// Anything else that is missing or makes no sense.
    Unreadable,
}

impl Inquiry {
    /// Reads the fields, whatever their order; of a repeated field the first counts.
    pub(crate) fn read(fields: &[(String, String)]) -> Result<Self, FormFault> {
        let field = |name: &str| {
            let found = fields.iter().find(|(field, _)| field == name);
            found.map_or("", |(_, value)| value.trim())
        };
        let (tracking_key, reference) = criterion(field("tipoCriterio"), field("criterio"))
            .ok_or(FormFault::CriterionMissing)?;
        let readable = || {
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
                wanted: match field("tipoConsulta") {
                    "1" => Wanted::Proof,
                    "0" => Wanted::State,
                    _ => return None,
                },
            })
        };
        readable().ok_or(FormFault::Unreadable)
    }
}

/// The tracking key and the numeric reference of the order; the one that wasn't given is invented.
fn criterion(kind: &str, value: &str) -> Option<(TrackingKey, u32)> {
    match kind {
        "T" => {
            let key = TrackingKey::parse(value).ok()?;
            let reference = 1 + Dice::of(&key).below(9_999_999, "reference");
            Some((key, reference))
        }
        "R" => {
            let shaped = (1..=7).contains(&value.len()) && all_digits(value);
            let reference: u32 = shaped.then(|| value.parse().ok()).flatten()?;
            let key = TrackingKey::parse(&format!("SANDBOX{reference:07}")).ok()?;
            Some((key, reference))
        }
        _ => None,
    }
}

/// A date as the portal writes it: `dd-mm-yyyy`, zero-padded.
pub(crate) fn date(text: &str) -> Option<NaiveDate> {
    let shaped = text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            2 | 5 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    shaped
        .then(|| NaiveDate::parse_from_str(text, "%d-%m-%Y").ok())
        .flatten()
}

fn account(text: &str) -> Option<String> {
    let shaped = matches!(text.len(), 10 | 16 | 18) && all_digits(text);
    shaped.then(|| text.to_owned())
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

    fn read(name: &str, value: &str) -> Result<Inquiry, FormFault> {
        let fields: Vec<_> = GOOD
            .iter()
            .map(|(field, good)| (*field, if *field == name { value } else { good }))
            .map(|(field, value)| (field.to_owned(), value.to_owned()))
            .collect();
        Inquiry::read(&fields)
    }

    #[test]
    fn the_order_of_the_fields_does_not_matter() {
        let backwards: Vec<_> = GOOD
            .iter()
            .rev()
            .map(|(field, value)| ((*field).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(Inquiry::read(&backwards), read("captcha", "c"));
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
    fn without_a_criterion_there_is_nothing_to_look_for(#[case] name: &str, #[case] value: &str) {
        assert_eq!(read(name, value), Err(FormFault::CriterionMissing));
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
    fn what_makes_no_sense_is_unreadable(#[case] name: &str, #[case] value: &str) {
        assert_eq!(read(name, value), Err(FormFault::Unreadable));
    }

    #[test]
    fn a_payment_is_found_by_its_reference_number() {
        let mut fields: Vec<_> = GOOD
            .iter()
            .map(|(field, value)| ((*field).to_owned(), (*value).to_owned()))
            .collect();
        fields[0].1 = "R".to_owned();
        fields[1].1 = "4600001".to_owned();
        let order = Inquiry::read(&fields).unwrap().order;
        assert_eq!(order.reference, 4_600_001);
        assert_eq!(order.tracking_key.as_str(), "SANDBOX4600001");
    }
}
