//! Test provider on a port of its own, and a client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::header::LOCATION;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;
use testkit::identity_server::{IdentityServer, RegisteredClient};
use url::Url;

pub(crate) const CLIENT: &str = "the client";
pub(crate) const SECRET: &str = "a secret: with=odd&characters+%";
pub(crate) const AUDIENCE: &str = "the-gateway";
pub(crate) const REDIRECT: &str = "http://127.0.0.1:9/callback?a=b";
pub(crate) const SIGNED_OUT: &str = "http://127.0.0.1:9";
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/// Of that verifier (RFC 7636, appendix B).
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Credentials in the form.
pub(crate) const POSTED: [(&str, Option<&str>); 2] =
    [("client_id", Some(CLIENT)), ("client_secret", Some(SECRET))];

/// A provider with a clock set by the test; dropping it stops the server.
pub(crate) struct Provider {
    pub(crate) server: IdentityServer,
    pub(crate) client: Client,
    now: Arc<Mutex<DateTime<Utc>>>,
}

impl Provider {
    pub(crate) async fn start() -> Self {
        Self::start_with_secret(Some(SECRET)).await
    }

    pub(crate) async fn start_with_secret(secret: Option<&str>) -> Self {
        let start: DateTime<Utc> = "2031-05-06T07:08:09Z".parse().unwrap();
        let now = Arc::new(Mutex::new(start));
        let clock = Arc::clone(&now);
        let registered = RegisteredClient {
            id: CLIENT,
            secret,
            redirect_uri: REDIRECT,
            signed_out_uri: SIGNED_OUT,
            audience: AUDIENCE,
        };
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(20))
            .no_proxy()
            .build()
            .unwrap();
        Self {
            server: IdentityServer::start(registered, move || *clock.lock().unwrap()).await,
            client,
            now,
        }
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.server.issuer
    }

    pub(crate) fn now(&self) -> i64 {
        self.now.lock().unwrap().timestamp()
    }

    pub(crate) fn advance(&self, by: TimeDelta) {
        *self.now.lock().unwrap() += by;
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.issuer()))
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        let request = self.client.get(format!("{}{path}", self.issuer()));
        request.send().await.unwrap()
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        let body = self.get(path).await.bytes().await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Returns a page's URL with a valid request, apart from the changes; `None` omits a parameter.
    pub(crate) fn request_url(&self, path: &str, changes: &[(&str, Option<&str>)]) -> Url {
        let mut parameters: Vec<(&str, &str)> = vec![
            ("response_type", "code"),
            ("client_id", CLIENT),
            ("redirect_uri", REDIRECT),
            ("scope", "openid profile"),
            ("state", "s&<\"'>"),
            ("nonce", "n"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ];
        change(&mut parameters, changes);
        let address = format!("{}{path}", self.issuer());
        Url::parse_with_params(&address, parameters).unwrap()
    }

    /// Opens the sign-in page, and presses a person's button, with these changes of the request.
    pub(crate) async fn opened_and_pressed(
        &self,
        changes: &[(&str, Option<&str>)],
    ) -> [Response; 2] {
        let page = self.client.get(self.request_url("/authorize", changes));
        let press = self.client.post(self.request_url("/sign-in", changes));
        let press = press.form(&[("person", "demo-member")]);
        [page.send().await.unwrap(), press.send().await.unwrap()]
    }

    /// Signs in as a person, and returns the code.
    pub(crate) async fn code(&self, person: &str) -> String {
        self.code_with(person, &[]).await
    }

    pub(crate) async fn code_with(&self, person: &str, changes: &[(&str, Option<&str>)]) -> String {
        let address = self.request_url("/sign-in", changes);
        let press = self.client.post(address).form(&[("person", person)]);
        let answer = press.send().await.unwrap();
        redirect_parameters(&answer).remove("code").unwrap()
    }

    /// Builds the token request of a code, without the client's credentials.
    pub(crate) fn exchange(&self, code: &str, changes: &[(&str, Option<&str>)]) -> RequestBuilder {
        let mut form: Vec<(&str, &str)> = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
        ];
        change(&mut form, changes);
        self.post("/token").form(&form)
    }

    /// Builds the token request of a client that posts its credentials, with these changes.
    pub(crate) fn redeem(&self, code: &str, changes: &[(&str, Option<&str>)]) -> RequestBuilder {
        self.exchange(code, &[&POSTED, changes].concat())
    }

    /// Signs in as a person, and returns the tokens.
    pub(crate) async fn tokens(&self, person: &str) -> Value {
        let code = self.code(person).await;
        let answer = self.redeem(&code, &[]).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        body(answer).await
    }

    /// Signs in as the member, and returns the access token.
    pub(crate) async fn access_token(&self) -> Value {
        self.tokens("demo-member").await["access_token"].take()
    }
}

/// Sets parameters, or omits those without a value.
fn change<'a>(parameters: &mut Vec<(&'a str, &'a str)>, changes: &[(&'a str, Option<&'a str>)]) {
    for (name, value) in changes {
        parameters.retain(|(kept, _)| kept != name);
        parameters.extend(value.map(|value| (*name, value)));
    }
}

pub(crate) async fn body(answer: Response) -> Value {
    serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap()
}

/// Returns the query parameters of a redirect.
pub(crate) fn redirect_parameters(answer: &Response) -> HashMap<String, String> {
    assert_eq!(answer.status(), 303);
    let location = Url::parse(answer.headers()[LOCATION].to_str().unwrap()).unwrap();
    assert!(location.as_str().starts_with(REDIRECT), "{location}");
    location.query_pairs().into_owned().collect()
}

/// Decodes a part of a token: 0 is the header, 1 the claims.
pub(crate) fn part(token: &Value, index: usize) -> Value {
    let part = token.as_str().unwrap().split('.').nth(index).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}
