//! Sandbox identity provider on a port of its own, and a person who signs in there.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use identity_oidc::{ClientSecret, Issuer, Oidc, OidcConfig};
use ports::outbound::{
    AccessToken, AuthorizationRequest, Clock as _, CodeGrant, IdentityError, IdentityProvider as _,
};
use reqwest::header::LOCATION;
use reqwest::{Client, redirect};
use testkit::identity_server::{IdentityServer, RegisteredClient};
use url::Url;

use crate::clock::TestClock;
use crate::test_provider::{AUDIENCE, CLIENT, adapter};

pub(crate) const REDIRECT: &str = "http://127.0.0.1:9/auth/callback";
pub(crate) const SIGNED_OUT: &str = "http://127.0.0.1:9/";
pub(crate) const SECRET: &str = "s3cret: with=odd&characters+%";
pub(crate) const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters";
pub(crate) const STATE: &str = "the-state";
pub(crate) const NONCE: &str = "the-nonce";

/// Sandbox identity provider, and its clock; shuts down when it is dropped.
pub(crate) struct Sandbox {
    pub(crate) server: IdentityServer,
    pub(crate) clock: TestClock,
    secret: Option<ClientSecret>,
}

impl Sandbox {
    pub(crate) async fn start() -> Self {
        Self::start_with_secret(Some(SECRET)).await
    }

    pub(crate) async fn start_with_secret(secret: Option<&str>) -> Self {
        let client = RegisteredClient {
            id: CLIENT,
            secret,
            redirect_uri: REDIRECT,
            signed_out_uri: SIGNED_OUT,
            audience: AUDIENCE,
        };
        let clock = TestClock::new();
        let sandboxs_clock = clock.clone();
        Self {
            server: IdentityServer::start(client, move || sandboxs_clock.now()).await,
            clock,
            secret: secret.map(|secret| ClientSecret::new(secret.to_owned())),
        }
    }

    pub(crate) fn config(&self) -> OidcConfig {
        OidcConfig {
            client_secret: self.secret.clone(),
            ..OidcConfig::new(
                Issuer::parse(&self.server.issuer).unwrap(),
                CLIENT,
                AUDIENCE,
            )
        }
    }

    pub(crate) fn adapter(&self) -> Arc<Oidc> {
        adapter(self.config(), &self.clock)
    }

    /// A code with the parameters of its sign-in, as the provider sent it.
    pub(crate) fn grant<'a>(&'a self, code: &'a str) -> CodeGrant<'a> {
        CodeGrant {
            issuer: Some(&self.server.issuer),
            ..grant(code)
        }
    }
}

/// Returns the parameters of a sign-in as the gateway begins it.
pub(crate) fn authorization_request() -> AuthorizationRequest<'static> {
    AuthorizationRequest {
        state: STATE,
        nonce: NONCE,
        verifier: VERIFIER,
        redirect_uri: REDIRECT,
    }
}

/// Returns a code with the parameters of its sign-in.
pub(crate) fn grant(code: &str) -> CodeGrant<'_> {
    CodeGrant {
        code,
        nonce: NONCE,
        verifier: VERIFIER,
        redirect_uri: REDIRECT,
        issuer: None,
    }
}

/// Signs a person in.
pub(crate) async fn sign_in(oidc: &Oidc, person: &str) -> Result<AccessToken, IdentityError> {
    let address = oidc.authorization_url(&authorization_request()).await?;
    let redirect = choose_person(&address, person).await;
    assert_eq!(redirect["state"], STATE);
    let grant = CodeGrant {
        issuer: Some(&redirect["iss"]),
        ..grant(&redirect["code"])
    };
    oidc.redeem(&grant).await
}

/// Presses a person's button on the sign-in page; returns the parameters of the redirect back.
pub(crate) async fn choose_person(address: &str, person: &str) -> HashMap<String, String> {
    let browser = http_client();
    let page = browser.get(address).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let page = page.text().await.unwrap();
    assert!(page.contains(&format!("name=\"person\" value=\"{person}\"")));
    let (_, action) = page.split_once("action=\"").unwrap();
    let (action, _) = action.split_once('"').unwrap();
    let action = Url::parse(address)
        .unwrap()
        .join(&action.replace("&amp;", "&"))
        .unwrap();
    let submit = browser.post(action).form(&[("person", person)]);
    let response = submit.send().await.unwrap();
    assert_eq!(response.status(), 303);
    let back = Url::parse(response.headers()[LOCATION].to_str().unwrap()).unwrap();
    assert!(back.as_str().starts_with(REDIRECT));
    back.query_pairs().into_owned().collect()
}

/// Returns a client that doesn't follow redirects.
pub(crate) fn http_client() -> Client {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    Client::builder()
        .redirect(redirect::Policy::none())
        .timeout(Duration::from_secs(20))
        .no_proxy()
        .build()
        .unwrap()
}
