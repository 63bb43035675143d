//! `/docs`: the API's description in Swagger UI, which is embedded and loads nothing from other servers.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Path};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use utoipa_swagger_ui::{Config, SwaggerFile};
use web::{Problem, RequestContext};

/// Allows only the page's own scripts and styles, and requests to this server. Swagger UI also sets inline
/// styles, and its icons are `data:` URLs.
const CSP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);

/// The relative URL of the description works at the root and under `/api`. The validator badge is disabled,
/// since it would be loaded from a third party's server.
static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    Arc::new(
        Config::from("../openapi.json")
            .validator_url("none")
            .try_it_out_enabled(true),
    )
});

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/docs", get(redirect))
        .route("/docs/", get(index))
        .route("/docs/{file}", get(file))
}

/// Redirects to `docs/`, because the page's URLs are relative to it.
async fn redirect() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let headers = response.headers_mut();
    headers.insert(LOCATION, HeaderValue::from_static("docs/"));
    response
}

async fn index(call: Extension<RequestContext>) -> Response {
    file(Path("index.html".to_owned()), call).await
}

async fn file(Path(name): Path<String>, Extension(call): Extension<RequestContext>) -> Response {
    match utoipa_swagger_ui::serve(&name, Arc::clone(&CONFIG)) {
        Ok(Some(file)) => served(file),
        Ok(None) => Problem::RouteNotFound.into_response(),
        Err(error) => {
            tracing::error!(request_id = %call.request_id, %error, "the docs page can't be served");
            Problem::internal(&call.request_id).into_response()
        }
    }
}

fn served(file: SwaggerFile<'static>) -> Response {
    let mut response = Response::new(Body::from(file.bytes.into_owned()));
    let headers = response.headers_mut();
    if let Ok(media_type) = HeaderValue::try_from(file.content_type) {
        headers.insert(CONTENT_TYPE, media_type);
    }
    if file.gzpipped {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(CONTENT_SECURITY_POLICY, CSP);
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=3600"),
    );
    response
}
