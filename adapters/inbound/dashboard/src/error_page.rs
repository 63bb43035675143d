//! The error page of a failed sign-in, with the reason, the remedy and the request id.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use web::RequestContext;

use crate::error_text::{ErrorText, SignInFailure};
use crate::files::with_version;
use crate::html::Escaped;
use crate::security;

/// Renders the page with the failure's HTTP status.
pub(crate) fn error_page(failure: &SignInFailure, context: &RequestContext) -> Response {
    let page = with_version(&html(
        &ErrorText::of(failure, context.language),
        context.request_id.as_str(),
    ));
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = status(failure);
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    security::protect(headers);
    if let SignInFailure::Busy { retry_after } = failure {
        web::headers::put_retry_after(headers, *retry_after);
    }
    response
}

fn status(failure: &SignInFailure) -> StatusCode {
    match failure {
        SignInFailure::NotUnderWay => StatusCode::BAD_REQUEST,
        SignInFailure::Refused(_) => StatusCode::FORBIDDEN,
        SignInFailure::Unusable | SignInFailure::TooLarge { .. } => StatusCode::BAD_GATEWAY,
        SignInFailure::Busy { .. } | SignInFailure::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn html(text: &ErrorText, request_id: &str) -> String {
    format!(
        r#"<!doctype html>
<html lang="{language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>{title} · {app}</title>
    <script src="/dashboard/assets/js/theme-early.js"></script>
    <link rel="icon" href="/dashboard/assets/favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/dashboard/assets/css/tokens.css">
    <link rel="stylesheet" href="/dashboard/assets/css/base.css">
    <link rel="stylesheet" href="/dashboard/assets/css/layout.css">
  </head>
  <body>
    <main class="sign-in">
      <div class="panel sign-in-panel">
        <p class="muted">{app}</p>
        <h1>{title}</h1>
        <p>{what}</p>
        <p>{remedy}</p>
        <a class="button primary wide" href="/login" data-testid="sign-in">{again}</a>
        <p class="muted small">{id_label} <code>{request_id}</code></p>
      </div>
    </main>
  </body>
</html>
"#,
        language = text.language,
        title = Escaped(text.title),
        app = Escaped(text.app),
        what = Escaped(&text.what),
        remedy = Escaped(&text.remedy),
        again = Escaped(text.again),
        id_label = Escaped(text.request_id),
        request_id = Escaped(request_id),
    )
}
