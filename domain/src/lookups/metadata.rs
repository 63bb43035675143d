//! Metadata that a caller attaches to a lookup.

use self::MetadataError::{LongName, LongValue, NameTwice, TooMany};

/// Maximum number of pairs.
pub const MAX_PAIRS: usize = 10;
/// Maximum length of a name in characters.
const MAX_NAME: usize = 40;
/// Maximum length of a value in characters.
const MAX_VALUE: usize = 200;

/// Names and values that are returned with the lookup; the gateway doesn't interpret them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata(Vec<(String, String)>);

/// Reason why metadata is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// There are more than [`MAX_PAIRS`] pairs.
    #[error("must have at most {MAX_PAIRS} pairs")]
    TooMany,
    /// A name is empty or too long.
    #[error("must have names of 1 to {MAX_NAME} characters")]
    LongName,
    /// A value is too long.
    #[error("must have values of at most {MAX_VALUE} characters")]
    LongValue,
    /// A name is repeated.
    #[error("must not repeat a name")]
    NameTwice,
}

impl Metadata {
    /// Validates pairs; their order is kept.
    ///
    /// # Errors
    /// See [`MetadataError`].
    pub fn new(pairs: Vec<(String, String)>) -> Result<Self, MetadataError> {
        if pairs.len() > MAX_PAIRS {
            return Err(TooMany);
        }
        for (place, (name, value)) in pairs.iter().enumerate() {
            if name.is_empty() || name.chars().count() > MAX_NAME {
                return Err(LongName);
            }
            if value.chars().count() > MAX_VALUE {
                return Err(LongValue);
            }
            if pairs[..place].iter().any(|(earlier, _)| earlier == name) {
                return Err(NameTwice);
            }
        }
        Ok(Self(pairs))
    }

    /// The pairs, in the caller's order.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn refused(pairs: Vec<(String, String)>) -> MetadataError {
        Metadata::new(pairs).unwrap_err()
    }

    #[test]
    fn ten_pairs_of_the_longest_texts_are_kept_in_order() {
        let longest =
            |number: usize| pair(&format!("{number}{}", "ñ".repeat(39)), &"x".repeat(200));
        let pairs: Vec<_> = (0..10).map(longest).collect();
        let metadata = Metadata::new(pairs.clone()).unwrap();
        assert_eq!(metadata.pairs(), pairs);
    }

    #[test]
    fn more_pairs_and_longer_texts_are_refused() {
        let eleven = (0..11).map(|number| pair(&number.to_string(), ""));
        assert_eq!(refused(eleven.collect()), TooMany);
        assert_eq!(refused(vec![pair("", "x")]), LongName);
        assert_eq!(refused(vec![pair(&"x".repeat(41), "")]), LongName);
        assert_eq!(refused(vec![pair("x", &"x".repeat(201))]), LongValue);
        assert_eq!(refused(vec![pair("x", "1"), pair("x", "2")]), NameTwice);
    }
}
