//! Detects long numbers damaged by a spreadsheet, which keeps 15 digits of a number and drops its
//! leading zeros.

use crate::account::Account;
use crate::participants::Catalogue;

use super::error::CellErrorKind;

/// Number of digits that Excel keeps ("Excel specifications and limits": number precision).
const KEPT_DIGITS: usize = 15;

/// Minimum length of a number whose trailing zeros count as damage; too many shorter ones really end in
/// zeros.
const LEAST_ROUNDED: usize = KEPT_DIGITS + 3;

/// Refuses a number in scientific notation, like `1.23457E+17`.
pub(super) fn shortened(text: &str) -> Result<(), CellErrorKind> {
    let Some((mantissa, exponent)) = text.split_once(['E', 'e']) else {
        return Ok(());
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (integer, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, "0"));
    // Spreadsheets write the sign of the exponent; without it, the text may be a tracking key.
    let exponent = exponent.strip_prefix(['+', '-']);
    if integer.len() == 1 && digits(integer) && digits(fraction) && exponent.is_some_and(digits) {
        let significant = mantissa.bytes().filter(u8::is_ascii_digit).count();
        return Err(CellErrorKind::Shortened { significant });
    }
    Ok(())
}

/// Refuses a number that has only zeros after its 15th digit. The caller skips numbers marked as text.
pub(super) fn rounded_key(text: &str) -> Result<(), CellErrorKind> {
    if is_rounded(text) {
        return Err(CellErrorKind::Rounded);
    }
    Ok(())
}

/// Refuses an account that lost its first or last digits. One with a valid check digit is accepted. The
/// caller skips accounts marked as text.
pub(super) fn damaged_account(text: &str, catalogue: &Catalogue) -> Result<(), CellErrorKind> {
    let is_whole =
        |text: &str| Account::parse(text).is_ok_and(|account| account.has_valid_check_digit());
    if is_whole(text) {
        return Ok(());
    }
    if text.len() == 18 && is_rounded(text) {
        return Err(CellErrorKind::Rounded);
    }
    if matches!(text.len(), 16 | 17) {
        let zeros = 18 - text.len();
        let clabe = format!("{text:0>18}");
        let mut participants = catalogue.participants().iter();
        let is_known = participants.any(|it| clabe.starts_with(&it.clabe_prefix));
        if is_known && is_whole(&clabe) {
            return Err(CellErrorKind::LeadingZerosLost { zeros });
        }
    }
    Ok(())
}

fn is_rounded(text: &str) -> bool {
    text.len() >= LEAST_ROUNDED
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.bytes().skip(KEPT_DIGITS).all(|byte| byte == b'0')
}
