//! Readings of an original chain: the possible ways to split it into fields.
//!
//! A `|` in a name or in the concept isn't escaped, so the text after it may be taken for other fields.
//! All ways to split are tried, and a field is certain if they agree on it.

use super::KNOWN_LENGTHS;
use crate::proofs::field::{ProofField, SEALED};
use crate::proofs::value::{Spelling, Value, Values, given};

/// Maximum number of fields in a chain that is split: 40 more than the longest version of the format.
/// It limits the number of ways to some thousands.
const MAX_LENGTH: usize = 82;
/// Positions of the fields with free text.
const FREE_TEXTS: [usize; 3] = [
    ProofField::PayerName as usize,
    ProofField::BeneficiaryName as usize,
    ProofField::Concept as usize,
];

/// The texts of the fields common to all versions of the format, according to one reading.
#[derive(Clone, Copy)]
pub(crate) struct ChainReading<'a> {
    texts: [&'a str; SEALED],
    /// `true` if the chain has a known length when each `|` within a text is discounted.
    is_of_known_generation: bool,
}

impl<'a> ChainReading<'a> {
    /// All well-formed readings of `text`, which has `length` fields: those with the fewest `|` within
    /// texts first, and in the concept before the names. A chain of unknown length may be a future
    /// version with more fields at its end; that reading comes last.
    pub(super) fn all(text: &'a str, length: usize) -> impl Iterator<Item = Self> {
        let is_known = KNOWN_LENGTHS.contains(&length);
        let known = KNOWN_LENGTHS.into_iter().rev().map(|it| (it, true));
        let generations = known.chain((!is_known).then_some((length, false)));
        let separators = separators(text);
        generations
            .filter(move |_| length <= MAX_LENGTH)
            .filter_map(move |(generation, is_known)| {
                Some((length.checked_sub(generation)?, is_known))
            })
            .flat_map(|(further, is_known)| ways(further).map(move |bars| (bars, is_known)))
            .filter_map(move |(bars, is_known)| {
                let reading = Self::with_bars(text, &separators, bars, is_known);
                reading.is_well_formed().then_some(reading)
            })
    }

    /// The reading in which each `|` is a separator.
    pub(super) fn plain(text: &'a str) -> Self {
        Self::with_bars(text, &separators(text), [0; 3], false)
    }

    /// The reading with the given number of `|` within each of the [`FREE_TEXTS`].
    fn with_bars(
        text: &'a str,
        separators: &[usize],
        bars: [usize; 3],
        is_of_known_generation: bool,
    ) -> Self {
        // The leading `||` are the first two separators.
        let mut part = 1;
        let texts = std::array::from_fn(|place| {
            let free = FREE_TEXTS.iter().position(|free| *free == place);
            let begin = separators[part] + 1;
            part += 1 + free.map_or(0, |free| bars[free]);
            &text[begin..separators[part]]
        });
        Self {
            texts,
            is_of_known_generation,
        }
    }

    /// Returns `true` if each field without free text may have been written by a bank. The rules are
    /// looser than the known formats, so that the true reading is never excluded: account types of at
    /// most three characters without letters, accounts without blanks or with digits, a VAT without
    /// words, and an amount other than zero, in any spelling.
    fn is_well_formed(&self) -> bool {
        let is_kind = |text: &str| text.len() <= 3 && !text.contains(char::is_alphabetic);
        let is_account = |text: &str| {
            !text.contains(char::is_whitespace) || text.contains(|it: char| it.is_ascii_digit())
        };
        let is_number =
            |text: &str| !text.contains(|it: char| it.is_alphabetic() && !matches!(it, 'e' | 'E'));
        let is_given_as = |field: ProofField, is_valid: &dyn Fn(&str) -> bool| {
            given(self.text(field as usize)).is_none_or(is_valid)
        };
        is_given_as(ProofField::PayerAccountType, &is_kind)
            && is_given_as(ProofField::PayerAccount, &is_account)
            && is_given_as(ProofField::BeneficiaryAccountType, &is_kind)
            && is_given_as(ProofField::BeneficiaryAccount, &is_account)
            && is_given_as(ProofField::Vat, &is_number)
            && self
                .text(ProofField::Amount as usize)
                .contains(|it| matches!(it, '1'..='9'))
    }

    /// The values of the fields; the tracking key isn't in the chain.
    pub(crate) fn values(&self) -> Values {
        let mut values = Values::default();
        for field in ProofField::sealed() {
            let text = self.text(field as usize);
            values.set(field, Value::read(field, text, Spelling::Chain));
        }
        values
    }

    /// Returns `true` if the chain has a known length when each `|` within a text is discounted.
    pub(super) fn is_of_known_generation(&self) -> bool {
        self.is_of_known_generation
    }

    /// The text of the field at a position.
    pub(super) fn text(&self, place: usize) -> &'a str {
        self.texts[place]
    }
}

/// Byte offsets of each `|` in a chain.
fn separators(text: &str) -> Vec<usize> {
    text.match_indices('|').map(|(at, _)| at).collect()
}

/// All ways to distribute this number of `|` among the [`FREE_TEXTS`], the concept first.
fn ways(bars: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..=bars)
        .flat_map(move |names| (0..=names).map(move |payer| [payer, names - payer, bars - names]))
}
