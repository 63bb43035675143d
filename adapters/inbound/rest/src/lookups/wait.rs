//! Time to wait for a result: `Prefer: wait=N` (RFC 7240), and the parameter `wait`.

use std::time::Duration;

use axum::http::header::HeaderName;
use axum::http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;

/// Maximum wait in seconds.
pub(crate) const MAX_WAIT: u64 = 25;

pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The applied preference `wait`, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preference(u64);

impl Preference {
    pub(crate) fn wait(self) -> Duration {
        Duration::from_secs(self.0)
    }

    /// Adds `Preference-Applied`.
    pub(crate) fn put(self, headers: &mut HeaderMap) {
        let applied = format!("wait={}", self.0);
        let applied = HeaderValue::try_from(applied).expect("digits and letters are visible ASCII");
        headers.insert(PREFERENCE_APPLIED, applied);
    }
}

/// The preference `wait`, capped at [`MAX_WAIT`]; `None` when it is absent or invalid, since RFC 7240
/// requires invalid preferences to be ignored.
pub(crate) fn preference(headers: &HeaderMap) -> Option<Preference> {
    let preferences = headers.get_all(PREFER).into_iter();
    let preferences = preferences.filter_map(|value| value.to_str().ok());
    let mut preferences = preferences.flat_map(|value| value.split(','));
    let seconds = preferences.find_map(|preference| {
        let (name, parameters) = preference.split_once('=')?;
        let value = parameters.split(';').next().unwrap_or_default();
        let value = value.trim().trim_matches('"');
        if !name.trim().eq_ignore_ascii_case("wait") || value.is_empty() {
            return None;
        }
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        // A number that overflows is capped like any other long wait.
        digits.then(|| value.parse().unwrap_or(u64::MAX))
    });
    seconds.map(|seconds| Preference(seconds.min(MAX_WAIT)))
}

/// Parameters of a read.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Query {
    /// Seconds to wait for a change of `state` or `attempts`. The answer is that of now when there is
    /// none, and that of a lookup that is final at once.
    #[serde(default)]
    #[validate(range(min = 0, max = MAX_WAIT))]
    #[param(minimum = 0, maximum = 25, default = 0)]
    pub(super) wait: u64,
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(&["wait=10"], Some(10))]
    #[case(&["respond-async, wait=10"], Some(10))]
    #[case(&["respond-async", "Wait = \"7\"; x=y"], Some(7))]
    #[case(&["wait=3", "wait=4"], Some(3))]
    #[case(&["wait=26"], Some(25))]
    #[case(&["wait=99999999999999999999999"], Some(25))]
    #[case(&["wait=0"], Some(0))]
    #[case(&["wait=-1"], None)]
    #[case(&["wait=1.5"], None)]
    #[case(&["wait="], None)]
    #[case(&["wait"], None)]
    #[case(&["await=5"], None)]
    #[case(&[], None)]
    fn the_wait_is_found_among_the_preferences(
        #[case] values: &[&'static str],
        #[case] seconds: Option<u64>,
    ) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(PREFER, HeaderValue::from_static(value));
        }
        assert_eq!(preference(&headers), seconds.map(Preference));
    }
}
