//! Long numbers that a spreadsheet damaged: it keeps 15 digits of a number, and none of its leading zeros.

use crate::account::Account;
use crate::participant::Catalogue;

use super::error::CellErrorKind;

/// Digits of a number that Excel keeps ("Excel specifications and limits": number precision).
const KEPT_DIGITS: usize = 15;

/// Least length of a number whose end in zeros is taken for damage. Of shorter ones too many end so by
/// themselves.
const LEAST_ROUNDED: usize = KEPT_DIGITS + 3;

/// Looks for a number in scientific notation, as `1.23457E+17`.
pub(super) fn shortened(text: &str) -> Result<(), CellErrorKind> {
    let Some((mantissa, exponent)) = text.split_once(['E', 'e']) else {
        return Ok(());
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (integer, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, "0"));
    // A spreadsheet writes the sign. Without one a tracking key may look like this.
    let exponent = exponent.strip_prefix(['+', '-']);
    if integer.len() == 1 && digits(integer) && digits(fraction) && exponent.is_some_and(digits) {
        let significant = mantissa.bytes().filter(u8::is_ascii_digit).count();
        return Err(CellErrorKind::Shortened { significant });
    }
    Ok(())
}

/// Looks for a number that isn't guarded as text, and ends in zeros after its 15th digit.
pub(super) fn rounded_key(text: &str) -> Result<(), CellErrorKind> {
    if is_rounded(text) {
        return Err(CellErrorKind::Rounded);
    }
    Ok(())
}

/// Looks for an account that isn't guarded as text, and lost its first or last digits. One whose check digit
/// is right is whole.
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
