//! The media type of a response (GraphQL over HTTP, working draft).

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue, StatusCode};

/// Media type of a response. It decides the status of a GraphQL request that isn't executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaType {
    /// `application/json`: proxies and old clients may answer in it too, so that a status other
    /// than 200 says nothing about GraphQL.
    Json,
    /// `application/graphql-response+json`: certainly a GraphQL response, whatever its status.
    GraphqlResponse,
}

impl MediaType {
    /// Chooses by `Accept`. `application/json` is the default, also for a client that accepts
    /// neither: it is what clients older than the other type expect.
    pub(crate) fn negotiate(headers: &HeaderMap) -> Self {
        let (mut json, mut graphql) = (0.0, 0.0);
        let ranges = headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        for range in ranges {
            let mut parts = range.split(';').map(str::trim);
            let weight = match parts
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase()
                .as_str()
            {
                "application/json" | "application/*" | "*/*" => &mut json,
                "application/graphql-response+json" => &mut graphql,
                _ => continue,
            };
            *weight = quality(parts).max(*weight);
        }
        if graphql > 0.0 && graphql >= json {
            Self::GraphqlResponse
        } else {
            Self::Json
        }
    }

    /// The value of `Content-Type`.
    pub(crate) fn header(self) -> HeaderValue {
        match self {
            Self::Json => web::headers::JSON,
            Self::GraphqlResponse => HeaderValue::from_static("application/graphql-response+json"),
        }
    }

    /// Status of a well-formed GraphQL request that isn't executed because of what it says.
    pub(crate) fn invalid_request_status(self) -> StatusCode {
        match self {
            Self::Json => StatusCode::OK,
            Self::GraphqlResponse => StatusCode::BAD_REQUEST,
        }
    }
}

/// The quality of a media range (RFC 9110, 12.4.2); 0 when it isn't a number.
fn quality<'a>(parameters: impl Iterator<Item = &'a str>) -> f32 {
    for parameter in parameters {
        if let Some(("q" | "Q", value)) = parameter.split_once('=') {
            return value.parse().unwrap_or(0.0);
        }
    }
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const GRAPHQL: &str = "application/graphql-response+json";

    #[rstest]
    #[case(None)]
    #[case(Some("*/*"))]
    #[case(Some("application/*"))]
    #[case(Some("application/json"))]
    #[case(Some("text/html"))]
    #[case(Some("application/graphql-response+json;q=0"))]
    #[case(Some("application/json, application/graphql-response+json;q=0.5"))]
    #[case(Some("application/graphql-response+json;q=x"))]
    #[case(Some("application/graphql-response+jsonx"))]
    fn json_is_the_default(#[case] accept: Option<&'static str>) {
        let mut headers = HeaderMap::new();
        if let Some(accept) = accept {
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
        }
        assert_eq!(MediaType::negotiate(&headers), MediaType::Json);
    }

    #[rstest]
    #[case("application/graphql-response+json")]
    #[case("Application/GraphQL-Response+JSON; charset=utf-8")]
    #[case("application/graphql-response+json, application/json;q=0.9")]
    #[case("application/json, application/graphql-response+json")]
    #[case("*/*;q=0.1, application/graphql-response+json ; q=0.2")]
    fn a_client_that_accepts_a_graphql_response_gets_one(#[case] accept: &'static str) {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        let chosen = MediaType::negotiate(&headers);
        assert_eq!(chosen, MediaType::GraphqlResponse);
        assert_eq!(chosen.header(), GRAPHQL);
    }

    #[test]
    fn two_accept_headers_are_one_list() {
        let mut headers = HeaderMap::new();
        headers.append(ACCEPT, HeaderValue::from_static("application/json;q=0.5"));
        headers.append(ACCEPT, HeaderValue::from_static(GRAPHQL));
        assert_eq!(MediaType::negotiate(&headers), MediaType::GraphqlResponse);
    }
}
