//! Redirect to the public origin on a development machine. `127.0.0.1` and `localhost` have separate cookies
//! and different origins, so only one of them may be used.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::Response;
use web::{Origin, single_header};

use crate::{DashboardState, see_other};

/// Middleware that redirects to the public origin when that is a loopback http origin and the request was
/// made to another loopback name. With TLS, the proxy has to do this.
pub(crate) async fn redirect(
    State(state): State<Arc<DashboardState>>,
    request: Request,
    next: Next,
) -> Response {
    let public = state.site.public();
    match target(&request, public) {
        Some(location) => see_other(location),
        None => next.run(request).await,
    }
}

/// The redirect's target; `None` when the public origin isn't http, or the request was made to it.
fn target(request: &Request, public: &Origin) -> Option<HeaderValue> {
    let scheme = "http://";
    public.as_str().strip_prefix(scheme)?;
    let authority = request.uri().authority().map(Authority::as_str);
    let host = authority.or_else(|| single_header(request.headers(), &HOST))?;
    let requested = Origin::parse(&format!("{scheme}{host}")).ok()?;
    if requested == *public {
        return None;
    }
    let path = request.uri().path_and_query()?.as_str();
    HeaderValue::try_from(format!("{public}{path}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use rstest::rstest;

    #[rstest]
    #[case::its_own_name("http://127.0.0.1:8080", "127.0.0.1:8080", None)]
    #[case::another_name(
        "http://127.0.0.1:8080",
        "localhost:8080",
        Some("http://127.0.0.1:8080/dashboard/keys?a=b")
    )]
    #[case::another_port(
        "http://localhost:9000",
        "127.0.0.1:8080",
        Some("http://localhost:9000/dashboard/keys?a=b")
    )]
    #[case::the_default_port("http://localhost", "localhost:80", None)]
    #[case::upper_case("http://localhost", "LOCALHOST", None)]
    #[case::behind_tls("https://cep.example", "10.0.0.7:8080", None)]
    #[case::an_invalid_name("http://localhost", "a b", None)]
    fn another_loopback_name_is_redirected(
        #[case] public: &str,
        #[case] host: &str,
        #[case] location: Option<&str>,
    ) {
        let request = Request::get("/dashboard/keys?a=b")
            .header(HOST, host)
            .body(Body::empty())
            .unwrap();
        let found = target(&request, &Origin::parse(public).unwrap());
        let found = found.as_ref().map(|found| found.to_str().unwrap());
        assert_eq!(found, location);
    }

    #[test]
    fn over_http_2_the_authority_is_the_name() {
        let request = Request::get("http://localhost:8080/login")
            .body(Body::empty())
            .unwrap();
        let public = Origin::parse("http://127.0.0.1:8080").unwrap();
        let location = target(&request, &public).unwrap();
        assert_eq!(location, "http://127.0.0.1:8080/login");
    }
}
