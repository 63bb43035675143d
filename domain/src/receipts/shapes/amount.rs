//! Amounts in a text, with the cents as people and receipts write them.

use std::sync::LazyLock;

use regex::Regex;

use crate::amount::Amount;

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

/// All amounts of a text, from left to right. Numbers that are a part of something else are none.
pub(in crate::receipts) fn all(text: &str) -> Vec<AmountText> {
    let numbers = NUMBER.captures_iter(text);
    let amounts = numbers.filter_map(|groups| {
        let whole = groups.get(0)?;
        let apart = |c: Option<char>| {
            c.is_none_or(|c| {
                !c.is_alphanumeric() && !matches!(c, '-' | '/' | '*' | '•' | '.' | '_' | ':' | '%')
            })
        };
        let after = &text[whole.end()..];
        let ends_sentence =
            after.starts_with('.') && !after[1..].starts_with(|c: char| c.is_ascii_digit());
        let is_apart = apart(text[..whole.start()].chars().next_back())
            && (apart(after.chars().next()) || ends_sentence)
            && !(after.starts_with(',') && after[1..].starts_with(|c: char| c.is_ascii_digit()));
        if !is_apart {
            return None;
        }
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
    });
    amounts.collect()
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
}
