//! Options of traces: the collector, and the share of them that it is sent.

use std::fmt;
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use clap::Args;
use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::heading;
use super::people::Switch;
use super::secret::{Secret, SecretKind};

/// Export of traces.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::TRACES)]
pub struct TraceOptions {
    /// Collector of OpenTelemetry that traces are sent to (OTLP over HTTP, protobuf), such as
    /// `http://127.0.0.1:4318`; `/v1/traces` is appended to it. Without it there are no traces.
    #[arg(
        long,
        env = "CEP_OTLP_ENDPOINT",
        value_name = "URL",
        // Whoever puts a password into it by mistake must not find it in a log.
        hide_env_values = true
    )]
    pub otlp_endpoint: Option<CollectorUrl>,

    /// Share of traces that are sent, 0 to 1. Of a trusted caller's (`CEP_TRACE_TRUST`), its
    /// `traceparent` decides.
    #[arg(
        long,
        env = "CEP_TRACE_RATIO",
        value_name = "RATIO",
        default_value = "1",
        value_parser = ratio
    )]
    pub trace_ratio: f64,

    /// Trust in callers: `on` continues the trace of a caller's `traceparent`, which decides whether
    /// it is sent; `off` begins one here, with a link to the caller's.
    #[arg(
        long,
        env = "CEP_TRACE_TRUST",
        value_name = "SWITCH",
        default_value = "off"
    )]
    pub trace_trust: Switch,

    /// Headers for the collector.
    #[command(flatten)]
    pub otlp_headers: Secret<CollectorHeaders>,
}

/// Address at which a collector takes spans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectorUrl(Url);

/// Path that the protocol appends to a collector's address.
const PATH: &str = "/v1/traces";

impl CollectorUrl {
    /// The address that spans are posted to.
    pub fn traces(&self) -> &Url {
        &self.0
    }

    /// Reports an address that is reached over TLS.
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }
}

impl FromStr for CollectorUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut url = Url::parse(text).map_err(|problem| {
            format!("is no address ({problem}): write one such as http://127.0.0.1:4318")
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("must begin with http:// or https://: OTLP over gRPC isn't spoken".into());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must hold no user or password: set CEP_OTLP_HEADERS_FILE".into());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("must hold no `?` or `#`: only what stands before /v1/traces".into());
        }
        let base = url.path().trim_end_matches('/').to_owned();
        if base.ends_with(PATH) {
            return Err("must not end with /v1/traces, which is appended: leave it out".into());
        }
        url.set_path(&format!("{base}{PATH}"));
        Ok(Self(url))
    }
}

/// Headers of every request to a collector. Never shown.
#[derive(Clone, Default)]
pub struct CollectorHeaders(HeaderMap);

/// Headers that the exporter and HTTP set themselves.
const RESERVED: [&str; 7] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
    "user-agent",
];

impl CollectorHeaders {
    /// The headers, their values marked as sensitive.
    pub fn map(&self) -> &HeaderMap {
        &self.0
    }
}

impl SecretKind for CollectorHeaders {
    type Value = Self;
    const NAME: &'static str = "otlp-headers";
    const VALUE_NAME: &'static str = "HEADERS";
    const HELP: &'static str = "Headers that the collector wants, such as `authorization=Bearer \
        TOKEN`: names and values, separated by commas. What is no part of a name or value is \
        percent-encoded";
    const HEADING: &'static str = heading::TRACES;
    const REQUIRES: Option<&'static str> = Some("otlp_endpoint");

    fn parse(text: &str) -> Result<Self, String> {
        let mut headers = HeaderMap::new();
        for (place, pair) in text.split(',').enumerate() {
            let wrong = |problem: &str| format!("header {} {problem}", place + 1);
            let (name, value) = pair
                .split_once('=')
                .ok_or_else(|| wrong("has no `=`: write NAME=VALUE,NAME=VALUE"))?;
            let name = HeaderName::try_from(name.trim())
                .map_err(|_| wrong("has a name that no header may have: write NAME=VALUE"))?;
            if RESERVED.contains(&name.as_str()) {
                return Err(wrong("is one that the gateway sets itself: leave it out"));
            }
            let value: Vec<u8> = percent_decode_str(value.trim()).collect();
            let mut value = HeaderValue::try_from(value)
                .map_err(|_| wrong("has a value that no header may have, such as a line break"))?;
            if value.is_empty() {
                return Err(wrong("has no value: write NAME=VALUE"));
            }
            value.set_sensitive(true);
            if headers.insert(name, value).is_some() {
                return Err(wrong("has the name of another: give each once"));
            }
        }
        Ok(Self(headers))
    }
}

impl fmt::Debug for CollectorHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CollectorHeaders(redacted)")
    }
}

fn ratio(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|ratio| (0.0..=1.0).contains(ratio))
        .ok_or_else(|| "must be a number from 0 (no traces) to 1 (all), such as 0.05".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces")]
    #[case("http://[::1]:4318/", "http://[::1]:4318/v1/traces")]
    #[case("https://otlp.example/otlp", "https://otlp.example/otlp/v1/traces")]
    #[case("https://otlp.example/otlp//", "https://otlp.example/otlp/v1/traces")]
    fn the_path_of_traces_is_appended(#[case] base: &str, #[case] whole: &str) {
        let url: CollectorUrl = base.parse().unwrap();
        assert_eq!(url.traces().as_str(), whole);
    }

    #[rstest]
    #[case("", "is no address")]
    #[case("collector:4317", "http://")]
    #[case("localhost", "is no address")]
    #[case("grpc://collector:4317", "gRPC")]
    #[case("http://", "is no address")]
    #[case("http://user:hunter2@collector", "CEP_OTLP_HEADERS_FILE")]
    #[case("http://user@collector", "CEP_OTLP_HEADERS_FILE")]
    #[case("http://collector/?key=hunter2", "`?`")]
    #[case("http://collector/#hunter2", "`#`")]
    #[case("http://collector:4318/v1/traces", "leave it out")]
    #[case("http://collector:4318/v1/traces/", "leave it out")]
    fn what_is_no_base_is_refused_with_the_remedy(#[case] text: &str, #[case] remedy: &str) {
        let problem = text.parse::<CollectorUrl>().unwrap_err();
        assert!(problem.contains(remedy), "{problem}");
        assert!(!problem.contains("hunter2"), "{problem}");
    }

    #[test]
    fn headers_are_read_as_the_protocols_variable_has_them() {
        let text = "Authorization=Basic%20dXNlcjpwYXNz==, x-scope=a b";
        let headers = CollectorHeaders::parse(text).unwrap();
        assert_eq!(headers.map()["authorization"], "Basic dXNlcjpwYXNz==");
        assert_eq!(headers.map()["x-scope"], "a b");
        assert!(headers.map().values().all(HeaderValue::is_sensitive));
        assert!(!format!("{headers:?}").contains("dXNl"));
    }

    #[rstest]
    #[case("hunter2", "no `=`")]
    #[case("", "no `=`")]
    #[case("a=1,", "header 2")]
    #[case("two words=hunter2", "a name that no header may have")]
    #[case("=hunter2", "a name that no header may have")]
    #[case("token=", "has no value")]
    #[case("token=hunter2%0D%0Ax: y", "a value that no header may have")]
    #[case("token=hunter2\nx", "a value that no header may have")]
    #[case("Content-Type=hunter2", "leave it out")]
    #[case("token=hunter2,Token=b", "give each once")]
    fn what_is_no_header_is_refused_without_showing_it(#[case] text: &str, #[case] remedy: &str) {
        let problem = CollectorHeaders::parse(text).unwrap_err();
        assert!(problem.contains(remedy), "{problem}");
        assert!(!problem.contains("hunter2"), "{problem}");
    }

    #[test]
    fn a_share_is_between_none_and_all() {
        for (text, share) in [("0", 0.0), ("0.05", 0.05), ("1", 1.0), ("1e-3", 0.001)] {
            assert!((ratio(text).unwrap() - share).abs() < f64::EPSILON);
        }
        for text in ["-0.1", "1.01", "NaN", "inf", "half", "", "50%"] {
            assert!(ratio(text).is_err(), "{text}");
        }
    }
}
