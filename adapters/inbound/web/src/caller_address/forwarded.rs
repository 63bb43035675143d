//! Parser of the `Forwarded` field (RFC 7239, section 4).

use axum::http::HeaderValue;

use super::{Hop, node};

/// The hops of a `Forwarded` field. A field that can't be parsed as a whole counts as one unknown hop:
/// otherwise a quote left open by a caller could hide the hop that the proxy appended.
pub(super) fn hops(value: &HeaderValue) -> Vec<Hop> {
    let hops = value.to_str().ok().and_then(|text| {
        let mut rest = text;
        let mut hops = Vec::new();
        loop {
            let (hop, after) = element(rest)?;
            hops.push(hop);
            match after.strip_prefix(',') {
                Some(next) => rest = next,
                None => return after.is_empty().then_some(hops),
            }
        }
    });
    hops.unwrap_or_else(|| vec![Hop::Unknown])
}

/// Parses one element (parameters separated by `;`), and returns its hop and the remaining text.
fn element(text: &str) -> Option<(Hop, &str)> {
    let mut hop = None;
    let mut rest = text;
    loop {
        let (name, after) = token(trim(rest))?;
        let (value, after) = value(after.strip_prefix('=')?)?;
        if name.eq_ignore_ascii_case("for") && hop.replace(node::hop(&value)).is_some() {
            return None;
        }
        let after = trim(after);
        match after.strip_prefix(';') {
            Some(next) => rest = next,
            None => return Some((hop.unwrap_or(Hop::Unknown), after)),
        }
    }
}

/// Parses a token. `:`, `[` and `]` are accepted too, since some proxies don't quote addresses with ports.
fn token(text: &str) -> Option<(&str, &str)> {
    let is_part = |character: char| {
        character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~:[]".contains(character)
    };
    let end = text.find(|character| !is_part(character));
    let (token, rest) = text.split_at(end.unwrap_or(text.len()));
    (!token.is_empty()).then_some((token, rest))
}

/// Parses a token or a quoted string.
fn value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        return token(text).map(|(token, rest)| (token.to_owned(), rest));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '"' => return Some((value, &quoted[place + 1..])),
            '\\' => value.push(characters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}
