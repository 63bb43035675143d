//! Queries whose account is masked or missing, and the own accounts that complete it.

use std::iter;

use chrono::NaiveDate;

use super::{
    Field, FieldError, FieldErrorKind, Institutions, ProofQuery, RawQuery, Token, parse, text,
};
use crate::account::Account;
use crate::masked_account::MaskedAccount;
use crate::own_accounts::{self, Destination, GivenAccount, OwnAccount};
use crate::participants::Catalogue;

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

impl From<ProofQuery> for ProofQuery<GivenAccount> {
    fn from(query: ProofQuery) -> Self {
        query.map_account(GivenAccount::Whole)
    }
}

impl<A> ProofQuery<A> {
    fn map_account<B>(self, map: impl FnOnce(A) -> B) -> ProofQuery<B> {
        ProofQuery {
            date: self.date,
            tracking_key: self.tracking_key,
            account: map(self.account),
            others: self.others,
            amount: self.amount,
            issuer: self.issuer,
            receiver: self.receiver,
        }
    }
}

impl ProofQuery<GivenAccount> {
    /// Validates all fields like [`ProofQuery::parse`], of which the account may be masked or missing. Institutions
    /// may be missing, too.
    ///
    /// # Errors
    /// Every invalid field, in the API's order, and a missing account with them.
    pub fn parse_given(
        raw: &RawQuery<'_>,
        today: NaiveDate,
        catalogue: &Catalogue,
    ) -> Result<Self, Vec<FieldError>> {
        let parsed = parse(raw, Institutions::Inferable, (today, catalogue), |token| {
            let Some(text) = text(token)? else {
                return Ok(GivenAccount::Missing);
            };
            match (Account::parse(text), MaskedAccount::parse(text)) {
                (Ok(account), _) => Ok(GivenAccount::Whole(account)),
                (Err(_), Some(masked)) => Ok(GivenAccount::Masked(masked)),
                (Err(error), None) => Err(error.into()),
            }
        });
        parsed.map_err(|mut errors| {
            if raw.account == Token::Absent {
                let is_before =
                    |error: &FieldError| matches!(error.field, Field::Date | Field::TrackingKey);
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
        let missing = match &self.account {
            GivenAccount::Whole(account) => {
                let account = account.clone();
                return Ok(self.map_account(|_| account));
            }
            GivenAccount::Masked(_) => FieldErrorKind::NoOwnAccount,
            GivenAccount::Missing => FieldErrorKind::Missing,
        };
        let candidates = own_accounts::candidates(&self.account, self.receiver, own, catalogue);
        let mut candidates = candidates.into_iter();
        let first = candidates.next();
        let first = first.ok_or_else(|| missing.of(Field::Account))?;
        let account = first.account.clone();
        let query = self.map_account(|_| account);
        Ok(query.with_destinations(first, candidates.collect()))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::tests::{good, with};
    use super::*;
    use crate::account::AccountError;
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
    #[case::masked(Token::Text("•••• 7771".into()))]
    #[case::missing(Token::Absent)]
    fn a_masked_or_missing_account_is_completed_with_own_ones(#[case] account: Token<'static>) {
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
        assert_eq!(of_other.tracking_key, query.tracking_key);
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

    #[test]
    fn a_whole_account_stays_as_it_is_and_a_faulty_one_is_refused() {
        let whole = given(good().account).unwrap();
        let whole = whole.complete(&own(), Catalogue::embedded()).unwrap();
        assert_eq!((whole.others.len(), whole.receiver), (0, None));
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
    }
}
