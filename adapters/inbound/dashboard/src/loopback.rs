//! One address on a development machine. A cookie of `127.0.0.1` isn't sent to `localhost`, and an
//! `Origin` of one isn't the other, so whoever comes by another name is sent to the public one.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::Response;
use web::{Origin, the_one};

use crate::{DashboardState, see_other};

/// Sends a browser to our public origin, when that is on this machine and the browser came by
/// another name of this machine. Behind TLS this is the proxy's to do.
pub(crate) async fn send_home(
    State(state): State<Arc<DashboardState>>,
    request: Request,
    next: Next,
) -> Response {
    let public = state.site.public();
    match elsewhere(&request, public) {
        Some(home) => see_other(home),
        None => next.run(request).await,
    }
}

/// The same place at our public origin, when the request was made at another one.
fn elsewhere(request: &Request, public: &Origin) -> Option<HeaderValue> {
    let scheme = "http://";
    public.as_str().strip_prefix(scheme)?;
    let authority = request.uri().authority().map(Authority::as_str);
    let host = authority.or_else(|| the_one(request.headers(), &HOST))?;
    let came_by = Origin::parse(&format!("{scheme}{host}")).ok()?;
    if came_by == *public {
        return None;
    }
    let place = request.uri().path_and_query()?.as_str();
    HeaderValue::try_from(format!("{public}{place}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use rstest::rstest;

    #[rstest]
    #[case::by_its_name("http://127.0.0.1:8080", "127.0.0.1:8080", None)]
    #[case::by_another_name(
        "http://127.0.0.1:8080",
        "localhost:8080",
        Some("http://127.0.0.1:8080/dashboard/keys?a=b")
    )]
    #[case::at_another_port(
        "http://localhost:9000",
        "127.0.0.1:8080",
        Some("http://localhost:9000/dashboard/keys?a=b")
    )]
    #[case::at_the_usual_port("http://localhost", "localhost:80", None)]
    #[case::in_capitals("http://localhost", "LOCALHOST", None)]
    #[case::behind_tls("https://cep.example", "10.0.0.7:8080", None)]
    #[case::by_no_name("http://localhost", "a b", None)]
    fn there_is_one_address(#[case] public: &str, #[case] host: &str, #[case] home: Option<&str>) {
        let request = Request::get("/dashboard/keys?a=b")
            .header(HOST, host)
            .body(Body::empty())
            .unwrap();
        let found = elsewhere(&request, &Origin::parse(public).unwrap());
        assert_eq!(found.as_ref().map(|home| home.to_str().unwrap()), home);
    }

    #[test]
    fn over_http_2_the_address_says_the_name() {
        let request = Request::get("http://localhost:8080/login")
            .body(Body::empty())
            .unwrap();
        let public = Origin::parse("http://127.0.0.1:8080").unwrap();
        let home = elsewhere(&request, &public).unwrap();
        assert_eq!(home, "http://127.0.0.1:8080/login");
    }
}
