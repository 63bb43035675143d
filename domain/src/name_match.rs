//! Comparison of the beneficiary that a caller expects with the one that a proof names.
//!
//! Names are normalised first: case, accents, punctuation and repeated blanks don't count, words may be
//! in any order, and company forms (`SA DE CV`, `S. de R.L. de C.V.`, `SC`, …) are compared separately.
//!
//! - **exact**: the same words, or the same letters in the same order. A bank cuts names at 40
//!   characters: one of that length is exact if the other name begins with it.
//! - **partial**: all words of one name are in the other, which has more (a second surname, a second
//!   given name, an initial in place of a word, `MA` for `MARIA`), at least two of them, and one of
//!   these in full; `DE`, `LA` and the like don't count. Names that differ in nothing but the
//!   company form, which both have, are partial too: they are two companies.
//! - **none**: anything else.
//! - **unavailable**: the proof has no name to compare with, which says nothing against it.
//!
//! Tax ids are compared without blanks and punctuation. An RFC and a CURP of one person share their
//! first ten characters, and so does an RFC without its last three: such pairs are partial.

mod folding;

use folding::Name;

/// Length, in characters, at which banks cut names. A cut name that ended in a blank has one character
/// less.
const CUT_AT: usize = 40;
/// Maximum number of words in a name that is compared.
const MAX_WORDS: usize = 64;
/// Number of characters that the RFC and the CURP of a person share: four letters and the date of
/// birth.
const SHARED_TAX_ID: usize = 10;
/// Length of an RFC of a person, of one without its homoclave, and of a CURP.
const PERSONAL_TAX_IDS: [usize; 3] = [13, SHARED_TAX_ID, 18];
/// Articles and prepositions, which don't count as words of a name.
const CONNECTIVES: [&str; 10] = [
    "DE", "DEL", "LA", "LAS", "LOS", "EL", "Y", "E", "VAN", "VON",
];

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchLevel {
    /// Both are the same.
    Exact,
    /// Both agree in part, for example because one has more words.
    Partial,
    /// Both are different.
    None,
    /// The proof lacks the value.
    Unavailable,
    /// The caller didn't give a value.
    NotAsked,
}

impl MatchLevel {
    /// All levels, best first.
    pub const ALL: [Self; 5] = [
        Self::Exact,
        Self::Partial,
        Self::None,
        Self::Unavailable,
        Self::NotAsked,
    ];

    /// The name in the APIs, which never changes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exacta",
            Self::Partial => "parcial",
            Self::None => "ninguna",
            Self::Unavailable => "no_disponible",
            Self::NotAsked => "no_pedida",
        }
    }
}

/// Compares the name that a caller expects with the one in a proof. A blank name counts as missing.
pub fn match_names(expected: Option<&str>, proven: Option<&str>) -> MatchLevel {
    match_with(expected, proven, is_short_for)
}

/// Compares a name as receipts show it with the one in a proof: as [`match_names`], but words may also have lost their
/// ends, as `HERN` of `HERNANDEZ`.
pub fn match_cut_names(shown: &str, proven: &str) -> MatchLevel {
    let is_cut = |one: &str, other: &str| one.starts_with(other) || other.starts_with(one);
    match_with(Some(shown), Some(proven), is_cut)
}

fn match_with(
    expected: Option<&str>,
    proven: Option<&str>,
    is_short: fn(&str, &str) -> bool,
) -> MatchLevel {
    let Some(expected) = expected.map(str::trim).filter(|text| !text.is_empty()) else {
        return MatchLevel::NotAsked;
    };
    let Some(proven) = proven.map(str::trim).filter(|text| !text.is_empty()) else {
        return MatchLevel::Unavailable;
    };
    let (asked, given) = (Name::of(expected), Name::of(proven));
    if asked.words.is_empty() || given.words.is_empty() {
        return MatchLevel::None;
    }
    if asked.words.len() > MAX_WORDS || given.words.len() > MAX_WORDS {
        return MatchLevel::None;
    }
    if asked.is_same_as(&given) {
        return match (asked.form, given.form) {
            (Some(one), Some(other)) if one != other => MatchLevel::Partial,
            _ => MatchLevel::Exact,
        };
    }
    if may_be_cut(proven) && asked.begins_with(&given) {
        return MatchLevel::Exact;
    }
    if contains(&asked, &given, is_short) || contains(&given, &asked, is_short) {
        return MatchLevel::Partial;
    }
    MatchLevel::None
}

/// Compares the RFC or CURP that a caller expects with the one in a proof. A blank one counts as
/// missing.
pub fn match_tax_ids(expected: Option<&str>, proven: Option<&str>) -> MatchLevel {
    let Some(expected) = expected.filter(|text| !text.trim().is_empty()) else {
        return MatchLevel::NotAsked;
    };
    let (expected, proven) = (folded_tax_id(expected), proven.map(folded_tax_id));
    let Some(proven) = proven.filter(|text| !text.is_empty()) else {
        return MatchLevel::Unavailable;
    };
    if expected == proven {
        return MatchLevel::Exact;
    }
    let is_personal = |id: &[char]| PERSONAL_TAX_IDS.contains(&id.len());
    let is_same_person = is_personal(&expected)
        && is_personal(&proven)
        && expected.len() != proven.len()
        && expected[..SHARED_TAX_ID] == proven[..SHARED_TAX_ID];
    if is_same_person {
        MatchLevel::Partial
    } else {
        MatchLevel::None
    }
}

/// Normalises a tax id. It keeps `Ñ` and `&`, which are valid in an RFC.
fn folded_tax_id(text: &str) -> Vec<char> {
    let kept = text.chars().flat_map(char::to_uppercase);
    kept.filter(|c| c.is_alphanumeric() || *c == '&').collect()
}

/// Returns `true` for a name that a bank may have cut.
fn may_be_cut(proven: &str) -> bool {
    let length = proven.chars().count();
    length == CUT_AT || length + 1 == CUT_AT
}

/// Returns `true` if each word of `part` is a word of `whole`, or `is_short` for one, and there are enough of them.
fn contains(whole: &Name, part: &Name, is_short: fn(&str, &str) -> bool) -> bool {
    let is_counted = |word: &&String| !CONNECTIVES.contains(&word.as_str());
    let mut left: Vec<&str> = whole
        .words
        .iter()
        .filter(is_counted)
        .map(String::as_str)
        .collect();
    let mut take = |fits: &dyn Fn(&str) -> bool| {
        let place = left.iter().position(|word| fits(word));
        place.map(|place| left.swap_remove(place)).is_some()
    };
    // Full words are matched first, so that no initial uses up the match of another word.
    let words: Vec<&String> = part.words.iter().filter(is_counted).collect();
    let has_enough = words.len() >= 2;
    let (full, other): (Vec<&String>, Vec<&String>) = words
        .into_iter()
        .partition(|word| take(&|left| left == word.as_str()));
    let in_full = full.iter().any(|word| word.chars().count() > 1);
    has_enough && in_full && other.iter().all(|word| take(&|left| is_short(word, left)))
}

/// Returns `true` if one of the two is an initial or abbreviation of the other.
fn is_short_for(one: &str, other: &str) -> bool {
    let stands_for = |short: &str, long: &str| {
        let is_initial = short.chars().count() == 1 && long.starts_with(short);
        is_initial || (short == "MA" && long == "MARIA")
    };
    stands_for(one, other) || stands_for(other, one)
}

#[cfg(test)]
mod tests;
