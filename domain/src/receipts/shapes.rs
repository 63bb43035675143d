//! Shapes of values: what a text says of a date, an account, an amount, whatever its label is.

pub(super) mod account;
pub(super) mod amount;
pub(super) mod date;
pub(super) mod tracking_key;

use crate::lookalikes;

/// Replaces letters by the digits that look like them, small ones as well, and some that recognition mixes up.
fn as_digits(text: &str) -> String {
    let digit = |letter: char| match letter {
        'o' | 'Q' | 'D' => '0',
        'l' | '|' | 'i' => '1',
        'z' => '2',
        's' => '5',
        'G' | 'b' => '6',
        other => lookalikes::digit(other),
    };
    text.chars().map(digit).collect()
}
