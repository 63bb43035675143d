//! The parameters of a request: each at most once (RFC 6749, 3.1 and 3.2), and an empty one counts
//! as left out.

/// The pairs of a query or a form.
#[derive(Clone)]
pub(crate) struct Parameters(Vec<(String, String)>);

/// A parameter was there twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeated;

impl Parameters {
    /// Reads `a=b&c=d`, percent-encoded.
    pub(crate) fn read(encoded: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, Repeated> {
        let mut values = self.0.iter().filter(|(named, _)| named == name);
        match (values.next(), values.next()) {
            (Some(_), Some(_)) => Err(Repeated),
            (Some((_, value)), None) if !value.is_empty() => Ok(Some(value)),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("a=1&b=2", Ok(Some("1")))]
    #[case("a=%C3%A9+%26", Ok(Some("é &")))]
    #[case("b=2", Ok(None))]
    #[case("a=", Ok(None))]
    #[case("a", Ok(None))]
    #[case("", Ok(None))]
    #[case("a=1&a=1", Err(Repeated))]
    #[case("a=&a=1", Err(Repeated))]
    fn a_parameter_is_there_once_or_not_at_all(
        #[case] encoded: &str,
        #[case] value: Result<Option<&str>, Repeated>,
    ) {
        assert_eq!(Parameters::read(encoded.as_bytes()).get("a"), value);
    }
}
