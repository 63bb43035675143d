//! Request parameters. Each may occur once, and an empty one counts as omitted (RFC 6749, 3.1 and 3.2).

/// Name-value pairs of a query string or a form.
#[derive(Clone)]
pub(crate) struct Parameters(Vec<(String, String)>);

/// Error: a parameter is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RepeatedParameter;

impl Parameters {
    /// Parses `a=b&c=d`, percent-encoded.
    pub(crate) fn parse(encoded: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// Returns the value of a parameter; `None` if it is missing or empty.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, RepeatedParameter> {
        let mut values = self.0.iter().filter(|(named, _)| named == name);
        match (values.next(), values.next()) {
            (Some(_), Some(_)) => Err(RepeatedParameter),
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
    #[case("a=1&a=1", Err(RepeatedParameter))]
    #[case("a=&a=1", Err(RepeatedParameter))]
    fn a_parameter_is_given_once_or_omitted(
        #[case] encoded: &str,
        #[case] value: Result<Option<&str>, RepeatedParameter>,
    ) {
        assert_eq!(Parameters::parse(encoded.as_bytes()).get("a"), value);
    }
}
