//! Handler of `GET /keys`.

use axum::body::Body;
use axum::response::Response;
use domain::keys::RevokedKeys;
use domain::page::{PageRequest, PageSize};
use futures::stream::{self, StreamExt as _};
use serde::Deserialize;
use utoipa::IntoParams;
use validator::Validate;
use web::views::keys::ApiKey;
use web::{Problem, json_response};

use crate::openapi::responses::FaultyInput;
use crate::people::request::PersonRequest;

/// Parameters of the request.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Query {
    /// `false` hides revoked keys.
    #[param(default = true)]
    include_revoked: Option<bool>,
}

impl Query {
    fn revoked_keys(&self) -> RevokedKeys {
        match self.include_revoked {
            None | Some(true) => RevokedKeys::Included,
            Some(false) => RevokedKeys::Hidden,
        }
    }
}

/// Your keys
#[utoipa::path(
    get,
    path = "/keys",
    operation_id = "listKeys",
    tag = "keys",
    params(Query),
    responses(
        (
            status = 200,
            description = "All of them, newest first; an empty list for who has none.",
            body = Vec<ApiKey>,
        ),
        FaultyInput,
    ),
)]
pub(super) async fn list(request: PersonRequest) -> Result<Response, Problem> {
    let query: Query = request.parameters().only()?;
    let list = KeyList {
        revoked: query.revoked_keys(),
        page: PageRequest::first(PageSize::OF_WHOLE_LIST),
        request,
    };
    let (first, next) = list.chunk().await?;
    // Most lists have one page, and an answer of a known length.
    let Some(next) = next else {
        return Ok(json_response(first));
    };
    let first = stream::iter([Ok(first)]);
    let others = stream::try_unfold(Some(next), following);
    Ok(json_response(Body::from_stream(first.chain(others))))
}

/// A JSON array of keys, read and sent page by page, so that even a long list occupies no database
/// connection and little memory.
struct KeyList {
    request: PersonRequest,
    revoked: RevokedKeys,
    /// The next page to read.
    page: PageRequest,
}

/// Reading a page failed after the response began. The connection is closed, and the cause was logged.
#[derive(Debug, thiserror::Error)]
#[error("a list of keys could not be read to its end")]
struct BrokenOff;

impl KeyList {
    /// The page's JSON text, and the remaining list if there are more pages.
    async fn chunk(mut self) -> Result<(Vec<u8>, Option<Self>), Problem> {
        let request = &self.request;
        let page = request
            .keys()
            .own(&request.caller, self.revoked, &self.page);
        let page = page.await.map_err(|error| request.problem(&error))?;
        let views: Vec<_> = page
            .items
            .iter()
            .map(|(_, key)| ApiKey::from(key))
            .collect();
        let mut text = request.bytes(&views)?;
        if self.page.after.is_some() {
            text[0] = b',';
        }
        let last = page.items.last().filter(|_| page.has_next);
        let Some((last, _)) = last else {
            return Ok((text, None));
        };
        text.pop();
        self.page.after = Some(last.clone());
        Ok((text, Some(self)))
    }
}

/// The JSON text of the next page, if there is one.
async fn following(list: Option<KeyList>) -> Result<Option<(Vec<u8>, Option<KeyList>)>, BrokenOff> {
    let Some(list) = list else {
        return Ok(None);
    };
    list.chunk().await.map(Some).map_err(|_| BrokenOff)
}
