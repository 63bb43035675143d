//! Normalises names to lists of words.

use crate::folding;

/// Company forms, without blanks.
const FORMS: [&str; 38] = [
    "SADECV",
    "SA",
    "SABDECV",
    "SAB",
    "SAPIDECV",
    "SAPI",
    "SAPIBDECV",
    "SAPIB",
    "SDERLDECV",
    "SDERL",
    "SDERLMI",
    "SDERLDECVMI",
    "SRLDECV",
    "SRL",
    "SAS",
    "SASDECV",
    "SC",
    "SCP",
    "AC",
    "ABP",
    "IAP",
    "IBP",
    "SNC",
    "SENC",
    "SENCDECV",
    "SENCS",
    "SCDERL",
    "SCDERLDECV",
    "SCDEBSDERLDECV",
    "SPRDERL",
    "SPRDERLDECV",
    "SPR",
    "SOFOMENR",
    "SADECVSOFOMENR",
    "SAPIDECVSOFOMENR",
    "SADECVSOFOMER",
    "SAPIDECVSOFOMER",
    "SADECVSFP",
];
/// Maximum number of words in a company form, when each letter is a word.
const MAX_FORM_WORDS: usize = 16;

/// A normalised name.
pub(super) struct Name {
    /// The words in order, without the company form.
    pub(super) words: Vec<String>,
    /// The company form, from [`FORMS`]; `None` without one.
    pub(super) form: Option<&'static str>,
}

impl Name {
    /// Normalises a name. Case and accents are dropped, apostrophes removed, `&` becomes the word `Y`,
    /// and any other character separates words. At least one word is kept beside a company form.
    pub(super) fn of(text: &str) -> Self {
        let mut folded = String::with_capacity(text.len());
        for c in folding::folded(text) {
            match c {
                '\'' | '’' | '`' | '´' => {}
                '&' => folded.push_str(" Y "),
                c if c.is_alphanumeric() => folded.push(c),
                _ => folded.push(' '),
            }
        }
        let mut words: Vec<String> = folded.split_whitespace().map(str::to_owned).collect();
        let form = company_form(&words);
        if let Some((length, _)) = form {
            words.truncate(words.len() - length);
        }
        Self {
            words,
            form: form.map(|(_, form)| form),
        }
    }

    /// Returns `true` if both have the same words in any order, or the same sequence of letters.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        let sorted = |name: &Self| {
            let mut words = name.words.clone();
            words.sort_unstable();
            words
        };
        self.letters() == other.letters() || sorted(self) == sorted(other)
    }

    /// Returns `true` if this name begins with the letters of a cut name. If this name has no company
    /// form, the cut name may have any.
    pub(super) fn begins_with(&self, cut: &Self) -> bool {
        let cut = cut.letters() + cut.form.unwrap_or_default();
        let letters = self.letters();
        if let Some(form) = self.form {
            return (letters + form).starts_with(&cut);
        }
        if letters.starts_with(&cut) {
            return true;
        }
        let rest = cut.strip_prefix(&letters);
        rest.is_some_and(|rest| FORMS.iter().any(|form| form.starts_with(rest)))
    }

    fn letters(&self) -> String {
        self.words.concat()
    }
}

/// The longest company form at the end of a name: its number of words, and its letters.
fn company_form(words: &[String]) -> Option<(usize, &'static str)> {
    let most = words.len().saturating_sub(1).min(MAX_FORM_WORDS);
    (1..=most).rev().find_map(|length| {
        let letters = words[words.len() - length..].concat();
        let form = FORMS.iter().find(|form| **form == letters);
        form.map(|form| (length, *form))
    })
}
