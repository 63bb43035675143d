//! The words of a page: entities unescaped, white space collapsed, and folded for comparison. The
//! portal writes some accents as entities and some not, in one page.

use std::borrow::Cow;

/// The longest entity that is looked for, `&` and `;` included: `&#x10FFFF;`.
const LONGEST_ENTITY: usize = 10;

/// The named entities of Spanish text.
const NAMED: [(&str, char); 40] = [
    ("aacute", 'á'),
    ("eacute", 'é'),
    ("iacute", 'í'),
    ("oacute", 'ó'),
    ("uacute", 'ú'),
    ("Aacute", 'Á'),
    ("Eacute", 'É'),
    ("Iacute", 'Í'),
    ("Oacute", 'Ó'),
    ("Uacute", 'Ú'),
    ("ntilde", 'ñ'),
    ("Ntilde", 'Ñ'),
    ("uuml", 'ü'),
    ("Uuml", 'Ü'),
    ("ccedil", 'ç'),
    ("Ccedil", 'Ç'),
    ("iquest", '¿'),
    ("iexcl", '¡'),
    ("ordf", 'ª'),
    ("ordm", 'º'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("deg", '°'),
    ("reg", '®'),
    ("copy", '©'),
    ("middot", '·'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("trade", '™'),
    ("nbsp", '\u{a0}'),
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
];

/// Replaces entities, once: what comes out is not looked at again. An unknown one stays.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (character, length) = entity(rest).unwrap_or(('&', 1));
        plain.push(character);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The character of the entity that `text` begins with, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST_ENTITY).position(|b| b == b';')?;
    let name = &text[1..end];
    let character = match name.strip_prefix('#') {
        Some(number) => numbered(number)?,
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((character, end + 1))
}

fn numbered(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // `from_str_radix` would accept a sign.
    let all_digits = digits.chars().all(|c| c.is_digit(radix));
    all_digits
        .then(|| u32::from_str_radix(digits, radix).ok())
        .flatten()
        .and_then(char::from_u32)
}

/// Runs of white space become one blank; none is left around.
pub(super) fn collapse(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

/// Lower case, without accents, in either Unicode form: for comparison only.
pub(super) fn fold(text: &str) -> String {
    text.chars()
        .flat_map(char::to_lowercase)
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .map(|c| match c {
            'á' | 'à' | 'â' | 'ä' => 'a',
            'é' | 'è' | 'ê' | 'ë' => 'e',
            'í' | 'ì' | 'î' | 'ï' => 'i',
            'ó' | 'ò' | 'ô' | 'ö' => 'o',
            'ú' | 'ù' | 'û' | 'ü' => 'u',
            'ñ' => 'n',
            other => other,
        })
        .collect()
}
