//! Detection of cross-site requests by the headers that browsers send: `Origin` (Fetch, 3.2) and
//! `Sec-Fetch-Site` (Fetch Metadata). Other clients send neither.

use axum::http::header::ORIGIN;
use axum::http::{HeaderMap, HeaderName};

use crate::context::single_header;
use crate::origin::Origin;
use crate::site::Site;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender<'a> {
    /// A page of the gateway's origin, an address typed into a browser, or a client that isn't a browser.
    Ours,
    /// A page of an allowed origin.
    Allowed(&'a Origin),
    /// A page of any other origin.
    Foreign,
}

impl<'a> Sender<'a> {
    pub(crate) fn of(headers: &HeaderMap, site: &'a Site) -> Self {
        let Ok(by_origin) = by_origin(headers, site) else {
            return Self::Foreign;
        };
        // A request that `Sec-Fetch-Site` marks as cross-site needs an allowed origin.
        match (by_origin, claims_ours(headers)) {
            (Some(Self::Allowed(origin)), _) => Self::Allowed(origin),
            (_, true) => Self::Ours,
            (_, false) => Self::Foreign,
        }
    }
}

/// Returns true for a request of a page of another, not allowed origin. [`crate::guard()`] refuses those
/// itself; this function is for routes that need no session.
pub fn is_cross_site(headers: &HeaderMap, site: &Site) -> bool {
    Sender::of(headers, site) == Sender::Foreign
}

/// The sender according to `Origin`; `None` without the header.
fn by_origin<'a>(headers: &HeaderMap, site: &'a Site) -> Result<Option<Sender<'a>>, Foreign> {
    if !headers.contains_key(ORIGIN) {
        return Ok(None);
    }
    let origin = single_header(headers, &ORIGIN).and_then(|text| Origin::parse(text).ok());
    let origin = origin.ok_or(Foreign)?;
    if origin == *site.public() {
        return Ok(Some(Sender::Ours));
    }
    let mut allowed = site.allowed().iter();
    let allowed = allowed.find(|allowed| **allowed == origin).ok_or(Foreign)?;
    Ok(Some(Sender::Allowed(allowed)))
}

struct Foreign;

/// Returns true unless `Sec-Fetch-Site` says that another origin initiated the request.
fn claims_ours(headers: &HeaderMap) -> bool {
    !headers.contains_key(SEC_FETCH_SITE)
        || matches!(
            single_header(headers, &SEC_FETCH_SITE),
            Some("same-origin" | "none")
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;
    use rstest::rstest;

    fn site() -> Site {
        let origin = |text| Origin::parse(text).unwrap();
        Site::new(
            origin("https://cep.example"),
            vec![origin("https://panel.example")],
            None,
        )
        .unwrap()
    }

    fn sender(site: &Site, origins: &[&str], fetch_sites: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for (name, values) in [(ORIGIN, origins), (SEC_FETCH_SITE, fetch_sites)] {
            for value in values {
                let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
                headers.append(name.clone(), value);
            }
        }
        match Sender::of(&headers, site) {
            Sender::Ours => "ours".to_owned(),
            Sender::Allowed(origin) => origin.to_string(),
            Sender::Foreign => "foreign".to_owned(),
        }
    }

    #[rstest]
    #[case::no_browser(&[], &[], "ours")]
    #[case::our_page(&["https://cep.example"], &["same-origin"], "ours")]
    #[case::our_page_reads(&[], &["same-origin"], "ours")]
    #[case::our_page_in_an_old_browser(&["https://cep.example:443"], &[], "ours")]
    #[case::typed(&[], &["none"], "ours")]
    #[case::allowed(&["https://panel.example"], &["cross-site"], "https://panel.example")]
    #[case::allowed_sibling(&["https://panel.example"], &["same-site"], "https://panel.example")]
    #[case::allowed_in_an_old_browser(&["https://panel.example"], &[], "https://panel.example")]
    #[case::foreign(&["https://evil.example"], &["cross-site"], "foreign")]
    #[case::foreign_in_an_old_browser(&["https://evil.example"], &[], "foreign")]
    #[case::foreign_that_lies(&["https://evil.example"], &["same-origin"], "foreign")]
    #[case::sibling(&["https://x.cep.example"], &["same-site"], "foreign")]
    #[case::link_from_a_sibling(&[], &["same-site"], "foreign")]
    #[case::link_from_elsewhere(&[], &["cross-site"], "foreign")]
    #[case::another_scheme(&["http://cep.example"], &[], "foreign")]
    #[case::another_port(&["https://cep.example:8443"], &[], "foreign")]
    #[case::longer_host(&["https://cep.example.evil.example"], &[], "foreign")]
    #[case::sandboxed_frame(&["null"], &["cross-site"], "foreign")]
    #[case::null_of_ours(&["null"], &["same-origin"], "foreign")]
    #[case::ours_but_from_elsewhere(&["https://cep.example"], &["cross-site"], "foreign")]
    #[case::no_origin(&["nonsense"], &[], "foreign")]
    #[case::empty_origin(&[""], &[], "foreign")]
    #[case::two_origins(&["https://cep.example", "https://cep.example"], &[], "foreign")]
    #[case::a_new_word(&[], &["same-planet"], "foreign")]
    #[case::empty_word(&[], &[""], "foreign")]
    #[case::two_words(&[], &["same-origin", "same-origin"], "foreign")]
    fn a_request_comes_from_us_from_friends_or_from_elsewhere(
        #[case] origins: &[&str],
        #[case] fetch_sites: &[&str],
        #[case] expected: &str,
    ) {
        assert_eq!(sender(&site(), origins, fetch_sites), expected);
    }

    proptest! {
        #[test]
        fn no_other_origin_is_ours(
            origin in prop_oneof![
                "\\PC{0,30}",
                "https?://[a-z.]{0,8}cep\\.example[a-z.]{0,8}(:[0-9]{1,5})?/?",
            ],
        ) {
            let site = site();
            let ours = Origin::parse(&origin).is_ok_and(|origin| origin == *site.public());
            let found = sender(&site, &[&origin], &["same-origin"]);
            prop_assert_eq!(found == "ours", ours);
        }
    }
}
