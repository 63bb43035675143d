//! The path that a browser returns to after a sign-in, validated to prevent open redirects.

use axum::http::HeaderValue;
use domain::people::sign_in::MAX_PATH_BYTES;
use url::{Position, Url};
use web::{Origin, SIGN_IN_PATH};

use crate::{CALLBACK_PATH, DASHBOARD_PATH};

/// Parses a path of our origin, with query and fragment, as a browser would. Any other text gives the
/// dashboard's path.
pub(crate) fn return_path(text: &str, public: &Origin) -> String {
    own_path(text, public).unwrap_or_else(|| DASHBOARD_PATH.to_owned())
}

/// The result of [`return_path`] as the value of `Location`.
pub(crate) fn return_location(text: &str, public: &Origin) -> HeaderValue {
    HeaderValue::try_from(return_path(text, public))
        .unwrap_or(HeaderValue::from_static(DASHBOARD_PATH))
}

fn own_path(text: &str, public: &Origin) -> Option<String> {
    if !text.starts_with('/') || text.len() > MAX_PATH_BYTES {
        return None;
    }
    // The parser works like browsers: it drops tabs and newlines, and treats `\` as `/`.
    let url = Url::parse(public.as_str()).ok()?.join(text).ok()?;
    if url.origin().ascii_serialization() != public.as_str() {
        return None;
    }
    let path = &url[Position::BeforePath..];
    // `/.//host` normalises to `//host`, which as a relative URL means another host.
    let is_safe = !path.starts_with("//") && path.len() <= MAX_PATH_BYTES;
    (is_safe && !is_sign_in_path(url.path())).then(|| path.to_owned())
}

/// True for the paths of sign-in, callback and sign-out.
fn is_sign_in_path(path: &str) -> bool {
    [SIGN_IN_PATH, CALLBACK_PATH, "/logout"].contains(&path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn public() -> Origin {
        Origin::parse("https://cep.example").unwrap()
    }

    #[rstest]
    #[case("/", "/")]
    #[case(
        "/dashboard/keys?state=all&text=caja%204#x",
        "/dashboard/keys?state=all&text=caja%204#x"
    )]
    #[case("/dashboard/ñ", "/dashboard/%C3%B1")]
    #[case("/docs/", "/docs/")]
    #[case("/a/../dashboard", "/dashboard")]
    #[case("/dashboard?next=//evil.example", "/dashboard?next=//evil.example")]
    fn a_path_of_this_origin_is_kept(#[case] text: &str, #[case] path: &str) {
        assert_eq!(return_path(text, &public()), path);
    }

    #[rstest]
    #[case::empty("")]
    #[case::relative("dashboard")]
    #[case::another_site("https://evil.example/")]
    #[case::an_absolute_url("https://cep.example/dashboard")]
    #[case::without_a_scheme("//evil.example")]
    #[case::backslashes("/\\evil.example")]
    #[case::a_tab_between("/\t/evil.example")]
    #[case::a_line_end_between("/\r\n/evil.example")]
    #[case::a_dot_between("/.//evil.example")]
    #[case::dots_between("/a/..//evil.example")]
    #[case::encoded_dots_between("/%2e//evil.example")]
    #[case::a_script("javascript:alert(1)")]
    #[case::sign_in("/login?return_to=/login")]
    #[case::callback("/auth/callback?code=1")]
    #[case::sign_out("/logout")]
    fn anything_else_is_the_dashboard(#[case] text: &str) {
        assert_eq!(return_path(text, &public()), "/dashboard");
    }

    #[test]
    fn a_line_end_adds_no_header() {
        let location = return_location("/dashboard\r\nSet-Cookie: a=b", &public());
        assert_eq!(location, "/dashboardSet-Cookie:%20a=b");
    }

    #[test]
    fn a_path_that_is_too_long_is_the_dashboard() {
        let text = format!("/dashboard/{}", "x".repeat(MAX_PATH_BYTES));
        assert_eq!(return_path(&text, &public()), "/dashboard");
        // Encoding makes it longer.
        let text = format!("/dashboard/{}", "ñ".repeat(MAX_PATH_BYTES / 3));
        assert_eq!(return_path(&text, &public()), "/dashboard");
    }

    proptest! {
        #[test]
        fn no_text_leads_to_another_origin(text in "[/\\\\.%2eE:@?#a-z\t\r\n \u{e9}]{0,24}") {
            let path = return_path(&text, &public());
            let seen = Url::parse("https://cep.example/login").unwrap().join(&path).unwrap();
            prop_assert_eq!(seen.origin().ascii_serialization(), "https://cep.example");
            prop_assert!(HeaderValue::try_from(path.as_str()).is_ok());
            // It is parsed again after the sign-in.
            prop_assert_eq!(return_path(&path, &public()), path);
        }
    }
}
