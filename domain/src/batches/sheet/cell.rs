//! Normalises the values of cells before validation.

use std::borrow::Cow;

use crate::participants::Catalogue;
use crate::query::Token;

use super::column::Column;
use super::error::CellErrorKind;
use super::{amount, damage, date};

/// Format of the values of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Common formats of people and spreadsheets.
    People,
    /// The API's format.
    Api,
}

/// Converts a value to the API's format, and refuses one that a spreadsheet damaged.
pub(super) fn clean(
    column: Column,
    token: &mut Token<'_>,
    spelling: Spelling,
    catalogue: &Catalogue,
) -> Result<(), CellErrorKind> {
    let Token::Text(text) = token else {
        return Ok(());
    };
    let holds_digits = matches!(column, Column::Account | Column::TrackingKey);
    match spelling {
        Spelling::Api if holds_digits => damage::shortened(text.trim())?,
        Spelling::Api => {}
        Spelling::People => {
            let spelt = spell(column, text, catalogue)?;
            *token = match spelt {
                empty if empty.is_empty() => Token::Absent,
                spelt => Token::Text(spelt.into_owned().into()),
            };
        }
    }
    Ok(())
}

/// Converts a value from the common formats to the API's.
fn spell<'a>(
    column: Column,
    text: &'a str,
    catalogue: &Catalogue,
) -> Result<Cow<'a, str>, CellErrorKind> {
    let text = text.trim();
    let plain = without_guard(text);
    match column {
        Column::Date => return date::spell(plain),
        Column::Amount => {
            damage::shortened(plain)?;
            return amount::spell(plain);
        }
        Column::Account | Column::TrackingKey => damage::shortened(plain)?,
        _ => {}
    }
    // A number marked as text can't have been damaged.
    if plain == text {
        match column {
            Column::Account => damage::damaged_account(plain, catalogue)?,
            Column::TrackingKey => damage::rounded_key(plain)?,
            _ => {}
        }
    }
    Ok(plain.into())
}

/// Removes the marks that make spreadsheets treat a number as text: `'002…` or `="002…"`.
pub fn without_guard(text: &str) -> &str {
    let formula = text.strip_prefix("=\"").and_then(|it| it.strip_suffix('"'));
    let apostrophe = text.strip_prefix('\'');
    formula.or(apostrophe).unwrap_or(text).trim()
}
