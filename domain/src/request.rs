//! The identity of one request, in logs, answers and statistics.

use std::fmt;

/// Longest request id that is kept.
pub const MAX_LENGTH: usize = 64;

/// A request's id: the caller's own when it is sane, ours otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(String);

impl RequestId {
    /// Keeps a caller's id of 1 to [`MAX_LENGTH`] characters out of `[A-Za-z0-9._:-]`; `None`
    /// otherwise.
    pub fn parse(text: &str) -> Option<Self> {
        let sane = |b: u8| b.is_ascii_alphanumeric() || b"._:-".contains(&b);
        let fits = (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(sane);
        fits.then(|| Self(text.to_owned()))
    }

    /// An id of our own.
    pub fn from_uuid(id: uuid::Uuid) -> Self {
        Self(id.to_string())
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sane_id_is_kept_and_any_other_is_not() {
        assert!(RequestId::parse("0198f3c2-7d3e:retry.2").is_some());
        for insane in ["", "a b", "a\r\nX: y", "ñ", "<script>", &"a".repeat(65)] {
            assert_eq!(RequestId::parse(insane), None, "{insane:?}");
        }
    }
}
