//! The media type of a response (GraphQL over HTTP, working draft).

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue, StatusCode};

/// Media type of a response. It determines the status of an invalid GraphQL request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaType {
    /// `application/json`. Proxies may also send it with an error status, so invalid requests get 200 to be
    /// recognised as GraphQL responses.
    Json,
    /// `application/graphql-response+json`, which only a GraphQL server sends, so its status may vary.
    GraphqlResponse,
}

impl MediaType {
    /// Chooses by `Accept`. `application/json` is the default, also for a client that accepts neither: older
    /// clients expect it.
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

    pub(crate) fn header(self) -> HeaderValue {
        match self {
            Self::Json => web::headers::JSON,
            Self::GraphqlResponse => HeaderValue::from_static("application/graphql-response+json"),
        }
    }

    /// Status of a well-formed GraphQL request whose document is invalid.
    pub(crate) fn invalid_request_status(self) -> StatusCode {
        match self {
            Self::Json => StatusCode::OK,
            Self::GraphqlResponse => StatusCode::BAD_REQUEST,
        }
    }
}

/// The weight `q` of a media range (RFC 9110, 12.4.2); 1 when absent, 0 when it isn't a number.
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

    const GRAPHQL: &str = "application/graphql-response+json";

    /// The media type for a client with these header fields.
    fn chosen(accept: &[&'static str]) -> MediaType {
        let mut headers = HeaderMap::new();
        for accept in accept {
            headers.append(ACCEPT, HeaderValue::from_static(accept));
        }
        MediaType::negotiate(&headers)
    }

    #[test]
    fn json_is_the_default() {
        assert_eq!(chosen(&[]), MediaType::Json);
        for accept in [
            "*/*",
            "application/*",
            "application/json",
            "text/html",
            "application/graphql-response+json;q=0",
            "application/json, application/graphql-response+json;q=0.5",
            "application/graphql-response+json;q=x",
            "application/graphql-response+jsonx",
        ] {
            assert_eq!(chosen(&[accept]), MediaType::Json, "{accept}");
        }
    }

    #[test]
    fn a_client_that_accepts_a_graphql_response_gets_one() {
        for accept in [
            &[GRAPHQL][..],
            &["Application/GraphQL-Response+JSON; charset=utf-8"],
            &["application/graphql-response+json, application/json;q=0.9"],
            &["application/json, application/graphql-response+json"],
            &["*/*;q=0.1, application/graphql-response+json ; q=0.2"],
            // Two header fields are one list.
            &["application/json;q=0.5", GRAPHQL],
        ] {
            let chosen = chosen(accept);
            assert_eq!(chosen, MediaType::GraphqlResponse, "{accept:?}");
            assert_eq!(chosen.header(), GRAPHQL);
        }
    }
}
