//! The fields of a proof request; all errors are reported at once.

use std::borrow::Cow;

use chrono::NaiveDate;

use crate::account::Account;
use crate::amount::Amount;
use crate::calendar;
use crate::criterion::{Criterion, ReferenceNumber};
use crate::own_accounts::{Completion, Destination};
use crate::participants::{Catalogue, ParticipantCode};
use crate::tracking_key::TrackingKey;

mod beneficiary;
mod field;
mod given;

pub use beneficiary::{ExpectedBeneficiary, RawBeneficiary};
pub use field::{Field, FieldError, FieldErrorKind};

/// A field's value in the request, before validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Token<'a> {
    /// Missing or null.
    #[default]
    Absent,
    /// A string, unescaped.
    Text(Cow<'a, str>),
    /// A number, spelled as in the request.
    Number(&'a str),
    /// Another JSON type, by name (`boolean`, `array`, `object`).
    Other(&'static str),
}

/// The fields of a request before validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawQuery<'a> {
    /// `fecha`: date of the transfer.
    pub date: Token<'a>,
    /// `clave_rastreo`: tracking key of the transfer.
    pub tracking_key: Token<'a>,
    /// `numero_referencia`: reference number, in place of the tracking key.
    pub reference: Token<'a>,
    /// `cuenta`: the beneficiary's account.
    pub account: Token<'a>,
    /// `monto`: amount in pesos.
    pub amount: Token<'a>,
    /// `emisor`: code or name of the issuing institution.
    pub issuer: Token<'a>,
    /// `receptor`: code or name of the receiving institution.
    pub receiver: Token<'a>,
}

/// Institutions that a request must name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Institutions {
    /// Both institutions (the explicit endpoints).
    Required,
    /// None; missing ones are inferred (the `_auto` endpoints).
    Inferable,
}

/// A valid proof request. Institutions that are `None` are inferred later. Until [`ProofQuery::complete`] its account
/// may be masked or missing (`ProofQuery<GivenAccount>`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofQuery<A = Account> {
    /// Calendar date of the transfer in Mexico City, from [`calendar::EARLIEST`] to today.
    pub date: NaiveDate,
    /// Tracking key, assigned by the issuing bank, or reference number.
    pub criterion: Criterion,
    /// The beneficiary's CLABE, card or phone number.
    pub account: A,
    /// Other own accounts of the customer that the transfer may have been credited to, the most likely first; empty
    /// if the caller gave the whole account.
    pub others: Vec<Destination>,
    /// How own accounts complete the account; `None` if the caller gave the whole account, and in a query that an older
    /// version stored.
    pub completion: Option<Completion>,
    /// Exact amount of the transfer.
    pub amount: Amount,
    /// Issuing institution; `None` to infer it.
    pub issuer: Option<ParticipantCode>,
    /// Receiving institution; `None` to infer it.
    pub receiver: Option<ParticipantCode>,
}

impl ProofQuery {
    /// Validates all fields; `today` is Mexico City's. A reference number beside the tracking key is ignored.
    ///
    /// # Errors
    /// Every invalid field, in the API's order. If the date is invalid, institutions are checked on the
    /// date of the participant list.
    pub fn parse(
        raw: &RawQuery<'_>,
        institutions: Institutions,
        today: NaiveDate,
        catalogue: &Catalogue,
    ) -> Result<Self, Vec<FieldError>> {
        let is_of_reference = raw.tracking_key == Token::Absent && raw.reference != Token::Absent;
        let criterion = if is_of_reference {
            Err(FieldErrorKind::StoredOnly.of(Field::Reference))
        } else {
            tracking_key(raw)
        };
        parse(raw, institutions, (today, catalogue), criterion, |token| {
            let text = text(token)?.ok_or(FieldErrorKind::Missing)?;
            Ok(Account::parse(text)?)
        })
    }
}

/// Validates the tracking key.
fn tracking_key(raw: &RawQuery<'_>) -> Result<Criterion, FieldError> {
    let key = text(&raw.tracking_key).and_then(|text| {
        let text = text.ok_or(FieldErrorKind::Missing)?;
        Ok(TrackingKey::parse(text)?)
    });
    let key = key.map_err(|problem| problem.of(Field::TrackingKey))?;
    Ok(key.into())
}

/// Validates the tracking key, or the reference number in its place.
fn criterion(raw: &RawQuery<'_>) -> Result<Criterion, FieldError> {
    let of_reference = |problem: FieldErrorKind| problem.of(Field::Reference);
    let Some(digits) = decimal(&raw.reference).map_err(of_reference)? else {
        return tracking_key(raw).map_err(|error| match error.problem {
            FieldErrorKind::Missing => FieldErrorKind::NoCriterion.of(Field::TrackingKey),
            _ => error,
        });
    };
    if raw.tracking_key != Token::Absent {
        return Err(of_reference(FieldErrorKind::WithTrackingKey));
    }
    let reference = ReferenceNumber::parse(digits).map_err(FieldErrorKind::from);
    Ok(reference.map_err(of_reference)?.into())
}

/// Validates all fields but the criterion; `account` reads the account.
fn parse<A>(
    raw: &RawQuery<'_>,
    institutions: Institutions,
    (today, catalogue): (NaiveDate, &Catalogue),
    criterion: Result<Criterion, FieldError>,
    account: impl Fn(&Token<'_>) -> Result<A, FieldErrorKind>,
) -> Result<ProofQuery<A>, Vec<FieldError>> {
    let mut errors = Vec::new();
    let mut check = Checker {
        errors: &mut errors,
    };
    let date = check.required(Field::Date, text(&raw.date), |text| {
        Ok(calendar::parse_past_date(text, today)?)
    });
    let criterion = check.keep(criterion);
    let account = check.note(Field::Account, account(&raw.account));
    let amount = check.required(Field::Amount, decimal(&raw.amount), |token| {
        Ok(Amount::parse(token)?)
    });
    let of_date = date.unwrap_or(catalogue.as_of());
    let participant = |text: &str| Ok(catalogue.participant(text, of_date)?);
    let (issuer, receiver) = match institutions {
        Institutions::Required => (
            check.required(Field::Issuer, text(&raw.issuer), participant),
            check.required(Field::Receiver, text(&raw.receiver), participant),
        ),
        Institutions::Inferable => (
            check.optional(Field::Issuer, text(&raw.issuer), participant),
            check.optional(Field::Receiver, text(&raw.receiver), participant),
        ),
    };
    match (date, criterion, account, amount) {
        (Some(date), Some(criterion), Some(account), Some(amount)) if errors.is_empty() => {
            Ok(ProofQuery {
                date,
                criterion,
                account,
                others: Vec::new(),
                completion: None,
                amount,
                issuer,
                receiver,
            })
        }
        _ => Err(errors),
    }
}

/// Collects the errors of fields while their values are read.
struct Checker<'a> {
    errors: &'a mut Vec<FieldError>,
}

impl Checker<'_> {
    fn required<T>(
        &mut self,
        field: Field,
        token: Result<Option<&str>, FieldErrorKind>,
        parse: impl Fn(&str) -> Result<T, FieldErrorKind>,
    ) -> Option<T> {
        let token = token.and_then(|token| token.ok_or(FieldErrorKind::Missing));
        self.note(field, token.and_then(parse))
    }

    fn optional<T>(
        &mut self,
        field: Field,
        token: Result<Option<&str>, FieldErrorKind>,
        parse: impl Fn(&str) -> Result<T, FieldErrorKind>,
    ) -> Option<T> {
        let value = token.and_then(|token| token.map(parse).transpose());
        self.note(field, value).flatten()
    }

    fn note<T>(&mut self, field: Field, value: Result<T, FieldErrorKind>) -> Option<T> {
        self.keep(value.map_err(|problem| problem.of(field)))
    }

    fn keep<T>(&mut self, value: Result<T, FieldError>) -> Option<T> {
        value.map_err(|error| self.errors.push(error)).ok()
    }
}

/// The text of a string field; `None` if absent.
fn text<'a>(token: &'a Token<'_>) -> Result<Option<&'a str>, FieldErrorKind> {
    match token {
        Token::Absent => Ok(None),
        Token::Text(text) => Ok(Some(text)),
        Token::Number(_) => Err(FieldErrorKind::WrongType {
            expected: "string",
            found: "number",
        }),
        Token::Other(found) => Err(FieldErrorKind::WrongType {
            expected: "string",
            found,
        }),
    }
}

/// The digits of a decimal field, given as a number or a string; `None` if absent.
fn decimal<'a>(token: &'a Token<'_>) -> Result<Option<&'a str>, FieldErrorKind> {
    match token {
        Token::Absent => Ok(None),
        Token::Text(text) => Ok(Some(text)),
        Token::Number(number) => Ok(Some(number)),
        Token::Other(found) => Err(FieldErrorKind::WrongType {
            expected: "number",
            found,
        }),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::calendar::DateError;
    use crate::fixture::day;

    pub(super) type Raw = RawQuery<'static>;

    pub(super) fn good() -> Raw {
        RawQuery {
            date: Token::Text("2026-11-20".into()),
            tracking_key: Token::Text("MBAN01002611200001234567".into()),
            reference: Token::Absent,
            account: Token::Text("002010077777777771".into()),
            amount: Token::Number("1234.56"),
            issuer: Token::Text("40012".into()),
            receiver: Token::Text("40002".into()),
        }
    }

    /// A good request with other values of some members.
    pub(super) fn with(change: impl FnOnce(&mut Raw)) -> Raw {
        let mut raw = good();
        change(&mut raw);
        raw
    }

    fn parse(
        raw: &RawQuery<'_>,
        institutions: Institutions,
    ) -> Result<ProofQuery, Vec<FieldError>> {
        ProofQuery::parse(raw, institutions, day("2026-11-20"), Catalogue::embedded())
    }

    #[test]
    fn a_good_request_is_read_and_its_amount_may_be_a_decimal_string() {
        let query = parse(&good(), Institutions::Required).unwrap();
        assert_eq!(query.amount.centavos(), 123_456);
        assert_eq!(query.issuer.unwrap().to_string(), "40012");
        let raw = with(|raw| raw.amount = Token::Text("0.10".into()));
        let query = parse(&raw, Institutions::Required).unwrap();
        assert_eq!(query.amount.centavos(), 10);
    }

    #[test]
    fn all_faults_are_reported_at_once_in_the_contracts_order() {
        let errors = parse(&RawQuery::default(), Institutions::Required).unwrap_err();
        let fields: Vec<_> = errors.iter().map(|error| error.field.name()).collect();
        let given = ["fecha", "clave_rastreo", "cuenta", "monto"];
        assert_eq!(fields, [&given[..], &["emisor", "receptor"]].concat());
        let mut problems = errors.iter().map(|error| &error.problem);
        assert!(problems.all(|problem| *problem == FieldErrorKind::Missing));
    }

    #[test]
    fn a_reference_number_is_ignored_beside_a_key_and_refused_in_its_place() {
        let reference = Token::Number("1234567");
        let raw = with(|raw| raw.reference = reference.clone());
        let query = parse(&raw, Institutions::Required).unwrap();
        assert_eq!(query.criterion.reference(), None);
        let raw = with(|raw| (raw.tracking_key, raw.reference) = (Token::Absent, reference));
        let refused = parse(&raw, Institutions::Required).unwrap_err();
        assert_eq!(refused, [FieldErrorKind::StoredOnly.of(Field::Reference)]);
    }

    #[test]
    fn institutions_may_be_absent_where_they_can_be_inferred() {
        let raw = with(|raw| (raw.issuer, raw.receiver) = (Token::Absent, Token::Absent));
        let query = parse(&raw, Institutions::Inferable).unwrap();
        assert_eq!((query.issuer, query.receiver), (None, None));
        assert_eq!(parse(&raw, Institutions::Required).unwrap_err().len(), 2);
    }

    fn of_date(date: &'static str) -> Raw {
        with(|raw| raw.date = Token::Text(date.into()))
    }

    fn wrong_type(expected: &'static str, found: &'static str) -> FieldErrorKind {
        FieldErrorKind::WrongType { expected, found }
    }

    #[rstest]
    #[case(with(|raw| raw.issuer = Token::Number("40012")), Field::Issuer, wrong_type("string", "number"))]
    #[case(of_date("2026-11-21"), Field::Date, DateError::InFuture { today: day("2026-11-20") }.into())]
    #[case(of_date("2003-12-31"), Field::Date, DateError::TooEarly.into())]
    #[case(with(|raw| raw.amount = Token::Other("boolean")), Field::Amount, wrong_type("number", "boolean"))]
    fn a_faulty_member_is_refused_whether_banks_can_be_inferred_or_not(
        #[case] raw: Raw,
        #[case] field: Field,
        #[case] problem: FieldErrorKind,
    ) {
        let expected = vec![FieldError { field, problem }];
        for institutions in [Institutions::Inferable, Institutions::Required] {
            assert_eq!(parse(&raw, institutions).as_ref(), Err(&expected));
        }
    }
}
