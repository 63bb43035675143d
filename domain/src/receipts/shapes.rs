//! Shapes of values: what a text says of a date, an account, an amount, whatever its label is.

pub(super) mod account;
pub(super) mod amount;
pub(super) mod date;
pub(super) mod tracking_key;

/// Replaces letters by the digits that look like them.
fn as_digits(text: &str) -> String {
    let digit = |letter: char| match letter {
        'O' | 'o' | 'Q' | 'D' => '0',
        'I' | 'l' | '|' | 'i' | 'L' => '1',
        'Z' | 'z' => '2',
        'S' | 's' => '5',
        'G' | 'b' => '6',
        'B' => '8',
        other => other,
    };
    text.chars().map(digit).collect()
}
