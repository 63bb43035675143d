//! Queries whose account is masked or missing, and the own accounts that complete it.

use std::iter;

use chrono::NaiveDate;

use super::{
    Field, FieldError, FieldErrorKind, Institutions, ProofQuery, RawQuery, Token, criterion, parse,
    text,
};
use crate::account::Account;
use crate::masked_account::{MaskedAccount, is_written_mask};
use crate::own_accounts::{self, Completion, Destination, GivenAccount, OwnAccount};
use crate::participants::{Catalogue, ParticipantCode};

impl ProofQuery {
    /// The accounts that the transfer may have been credited to, the most likely first: the account alone if the
    /// caller gave it whole.
    pub fn destinations(&self) -> Vec<Destination> {
        let first = Destination {
            account: self.account.clone(),
            receiver: self.receiver,
        };
        iter::once(first)
            .chain(self.others.iter().cloned())
            .collect()
    }

    /// Account and receiving institution as the caller gave them: a masked account with its mask, a missing one as an
    /// empty text.
    pub fn as_given(&self) -> (String, Option<ParticipantCode>) {
        match &self.completion {
            None => (self.account.as_str().to_owned(), self.receiver),
            Some(Completion {
                masked, receiver, ..
            }) => {
                let masked = masked.as_ref().map(ToString::to_string);
                (masked.unwrap_or_default(), *receiver)
            }
        }
    }

    /// The own accounts that complete the account, in the order in which they are asked for; none if the caller gave
    /// the whole account.
    pub fn own_accounts(&self) -> Vec<Account> {
        if self.completion.is_none() && self.others.is_empty() {
            return Vec::new();
        }
        let destinations = self.destinations().into_iter();
        destinations.map(|it| it.account).collect()
    }

    /// The same request for this account, with these others to ask for after it.
    #[must_use]
    pub fn with_destinations(&self, destination: Destination, others: Vec<Destination>) -> Self {
        Self {
            account: destination.account,
            receiver: destination.receiver,
            others,
            ..self.clone()
        }
    }
}

impl GivenAccount {
    /// Parses an account: all of its digits, or masked.
    pub(crate) fn parse(text: &str) -> Result<Self, FieldErrorKind> {
        match (Account::parse(text), MaskedAccount::parse(text)) {
            (Ok(account), _) => Ok(Self::Whole(account)),
            (Err(_), Some(masked)) => Ok(Self::Masked(masked)),
            (Err(_), None) if text.contains(is_written_mask) => Err(FieldErrorKind::MaskedDigits),
            (Err(error), None) => Err(error.into()),
        }
    }
}

impl From<ProofQuery> for ProofQuery<GivenAccount> {
    fn from(query: ProofQuery) -> Self {
        query.map_account(GivenAccount::Whole)
    }
}

impl<A> ProofQuery<A> {
    fn map_account<B>(self, map: impl FnOnce(A) -> B) -> ProofQuery<B> {
        ProofQuery {
            date: self.date,
            criterion: self.criterion,
            account: map(self.account),
            others: self.others,
            completion: self.completion,
            amount: self.amount,
            issuer: self.issuer,
            receiver: self.receiver,
        }
    }
}

impl ProofQuery<GivenAccount> {
    /// Validates all fields like [`ProofQuery::parse`], of which the account may be masked or missing, and a reference
    /// number may stand in place of the tracking key. Institutions may be missing, too.
    ///
    /// # Errors
    /// Every invalid field, in the API's order, and a missing account with them.
    pub fn parse_given(
        raw: &RawQuery<'_>,
        today: NaiveDate,
        catalogue: &Catalogue,
    ) -> Result<Self, Vec<FieldError>> {
        let account = |token: &Token<'_>| {
            let Some(text) = text(token)? else {
                return Ok(GivenAccount::Missing);
            };
            GivenAccount::parse(text)
        };
        let criterion = criterion(raw);
        let context = (today, catalogue);
        let parsed = parse(raw, Institutions::Inferable, context, criterion, account);
        parsed.map_err(|mut errors| {
            if raw.account == Token::Absent {
                let is_before = |error: &FieldError| {
                    matches!(
                        error.field,
                        Field::Date | Field::TrackingKey | Field::Reference
                    )
                };
                let place = errors.iter().take_while(|error| is_before(error)).count();
                errors.insert(place, FieldErrorKind::Missing.of(Field::Account));
            }
            errors
        })
    }

    /// Completes a masked or missing account with those of the customer's own accounts that fit.
    ///
    /// # Errors
    /// None of them fits.
    pub fn complete(
        self,
        own: &[OwnAccount],
        catalogue: &Catalogue,
    ) -> Result<ProofQuery, FieldError> {
        let (masked, missing) = match &self.account {
            GivenAccount::Whole(account) => {
                let account = account.clone();
                return Ok(self.map_account(|_| account));
            }
            GivenAccount::Masked(masked) => (Some(masked.clone()), FieldErrorKind::NoOwnAccount),
            GivenAccount::Missing => (None, FieldErrorKind::Missing),
        };
        let receiver = self.receiver;
        let (candidates, unasked) =
            own_accounts::candidates(&self.account, receiver, own, catalogue);
        let mut candidates = candidates.into_iter();
        let first = candidates.next();
        let first = first.ok_or_else(|| missing.of(Field::Account))?;
        let account = first.account.clone();
        let query = Self {
            completion: Some(Completion {
                masked,
                receiver,
                unasked,
            }),
            ..self
        };
        let query = query.map_account(|_| account);
        Ok(query.with_destinations(first, candidates.collect()))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::tests::{good, with};
    use super::*;
    use crate::account::AccountError;
    use crate::criterion::{ReferenceNumber, ReferenceNumberError};
    use crate::fixture::day;
    use crate::participants::ParticipantCode;

    fn given(account: Token<'static>) -> Result<ProofQuery<GivenAccount>, Vec<FieldError>> {
        let raw = with(|raw| (raw.account, raw.receiver) = (account, Token::Absent));
        ProofQuery::parse_given(&raw, day("2026-11-20"), Catalogue::embedded())
    }

    fn own() -> [OwnAccount; 2] {
        ["002010077777777771", "012180001234567771"].map(|account| OwnAccount {
            id: own_accounts::OwnAccountId(uuid::Uuid::nil()),
            name: own_accounts::AccountName::parse("Ventas").unwrap(),
            account: Account::parse(account).unwrap(),
            bank: ParticipantCode::parse("40002").unwrap(),
            added_at: chrono::DateTime::UNIX_EPOCH,
        })
    }

    #[rstest]
    #[case::masked(Token::Text("•••• 7771".into()), "****7771")]
    #[case::missing(Token::Absent, "")]
    fn a_masked_or_missing_account_is_completed_with_own_ones(
        #[case] account: Token<'static>,
        #[case] as_given: &str,
    ) {
        let query = given(account).unwrap();
        let query = query.complete(&own(), Catalogue::embedded()).unwrap();
        assert_eq!(query.account, own()[0].account);
        let [other] = &query.others[..] else {
            panic!("one other account fits");
        };
        let of_other = query.with_destinations(other.clone(), Vec::new());
        assert_eq!(
            (&of_other.account, &of_other.others[..]),
            (&own()[1].account, &[][..])
        );
        assert_eq!(of_other.criterion, query.criterion);
        assert_eq!(query.own_accounts(), own().map(|own| own.account));
        assert_eq!(of_other.as_given(), (as_given.to_owned(), None));
    }

    #[rstest]
    #[case::masked(Token::Text("****9999".into()), FieldErrorKind::NoOwnAccount)]
    #[case::missing(Token::Absent, FieldErrorKind::Missing)]
    fn an_account_that_no_own_one_fits_is_refused(
        #[case] account: Token<'static>,
        #[case] problem: FieldErrorKind,
    ) {
        let own = if problem == FieldErrorKind::Missing {
            &[][..]
        } else {
            &own()[..]
        };
        let refused = given(account).unwrap().complete(own, Catalogue::embedded());
        assert_eq!(refused, Err(problem.of(Field::Account)));
    }

    #[rstest]
    #[case::text(Token::Text("0012345".into()), Ok("12345"))]
    #[case::number(Token::Number("1234567"), Ok("1234567"))]
    #[case::too_long(Token::Text("12345678".into()), Err(ReferenceNumberError.into()))]
    #[case::fraction(Token::Number("12.5"), Err(ReferenceNumberError.into()))]
    #[case::flag(Token::Other("boolean"), Err(FieldErrorKind::WrongType { expected: "number", found: "boolean" }))]
    fn a_reference_number_stands_in_place_of_the_key(
        #[case] reference: Token<'static>,
        #[case] read: Result<&str, FieldErrorKind>,
    ) {
        let parse = |key: Token<'static>| {
            let raw = with(|raw| (raw.tracking_key, raw.reference) = (key, reference.clone()));
            let query = ProofQuery::parse_given(&raw, day("2026-11-20"), Catalogue::embedded());
            query.map(|query| query.criterion)
        };
        let errors = |problem: FieldErrorKind| vec![problem.of(Field::Reference)];
        let criterion = parse(Token::Absent);
        let expected = read.map(|digits| ReferenceNumber::parse(digits).unwrap().into());
        assert_eq!(criterion, expected.map_err(errors));
        if criterion.is_ok() {
            let both = parse(good().tracking_key);
            assert_eq!(both, Err(errors(FieldErrorKind::WithTrackingKey)));
        }
    }

    #[test]
    fn a_whole_account_stays_as_it_is_and_a_faulty_one_is_refused() {
        let whole = given(good().account).unwrap();
        let whole = whole.complete(&own(), Catalogue::embedded()).unwrap();
        assert_eq!((whole.own_accounts(), whole.receiver), (vec![], None));
        assert_eq!(whole.as_given().0, whole.account.as_str());
        let faulty = given(Token::Text("1234".into())).unwrap_err();
        let problem = AccountError::Length { digits: 4 }.into();
        assert_eq!(
            faulty,
            [FieldError {
                field: Field::Account,
                problem
            }]
        );
        let errors = ProofQuery::parse_given(
            &RawQuery::default(),
            day("2026-11-20"),
            Catalogue::embedded(),
        );
        let fields = errors
            .unwrap_err()
            .into_iter()
            .map(|error| error.field.name())
            .collect::<Vec<_>>();
        assert_eq!(fields, ["fecha", "clave_rastreo", "cuenta", "monto"]);
        let raw = with(|raw| {
            (raw.tracking_key, raw.reference) = (Token::Absent, Token::Number("0"));
            raw.account = Token::Absent;
        });
        let errors = ProofQuery::parse_given(&raw, day("2026-11-20"), Catalogue::embedded());
        let fields = errors
            .unwrap_err()
            .into_iter()
            .map(|error| error.field.name());
        assert!(fields.eq(["numero_referencia", "cuenta"]));
        let neither = with(|raw| raw.tracking_key = Token::Absent);
        let errors = ProofQuery::parse_given(&neither, day("2026-11-20"), Catalogue::embedded());
        let missing = FieldErrorKind::NoCriterion.of(Field::TrackingKey);
        assert_eq!(errors.unwrap_err(), [missing]);
        for masked in ["****12", "*1234", "****123456789"] {
            let errors = given(Token::Text(masked.into())).unwrap_err();
            assert_eq!(
                errors,
                [FieldErrorKind::MaskedDigits.of(Field::Account)],
                "{masked}"
            );
        }
    }
}
