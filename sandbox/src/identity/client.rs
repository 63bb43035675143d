//! Authentication of the registered client.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::parameters::Parameters;

/// The registered client.
pub(crate) struct Client {
    pub(crate) id: String,
    pub(crate) secret: Option<String>,
    pub(crate) redirect_uris: Vec<String>,
    pub(crate) post_logout_redirect_uris: Vec<String>,
}

/// Failed client authentication (RFC 6749, 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientAuthError {
    /// The request uses two authentication methods or repeats a parameter.
    Malformed,
    /// The credentials are missing or wrong.
    Unauthenticated,
}

/// Client id and secret in a request.
struct Credentials {
    id: String,
    secret: Option<String>,
}

impl Client {
    /// Authenticates the client with `client_secret_basic` or `client_secret_post`, or with `none` if
    /// it has no secret.
    pub(crate) fn authenticate(
        &self,
        headers: &HeaderMap,
        form: &Parameters,
    ) -> Result<(), ClientAuthError> {
        let given = credentials(headers, form)?;
        let secret_is_right = match (&self.secret, &given.secret) {
            (Some(ours), Some(theirs)) => {
                verify_slices_are_equal(ours.as_bytes(), theirs.as_bytes()).is_ok()
            }
            (None, None) => true,
            _ => false,
        };
        if given.id == self.id && secret_is_right {
            Ok(())
        } else {
            Err(ClientAuthError::Unauthenticated)
        }
    }
}

fn credentials(headers: &HeaderMap, form: &Parameters) -> Result<Credentials, ClientAuthError> {
    let malformed = |_| ClientAuthError::Malformed;
    let id = form.get("client_id").map_err(malformed)?;
    let secret = form.get("client_secret").map_err(malformed)?;
    let Some(authorization) = headers.get(AUTHORIZATION) else {
        let id = id.ok_or(ClientAuthError::Unauthenticated)?;
        return Ok(Credentials {
            id: id.to_owned(),
            secret: secret.map(ToOwned::to_owned),
        });
    };
    if secret.is_some() {
        return Err(ClientAuthError::Malformed);
    }
    let basic = authorization.to_str().ok().and_then(basic_credentials);
    let basic = basic.ok_or(ClientAuthError::Unauthenticated)?;
    match id {
        Some(id) if id != basic.id => Err(ClientAuthError::Malformed),
        _ => Ok(basic),
    }
}

/// Parses HTTP Basic credentials, in which id and secret are form-encoded (RFC 6749, 2.3.1).
fn basic_credentials(authorization: &str) -> Option<Credentials> {
    let (scheme, encoded) = authorization.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    Some(Credentials {
        id: form_decoded(id),
        secret: Some(form_decoded(secret)),
    })
}

/// Decodes one form-encoded value. Unencoded `=` and `&` are part of the value.
fn form_decoded(text: &str) -> String {
    let text = text.replace('=', "%3D").replace('&', "%26");
    let mut pairs = url::form_urlencoded::parse(text.as_bytes());
    pairs
        .next()
        .map_or_else(String::new, |(value, _)| value.into_owned())
}
