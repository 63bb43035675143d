//! The language of messages: Spanish by default, English if `Accept-Language` prefers it.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// The default.
    Spanish,
    /// Used when `Accept-Language` prefers it.
    English,
}

/// Preference for a language: its weight in thousandths and its position. Of equal weights the earlier one
/// wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    weight: u16,
    earliness: usize,
}

impl Language {
    /// The language that `Accept-Language` prefers (RFC 9110, 12.5.4).
    pub fn of(headers: &HeaderMap) -> Self {
        let mut english = None;
        let mut spanish = None;
        let mut any = None;
        let ranges = headers
            .get_all(ACCEPT_LANGUAGE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        for (place, range) in ranges.enumerate() {
            let Some((tag, weight)) = weighted(range) else {
                continue;
            };
            let wish = Wish {
                weight,
                earliness: usize::MAX - place,
            };
            let slot = match tag.split('-').next() {
                Some(tag) if tag.eq_ignore_ascii_case("en") => &mut english,
                Some(tag) if tag.eq_ignore_ascii_case("es") => &mut spanish,
                Some("*") => &mut any,
                _ => continue,
            };
            *slot = (*slot).max(Some(wish));
        }
        let none = Wish {
            weight: 0,
            earliness: 0,
        };
        let english = english.or(any).unwrap_or(none);
        let spanish = spanish.or(any).unwrap_or(none);
        if english.weight > 0 && english > spanish {
            Self::English
        } else {
            Self::Spanish
        }
    }
}

/// Parses `tag;q=0.8`, or `tag` with weight 1; `None` when the weight is invalid.
fn weighted(range: &str) -> Option<(&str, u16)> {
    let Some((tag, parameter)) = range.split_once(';') else {
        return Some((range.trim(), 1_000));
    };
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    thousandths(value.trim()).map(|weight| (tag.trim(), weight))
}

/// Parses a weight such as `0`, `0.8` or `1.000`: at most three decimals, at most 1.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !matches!(whole, "0" | "1") || fraction.len() > 3 {
        return None;
    }
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let weight = format!("{whole}{fraction:0<3}").parse().ok()?;
    (weight <= 1_000).then_some(weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", Language::Spanish)]
    #[case("en", Language::English)]
    #[case("EN-us", Language::English)]
    #[case("es-MX,es;q=0.9,en;q=0.8", Language::Spanish)]
    #[case("en-US,en;q=0.9,es;q=0.8", Language::English)]
    #[case("es;q=0.1, en;q=0.2", Language::English)]
    #[case("fr, de;q=0.9", Language::Spanish)]
    #[case("fr, en;q=0.3", Language::English)]
    #[case("*", Language::Spanish)]
    #[case("en;q=0", Language::Spanish)]
    #[case("es;q=0, *;q=0.5", Language::English)]
    #[case("es, en", Language::Spanish)]
    #[case("en, es", Language::English)]
    #[case("en;q=2, es;q=0.1", Language::Spanish)]
    #[case("en;level=1, es;q=0.1", Language::Spanish)]
    #[case("en;q=0.1234", Language::Spanish)]
    #[case("english", Language::Spanish)]
    #[case(";;,=,q=1", Language::Spanish)]
    fn the_preferred_language_answers(#[case] accepted: &str, #[case] language: Language) {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, accepted.parse().unwrap());
        assert_eq!(Language::of(&headers), language);
    }

    #[test]
    fn without_a_wish_it_is_spanish() {
        assert_eq!(Language::of(&HeaderMap::new()), Language::Spanish);
    }
}
