//! A small page about a sign-in that failed: what happened, what to do, and the request's id.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use web::RequestContext;

use crate::files::with_edition;
use crate::html::Escaped;
use crate::security;
use crate::words::{Trouble, Words, words};

/// The page, with the status that fits.
pub(crate) fn error_page(trouble: &Trouble, call: &RequestContext) -> Response {
    let page = with_edition(&html(
        &words(trouble, call.language),
        call.request_id.as_str(),
    ));
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = status(trouble);
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    security::protect(headers);
    response
}

fn status(trouble: &Trouble) -> StatusCode {
    match trouble {
        Trouble::NotUnderWay => StatusCode::BAD_REQUEST,
        Trouble::Refused(_) => StatusCode::FORBIDDEN,
        Trouble::Unusable | Trouble::TooLarge { .. } => StatusCode::BAD_GATEWAY,
        Trouble::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn html(words: &Words, request_id: &str) -> String {
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
        language = words.language,
        title = Escaped(words.title),
        app = Escaped(words.app),
        what = Escaped(&words.what),
        remedy = Escaped(&words.remedy),
        again = Escaped(words.again),
        id_label = Escaped(words.request_id),
        request_id = Escaped(request_id),
    )
}
