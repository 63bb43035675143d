//! Amounts in a text, with the cents as people and receipts write them.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::amount::Amount;
use crate::batches::sheet::amount_of_text;

/// An amount in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::receipts) struct AmountText {
    pub(in crate::receipts) amount: Amount,
    /// The cents are written, with a point or raised.
    pub(in crate::receipts) has_cents: bool,
    /// A currency stands beside the number.
    pub(in crate::receipts) has_currency: bool,
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?P<before>(?:MXN|MX\$|\$|MN) ?)?",
        r"(?P<pesos>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)",
        r"(?:\.(?P<cents>[0-9]{2})|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{2}))?",
        r"(?P<after> ?(?:MXN|M\.?N\.?|pesos))?",
    ))
    .expect("a constant")
});

/// A value that is an amount and nothing else.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?P<before>(?:MXN|MX\$|\$|MN) ?)?",
        r"(?P<pesos>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)",
        r"(?:\.(?P<cents>[0-9]{2})|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{2}))?",
        r"(?P<after> ?(?:MXN|M\.?N\.?|[Pp]esos))?\.?$",
    ))
    .expect("a constant")
});

/// The amount that the value of a label is, and whether it is nothing else. `None` if nothing in it could be one.
pub(in crate::receipts) fn of_value(text: &str) -> Option<(AmountText, Purity)> {
    let text = text.trim();
    if let Some(amount) = ALONE.captures(text).and_then(|groups| read(&groups)) {
        return Some((amount, Purity::Alone));
    }
    // Groups that are separated by blanks, and a comma before the cents.
    if let Some(amount) = amount_of_text(text) {
        let amount = AmountText {
            amount,
            has_cents: true,
            has_currency: true,
        };
        return Some((amount, Purity::WithMore));
    }
    let found = all(text);
    let purity = match found.len() {
        1 => Purity::WithMore,
        _ => Purity::OneOfSeveral,
    };
    Some((*found.first()?, purity))
}

/// What else stands in the value of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::receipts) enum Purity {
    /// Nothing.
    Alone,
    /// Other words.
    WithMore,
    /// Other values of the same kind.
    OneOfSeveral,
}

/// All amounts of a text, from left to right. Numbers that are a part of something else are none.
pub(in crate::receipts) fn all(text: &str) -> Vec<AmountText> {
    let numbers = NUMBER.captures_iter(text);
    let amounts = numbers.filter_map(|groups| {
        let whole = groups.get(0)?;
        let (before, after) = (&text[..whole.start()], &text[whole.end()..]);
        (begins_apart(before) && ends_apart(after)).then(|| read(&groups))?
    });
    amounts.collect()
}

/// Returns `true` if a number may begin after this text.
fn begins_apart(before: &str) -> bool {
    let gap = before.trim_end_matches(' ');
    let is_digit = gap.ends_with(|c: char| c.is_numeric() || matches!(c, ',' | '.'));
    let is_time = before
        .strip_suffix(':')
        .is_some_and(|hour| hour.ends_with(|c: char| c.is_numeric()));
    let is_apart = before.is_empty() || before.ends_with([' ', '(', ':']) && !is_time;
    is_apart && !is_digit && !gap.ends_with(['-', '−', '/', '*', '•'])
}

/// Returns `true` if a number may end before this text.
fn ends_apart(after: &str) -> bool {
    let rest = after.trim_start_matches(['.', ',', ';', ')', '!']);
    let goes_on = rest
        .trim_start_matches(' ')
        .starts_with(|c: char| c.is_numeric());
    (rest.is_empty() || rest.starts_with(' ')) && !goes_on
}

fn read(groups: &Captures<'_>) -> Option<AmountText> {
    let pesos: String = groups["pesos"]
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let cents = groups.name("cents").or_else(|| groups.name("raised"));
    let cents: String = cents
        .map_or("00", |it| it.as_str())
        .chars()
        .map(lowered)
        .collect();
    Some(AmountText {
        amount: Amount::parse(&format!("{pesos}.{cents}")).ok()?,
        has_cents: groups.name("cents").is_some() || groups.name("raised").is_some(),
        has_currency: groups.name("before").is_some() || groups.name("after").is_some(),
    })
}

/// The digit of a superscript.
fn lowered(digit: char) -> char {
    match digit {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴' => '4',
        '⁵' => '5',
        '⁶' => '6',
        '⁷' => '7',
        '⁸' => '8',
        '⁹' => '9',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("$1,234.56", &["1234.56 cents currency"])]
    #[case("$ 1,234.56", &["1234.56 cents currency"])]
    #[case("1,234.56 MXN", &["1234.56 cents currency"])]
    #[case("$1,234⁵⁶", &["1234.56 cents currency"])]
    #[case("$1234", &["1234.00 currency"])]
    #[case("1,234,567.00", &["1234567.00 cents"])]
    #[case("te mandé $350.00.", &["350.00 cents currency"])]
    #[case("$8.00 y $1.28", &["8.00 cents currency", "1.28 cents currency"])]
    #[case("20/11/2026 10:53", &[])]
    #[case("****1234", &[])]
    #[case("$1 234.56", &[])]
    #[case("$1'234,567.00", &[])]
    #[case("$1, 234.56", &[])]
    #[case("$1,O00.00", &[])]
    #[case("$1.234,56", &[])]
    #[case("\u{ff11},234.56", &[])]
    #[case("-$1,234.56", &[])]
    #[case("\u{2212}$1,234.56", &[])]
    #[case("MBAN0100", &[])]
    #[case("$1,2345", &[])]
    #[case("$1,23456", &[])]
    #[case("16%", &[])]
    #[case("$0.00", &[])]
    fn amounts_are_read(#[case] text: &str, #[case] expected: &[&str]) {
        let shown = |it: AmountText| {
            let cents = if it.has_cents { " cents" } else { "" };
            let currency = if it.has_currency { " currency" } else { "" };
            format!("{}{cents}{currency}", it.amount)
        };
        let found: Vec<_> = all(text).into_iter().map(shown).collect();
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case("$1,234.56", Some(("1234.56", Purity::Alone)))]
    #[case("1,234.56 MXN", Some(("1234.56", Purity::Alone)))]
    #[case("12 500.00", Some(("12500.00", Purity::WithMore)))]
    #[case("$1.234,56", Some(("1234.56", Purity::WithMore)))]
    #[case("disponible: $10.00", Some(("10.00", Purity::WithMore)))]
    #[case("$1,000.00 de $5,000.00", Some(("1000.00", Purity::OneOfSeveral)))]
    #[case("3 x $500.00", Some(("3.00", Purity::OneOfSeveral)))]
    #[case("$1,23456", None)]
    #[case("$l,234.56", None)]
    #[case("$12,345,6", None)]
    #[case("ninguno", None)]
    fn a_value_is_an_amount_alone_or_with_more(
        #[case] text: &str,
        #[case] expected: Option<(&str, Purity)>,
    ) {
        let found = of_value(text).map(|(amount, purity)| (amount.amount.to_string(), purity));
        let expected = expected.map(|(amount, purity)| (amount.to_owned(), purity));
        assert_eq!(found, expected);
    }
}
