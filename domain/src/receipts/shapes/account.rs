//! Accounts in a text: CLABE, card and phone, whole or masked.

use crate::account::Account;
use crate::masked_account::{MaskedAccount, is_mask};

use super::as_digits;

/// Digits of a CLABE, a card and a phone.
const LENGTHS: [usize; 3] = [18, 16, 10];
/// Characters that recognition reads in place of the bullets and stars of a mask.
const MISREAD: &str = "eoOcCKk+-:¢°©®@«»\"'=~^";
/// Most characters of such a mask.
const MISREAD_MASK: usize = 16;

/// An account in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::receipts) enum AccountText {
    /// All digits. `is_corrected` if letters were taken for digits, which the check digit confirms.
    Whole {
        account: Account,
        is_corrected: bool,
    },
    /// The last digits alone.
    Masked(MaskedAccount),
}

/// The only account of a text; of several, the first.
pub(in crate::receipts) fn read(text: &str) -> Option<AccountText> {
    let runs = runs(text);
    let whole = runs.iter().find_map(|run| whole(run));
    whole.or_else(|| runs.iter().find_map(|run| masked(run)))
}

/// Returns `true` if a value is one account and nothing else.
pub(in crate::receipts) fn is_alone(text: &str) -> bool {
    let runs = runs(text);
    let words = |text: &str| text.split_whitespace().count();
    matches!(&runs[..], [run] if words(run) == words(text))
}

/// A masked account whose mask was misread: a few letters and signs before the last digits.
pub(in crate::receipts) fn read_misread_mask(text: &str) -> Option<AccountText> {
    let (mask, ending) = text.trim().rsplit_once(' ')?;
    let is_mask = !mask.is_empty()
        && mask.chars().count() <= MISREAD_MASK
        && mask
            .chars()
            .all(|c| is_mask(c) || MISREAD.contains(c) || c == ' ');
    let masked = MaskedAccount::of_ending(ending).filter(|_| is_mask);
    masked.map(AccountText::Masked)
}

/// All CLABEs of a text whose check digit is right.
pub(in crate::receipts) fn clabes(text: &str) -> Vec<Account> {
    let runs = runs(text);
    let accounts = runs.iter().filter_map(|run| match whole(run)? {
        AccountText::Whole { account, .. } => Some(account),
        AccountText::Masked(_) => None,
    });
    accounts
        .filter(|it| matches!(it, Account::Clabe(_)) && it.has_valid_check_digit())
        .collect()
}

fn whole(run: &str) -> Option<AccountText> {
    let digits: String = run
        .chars()
        .filter(|c| !matches!(c, ' ' | '-' | '.'))
        .collect();
    if !LENGTHS.contains(&digits.chars().count()) {
        return None;
    }
    if let Ok(account) = Account::parse(&digits) {
        return Some(AccountText::Whole {
            account,
            is_corrected: false,
        });
    }
    // A phone number has no check digit that would confirm a correction.
    let account = Account::parse(&as_digits(&digits)).ok()?;
    let is_confirmed = !matches!(account, Account::Phone(_)) && account.has_valid_check_digit();
    is_confirmed.then_some(AccountText::Whole {
        account,
        is_corrected: true,
    })
}

fn masked(run: &str) -> Option<AccountText> {
    MaskedAccount::parse(run).map(AccountText::Masked)
}

/// Parts of a text that may be an account: words of digits, letters that look like them, and masks, which may stand
/// in groups.
fn runs(text: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut joins = false;
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| matches!(c, '(' | ')' | ',' | ';' | ':'));
        let is_part = !word.is_empty()
            && as_digits(word)
                .chars()
                .all(|c| c.is_ascii_digit() || c == '-' || is_mask(c))
            && (word.chars().any(|c| c.is_ascii_digit()) || word.chars().all(is_mask));
        match runs.last_mut() {
            Some(run) if joins && is_part => {
                run.push(' ');
                run.push_str(word);
            }
            _ if is_part => runs.push(word.to_owned()),
            _ => {}
        }
        joins = is_part;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn shown(text: &str) -> Option<String> {
        read(text).map(|account| match account {
            AccountText::Whole {
                account,
                is_corrected,
            } => format!(
                "{}{}",
                account.as_str(),
                if is_corrected { "!" } else { "" }
            ),
            AccountText::Masked(masked) => masked.to_string(),
        })
    }

    #[rstest]
    #[case::clabe("002010077777777771", Some("002010077777777771"))]
    #[case::grouped("002 010 07777777777 1", Some("002010077777777771"))]
    #[case::behind_a_bank("BANAMEX 002010077777777771", Some("002010077777777771"))]
    #[case::letters("OO2O1OO77777777771", Some("002010077777777771!"))]
    #[case::letters_and_a_wrong_check_digit("OO2O1OO77777777772", None)]
    #[case::wrong_check_digit("002010077777777772", Some("002010077777777772"))]
    #[case::card("4152 3133 1234 5678", Some("4152313312345678"))]
    #[case::bullets("•••• 1234", Some("****1234"))]
    #[case::stars("**1234", Some("****1234"))]
    #[case::grouped_stars("****-****-****-1234", Some("****1234"))]
    #[case::ellipsis("…777771", Some("****777771"))]
    #[case::points("...7771", Some("****7771"))]
    #[case::card_with_first_digits("4152 **** **** 5678", Some("4152****5678"))]
    #[case::a_number("12345678901", None)]
    #[case::an_ending_alone("1234", None)]
    #[case::nothing("BBVA", None)]
    fn an_account_is_read(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(shown(text).as_deref(), expected);
    }

    #[rstest]
    #[case("eeee 0863", true)]
    #[case("+*+.ee 5439", true)]
    #[case("**KKK 5678", true)]
    #[case("Banco 5678", false)]
    #[case("5678", false)]
    #[case("eeee 12", false)]
    fn a_mask_may_be_misread(#[case] text: &str, #[case] is_mask: bool) {
        assert_eq!(read_misread_mask(text).is_some(), is_mask);
    }

    #[test]
    fn a_clabe_of_a_text_has_a_right_check_digit() {
        let text = "de 002010077777777772 a 002010077777777771";
        let found = clabes(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].as_str(), "002010077777777771");
    }
}
