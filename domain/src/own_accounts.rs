//! Accounts that a customer receives transfers on, which complete queries with a masked or missing account.

use std::fmt;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::account::Account;
use crate::keys::KeyName;
use crate::masked_account::MaskedAccount;
use crate::participants::{Catalogue, ParticipantCode};

/// Maximum number of own accounts of a customer.
pub const MAX_OWN_ACCOUNTS: usize = 50;
/// Maximum number of own accounts for which the bank is asked in one attempt.
pub const MAX_CANDIDATES: usize = 3;

/// Id of an own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OwnAccountId(pub Uuid);

impl fmt::Display for OwnAccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A customer's name for an own account, with the rules of a key's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountName(String);

/// Error of parsing a name of an own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a name has 1 to 100 characters, none of them invisible or a control character")]
pub struct AccountNameError;

impl AccountName {
    /// Parses a name; surrounding blanks are dropped.
    ///
    /// # Errors
    /// [`AccountNameError`].
    pub fn parse(text: &str) -> Result<Self, AccountNameError> {
        let name = KeyName::parse(text).map_err(|_| AccountNameError)?;
        Ok(Self(name.as_str().to_owned()))
    }

    /// The name without surrounding blanks.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An account that a customer receives transfers on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnAccount {
    /// The account's id.
    pub id: OwnAccountId,
    /// The customer's name for it.
    pub name: AccountName,
    /// CLABE, card or phone number.
    pub account: Account,
    /// The institution that keeps it.
    pub bank: ParticipantCode,
    /// Time at which it was added.
    pub added_at: DateTime<Utc>,
}

/// Receiving account of a query, as far as the caller gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenAccount {
    /// All digits.
    Whole(Account),
    /// The last digits.
    Masked(MaskedAccount),
    /// Nothing.
    Missing,
}

/// An account that a transfer may have been credited to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The account.
    pub account: Account,
    /// Its institution; `None` to infer it.
    pub receiver: Option<ParticipantCode>,
}

/// How own accounts complete a query whose account is masked or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The digits that the caller gave; `None` if the account was missing.
    pub masked: Option<MaskedAccount>,
    /// The receiving institution that the caller gave.
    pub receiver: Option<ParticipantCode>,
    /// Number of own accounts that fit, and for which the bank isn't asked.
    pub unasked: usize,
}

/// The own accounts that may have received a transfer to `given`, the most likely first, at most
/// [`MAX_CANDIDATES`], and the number of further ones: with its last digits, and kept by the receiving institution if
/// the query names one. CLABEs come before cards, and these before phone numbers, since most transfers go to CLABEs;
/// those of a kind stay in their order.
pub fn candidates(
    given: &GivenAccount,
    receiver: Option<ParticipantCode>,
    own: &[OwnAccount],
    catalogue: &Catalogue,
) -> (Vec<Destination>, usize) {
    let institution = |code| catalogue.institution(code);
    let fits = |own: &&OwnAccount| {
        let account = match given {
            GivenAccount::Whole(account) => own.account == *account,
            GivenAccount::Masked(masked) => masked.fits(&own.account),
            GivenAccount::Missing => true,
        };
        account && receiver.is_none_or(|code| institution(code) == institution(own.bank))
    };
    let mut fitting: Vec<_> = own.iter().filter(fits).collect();
    fitting.sort_by_key(|own| kind(&own.account));
    let destination = |own: &OwnAccount| Destination {
        account: own.account.clone(),
        // The institution of a CLABE is inferred as that of a whole one is.
        receiver: receiver
            .or_else(|| (!matches!(own.account, Account::Clabe(_))).then_some(own.bank)),
    };
    let unasked = fitting.len().saturating_sub(MAX_CANDIDATES);
    let asked = fitting.into_iter().take(MAX_CANDIDATES);
    (asked.map(destination).collect(), unasked)
}

fn kind(account: &Account) -> u8 {
    match account {
        Account::Clabe(_) => 0,
        Account::Card(_) => 1,
        Account::Phone(_) => 2,
    }
}

/// Error of adding an own account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnAccountError {
    /// The last digit of a CLABE or card contradicts the others.
    #[error("its check digit is wrong")]
    CheckDigit,
    /// The institution wasn't given, and the account doesn't tell it.
    #[error("its institution is needed")]
    BankNeeded,
    /// The institution isn't that of the CLABE.
    #[error("the institution isn't that of the CLABE")]
    OtherBank,
    /// The customer has the account already.
    #[error("it is among the own accounts already")]
    Known,
    /// The customer has [`MAX_OWN_ACCOUNTS`].
    #[error("at most {MAX_OWN_ACCOUNTS} own accounts are kept")]
    TooMany,
}

/// Checks a new account against the customer's others, and completes its institution: the one that was given, or else
/// the inferred one.
///
/// # Errors
/// See [`OwnAccountError`].
pub fn check_new(
    account: &Account,
    (given, inferred): (Option<ParticipantCode>, Option<ParticipantCode>),
    own: &[OwnAccount],
    catalogue: &Catalogue,
) -> Result<ParticipantCode, OwnAccountError> {
    if !account.has_valid_check_digit() {
        return Err(OwnAccountError::CheckDigit);
    }
    let institution = |code| catalogue.institution(code);
    let bank = given.or(inferred).ok_or(OwnAccountError::BankNeeded)?;
    // A card's first digits only tell the institution that most cards like it are of.
    let is_certain = matches!(account, Account::Clabe(_));
    if inferred.is_some_and(|code| is_certain && institution(code) != institution(bank)) {
        return Err(OwnAccountError::OtherBank);
    }
    if own.iter().any(|known| known.account == *account) {
        return Err(OwnAccountError::Known);
    }
    if own.len() >= MAX_OWN_ACCOUNTS {
        return Err(OwnAccountError::TooMany);
    }
    Ok(bank)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn code(text: &str) -> ParticipantCode {
        ParticipantCode::parse(text).unwrap()
    }

    fn own(number: u128, account: &str, bank: &str) -> OwnAccount {
        let second = i64::try_from(number).unwrap();
        OwnAccount {
            id: OwnAccountId(Uuid::from_u128(number)),
            name: AccountName::parse("Ventas").unwrap(),
            account: Account::parse(account).unwrap(),
            bank: code(bank),
            added_at: DateTime::from_timestamp(second, 0).unwrap(),
        }
    }

    /// A phone number and a card of BBVA, two CLABEs of Banamex, and one of BBVA.
    fn all() -> [OwnAccount; 5] {
        [
            own(1, "5512347771", "40012"),
            own(2, "4152313312347771", "40012"),
            own(3, "002010077777777771", "40002"),
            own(4, "012180001234567771", "40012"),
            own(5, "002010077777777771", "40002"),
        ]
    }

    #[rstest]
    #[case::ending("****7771", None, &["002010077777777771", "012180001234567771", "002010077777777771"], 2)]
    #[case::ending_and_bank("****7771", Some("40012"), &["012180001234567771", "4152313312347771", "5512347771"], 0)]
    #[case::another_code_of_the_bank("****7771", Some("40072"), &[], 0)]
    #[case::another_ending("****7772", None, &[], 0)]
    #[case::nothing("", Some("40002"), &["002010077777777771", "002010077777777771"], 0)]
    fn the_most_likely_accounts_come_first(
        #[case] given: &str,
        #[case] receiver: Option<&str>,
        #[case] expected: &[&str],
        #[case] further: usize,
    ) {
        let given = MaskedAccount::parse(given).map_or(GivenAccount::Missing, GivenAccount::Masked);
        let receiver = receiver.map(code);
        let (found, unasked) = candidates(&given, receiver, &all(), Catalogue::embedded());
        assert_eq!(unasked, further);
        let accounts = found.iter().map(|it| it.account.as_str());
        assert_eq!(accounts.collect::<Vec<_>>(), expected);
        assert!(
            found
                .iter()
                .all(|it| receiver.is_none() || it.receiver == receiver)
        );
    }

    #[test]
    fn the_bank_of_a_card_or_phone_is_named_and_that_of_a_clabe_inferred() {
        let banks = |own: OwnAccount| {
            let found = candidates(&GivenAccount::Missing, None, &[own], Catalogue::embedded());
            found.0[0].receiver
        };
        let [phone, card, clabe, ..] = all();
        assert_eq!(banks(phone), Some(code("40012")));
        assert_eq!(banks(card), Some(code("40012")));
        assert_eq!(banks(clabe), None);
    }

    #[rstest]
    #[case::clabe("002010077777777771", None, Some("40002"), Ok("40002"))]
    #[case::clabe_and_its_bank("002010077777777771", Some("40002"), Some("40002"), Ok("40002"))]
    #[case::clabe_and_another_bank(
        "002010077777777771",
        Some("40012"),
        Some("40002"),
        Err(OwnAccountError::OtherBank)
    )]
    #[case::clabe_of_an_unknown_bank("002010077777777771", Some("40012"), None, Ok("40012"))]
    #[case::wrong_check_digit(
        "002010077777777772",
        None,
        Some("40002"),
        Err(OwnAccountError::CheckDigit)
    )]
    #[case::card_of_another_bank("4152313312347771", Some("40002"), Some("40012"), Ok("40002"))]
    #[case::phone("5512345678", None, None, Err(OwnAccountError::BankNeeded))]
    #[case::phone_and_bank("5512345678", Some("40012"), None, Ok("40012"))]
    fn a_new_account_is_checked(
        #[case] account: &str,
        #[case] given: Option<&str>,
        #[case] inferred: Option<&str>,
        #[case] expected: Result<&str, OwnAccountError>,
    ) {
        let account = Account::parse(account).unwrap();
        let banks = (given.map(code), inferred.map(code));
        let checked = check_new(&account, banks, &[], Catalogue::embedded());
        assert_eq!(checked, expected.map(code));
    }

    #[test]
    fn an_account_is_kept_once_and_fifty_at_most() {
        let account = Account::parse("002010077777777771").unwrap();
        let add = |own: &[OwnAccount]| {
            check_new(
                &account,
                (Some(code("40002")), None),
                own,
                Catalogue::embedded(),
            )
        };
        let known = add(&all());
        assert_eq!(known, Err(OwnAccountError::Known));
        let phone = |number: u128| own(number, &format!("55{number:08}"), "40012");
        let others: Vec<_> = (0..50).map(phone).collect();
        assert_eq!(add(&others[1..]), Ok(code("40002")));
        assert_eq!(add(&others), Err(OwnAccountError::TooMany));
    }
}
