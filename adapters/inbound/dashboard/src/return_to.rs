//! Where a browser goes after a sign-in: a place of ours, whatever the address says.

use axum::http::HeaderValue;
use domain::sign_in::MAX_PATH_BYTES;
use url::{Position, Url};
use web::{Origin, SIGN_IN_PATH};

use crate::{CALLBACK_PATH, DASHBOARD_PATH};

/// The place that a text names, as a browser would read it: a path, with its query and fragment.
/// The dashboard, when it names none of ours.
pub(crate) fn place_of(text: &str, public: &Origin) -> String {
    named(text, public).unwrap_or_else(|| DASHBOARD_PATH.to_owned())
}

/// The same, as a header's value.
pub(crate) fn location_of(text: &str, public: &Origin) -> HeaderValue {
    HeaderValue::try_from(place_of(text, public))
        .unwrap_or(HeaderValue::from_static(DASHBOARD_PATH))
}

fn named(text: &str, public: &Origin) -> Option<String> {
    if !text.starts_with('/') || text.len() > MAX_PATH_BYTES {
        return None;
    }
    // The parser reads as browsers do: it drops tabs and line ends, and takes `\` for `/`.
    let url = Url::parse(public.as_str()).ok()?.join(text).ok()?;
    if url.origin().ascii_serialization() != public.as_str() {
        return None;
    }
    let place = &url[Position::BeforePath..];
    // `/.//host` is a path of ours that begins like an address of another host.
    let is_ours = !place.starts_with("//") && place.len() <= MAX_PATH_BYTES;
    (is_ours && !is_of_a_sign_in(url.path())).then(|| place.to_owned())
}

/// Whether a sign-in that ends there would begin, or fail, another one.
fn is_of_a_sign_in(path: &str) -> bool {
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
    fn a_place_of_ours_is_kept(#[case] text: &str, #[case] place: &str) {
        assert_eq!(place_of(text, &public()), place);
    }

    #[rstest]
    #[case::nothing("")]
    #[case::relative("dashboard")]
    #[case::another_site("https://evil.example/")]
    #[case::our_own_address("https://cep.example/dashboard")]
    #[case::without_a_scheme("//evil.example")]
    #[case::backslashes("/\\evil.example")]
    #[case::a_tab_between("/\t/evil.example")]
    #[case::a_line_end_between("/\r\n/evil.example")]
    #[case::a_dot_between("/.//evil.example")]
    #[case::dots_between("/a/..//evil.example")]
    #[case::encoded_dots_between("/%2e//evil.example")]
    #[case::a_script("javascript:alert(1)")]
    #[case::the_way_in("/login?return_to=/login")]
    #[case::the_way_back("/auth/callback?code=1")]
    #[case::the_way_out("/logout")]
    fn anything_else_is_the_dashboard(#[case] text: &str) {
        assert_eq!(place_of(text, &public()), "/dashboard");
    }

    #[test]
    fn a_line_end_adds_no_header() {
        let location = location_of("/dashboard\r\nSet-Cookie: a=b", &public());
        assert_eq!(location, "/dashboardSet-Cookie:%20a=b");
    }

    #[test]
    fn an_endless_address_is_the_dashboard() {
        let text = format!("/dashboard/{}", "x".repeat(MAX_PATH_BYTES));
        assert_eq!(place_of(&text, &public()), "/dashboard");
        // Encoding makes it longer.
        let text = format!("/dashboard/{}", "ñ".repeat(MAX_PATH_BYTES / 3));
        assert_eq!(place_of(&text, &public()), "/dashboard");
    }

    proptest! {
        #[test]
        fn no_text_leads_elsewhere(text in "[/\\\\.%2eE:@?#a-z\t\r\n \u{e9}]{0,24}") {
            let place = place_of(&text, &public());
            let seen = Url::parse("https://cep.example/login").unwrap().join(&place).unwrap();
            prop_assert_eq!(seen.origin().ascii_serialization(), "https://cep.example");
            prop_assert!(HeaderValue::try_from(place.as_str()).is_ok());
            // Reading it again changes nothing: it may travel through a sign-in.
            prop_assert_eq!(place_of(&place, &public()), place);
        }
    }
}
