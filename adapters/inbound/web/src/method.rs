//! Names of HTTP methods in logs and traces. Non-standard methods are text of the caller's, and not shown.

use axum::http::Method;

const KNOWN: [&str; 9] = [
    "GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH", "CONNECT", "TRACE",
];

/// The method's name, if it is a standard one.
pub(crate) fn known(method: &Method) -> Option<&'static str> {
    KNOWN.into_iter().find(|known| method == known)
}

/// The method's name in the log: a standard one, or `other`.
pub fn method_name(method: &Method) -> &'static str {
    known(method).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_methods_of_http_are_known() {
        assert_eq!(known(&Method::DELETE), Some("DELETE"));
        assert_eq!(known(&Method::from_bytes(b"CANARY").unwrap()), None);
        assert_eq!(known(&Method::from_bytes(b"get").unwrap()), None);
    }

    proptest! {
        #[test]
        fn no_word_of_a_caller_is_logged_as_a_method(word in "[!#$%&'*+.^_`|~0-9a-zA-Z-]{1,40}") {
            let method = Method::from_bytes(word.as_bytes()).unwrap();
            let name = method_name(&method);
            prop_assert!(name == "other" || KNOWN.contains(&name));
            prop_assert_eq!(name == word, KNOWN.contains(&&*word) || word == "other");
        }
    }
}
