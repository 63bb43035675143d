//! A person at the gateway: a session, and a browser's behaviour without a browser.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use serde_json::{Value, json};

use crate::gateway::{self, Gateway, json_of};

/// The people of the sandbox identity provider.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Demo {
    Member,
    Admin,
}

impl Demo {
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Self::Member => "demo-member",
            Self::Admin => "demo-admin",
        }
    }
}

/// A client with cookies of its own that follows no redirect by itself.
pub(crate) struct Person {
    client: Client,
    origin: String,
    cookies: BTreeMap<String, String>,
}

impl Person {
    /// A person without a session.
    pub(crate) fn stranger(gateway: &Gateway) -> Self {
        Self::stranger_at(gateway.url(""))
    }

    fn stranger_at(origin: String) -> Self {
        // The provider of TLS is installed by the other client.
        drop(gateway::client());
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(Duration::from_mins(1));
        Self {
            client: client.build().unwrap(),
            origin,
            cookies: BTreeMap::new(),
        }
    }

    /// A gateway with its defaults, and a demo person who has signed in at it.
    pub(crate) async fn with_gateway(who: Demo) -> (Gateway, Self) {
        let gateway = Gateway::start();
        let person = Self::signed_in(&gateway, who).await;
        (gateway, person)
    }

    pub(crate) async fn signed_in(gateway: &Gateway, who: Demo) -> Self {
        Self::signed_in_at(gateway.url(""), who).await
    }

    /// The same at the gateway of this origin.
    pub(crate) async fn signed_in_at(origin: String, who: Demo) -> Self {
        let mut person = Self::stranger_at(origin);
        let landed = person.sign_in(who).await;
        assert_eq!(landed, "/dashboard");
        person
    }

    /// Signs in, and returns the path of the final redirect.
    pub(crate) async fn sign_in(&mut self, who: Demo) -> String {
        let callback = self.code_for(who).await;
        let answer = self.follow(&callback).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        location(&answer)
    }

    /// Signs in up to the provider's redirect back to the gateway, and returns its target.
    pub(crate) async fn code_for(&mut self, who: Demo) -> String {
        let begun = self.follow("/login").await;
        assert_eq!(begun.status(), StatusCode::SEE_OTHER);
        let authorize = location(&begun);
        let page = self.client.get(&authorize).send().await.unwrap();
        assert_eq!(page.status(), StatusCode::OK);
        let page = page.text().await.unwrap();
        // Submits the form of one of the users.
        let subject = who.subject();
        let button = format!("name=\"person\" value=\"{subject}\"");
        assert!(page.contains(&button), "{page}");
        let (_, form) = page.split_once("<form method=\"post\" action=\"").unwrap();
        let action = form.split('"').next().unwrap().replace("&amp;", "&");
        let target = Url::parse(&authorize).unwrap().join(&action).unwrap();
        let chosen = self
            .client
            .post(target)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(format!("person={subject}"));
        let chosen = chosen.send().await.unwrap();
        assert!(chosen.status().is_redirection(), "{}", chosen.status());
        location(&chosen)
    }

    /// Sends a GET for a path or an address of the gateway, as a browser's navigation does.
    pub(crate) async fn follow(&mut self, target: &str) -> Response {
        let answer = self.request(Method::GET, target).send().await.unwrap();
        self.keep_cookies(&answer);
        answer
    }

    /// A request with this person's cookies.
    pub(crate) fn request(&self, method: Method, target: &str) -> RequestBuilder {
        let origin = if target.starts_with('/') {
            &*self.origin
        } else {
            ""
        };
        let request = self.client.request(method, format!("{origin}{target}"));
        let cookies = self.cookies.iter();
        let cookies: Vec<_> = cookies
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if cookies.is_empty() {
            return request;
        }
        request.header(COOKIE, cookies.join("; "))
    }

    pub(crate) fn sending(&self, method: Method, path: &str, body: &Value) -> RequestBuilder {
        self.request(method, path)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string())
    }

    /// The JSON that a request with a JSON body is answered, with this status.
    pub(crate) async fn send(&self, method: Method, path: &str, body: &Value, is: u16) -> Value {
        let answer = self.sending(method, path, body).send().await;
        json_of(answer.unwrap(), is).await
    }

    /// The JSON that a request without a body is answered, with this status.
    pub(crate) async fn told(&self, method: Method, path: &str, status: u16) -> Value {
        let answer = self.request(method, path).send().await;
        json_of(answer.unwrap(), status).await
    }

    /// Adds a webhook for events of `test` keys; returns its path.
    pub(crate) async fn add_webhook(&self, url: &str, events: &[&str]) -> String {
        let body = json!({ "url": url, "events": events, "env": "test" });
        let added = self.send(Method::POST, "/webhooks", &body, 201).await;
        format!("/webhooks/{}", added["webhook"]["id"].as_str().unwrap())
    }

    /// Adds an own account.
    pub(crate) async fn add_own_account(&self, account: &str) {
        let body = json!({ "name": "Ventas", "cuenta": account });
        self.send(Method::POST, "/v1/accounts", &body, 201).await;
    }

    /// Signs out, and keeps the session's cookie.
    pub(crate) async fn sign_out(&self) {
        let answer = self.sending(Method::POST, "/logout", &json!({})).send();
        let status = answer.await.unwrap().status();
        assert!(status.is_success() || status.is_redirection(), "{status}");
    }

    /// Runs a GraphQL operation, and returns its data; errors fail the test.
    pub(crate) async fn ask(&self, query: &str, variables: Value) -> Value {
        let mut answer = self.ask_anyway(query, variables).await;
        assert!(answer["errors"].is_null(), "{answer}");
        answer["data"].take()
    }

    /// Runs a GraphQL operation, and returns the whole answer.
    pub(crate) async fn ask_anyway(&self, query: &str, variables: Value) -> Value {
        let body = json!({ "query": query, "variables": variables });
        self.send(Method::POST, "/graphql", &body, 200).await
    }

    /// Creates a key over REST, and returns the answer's key.
    pub(crate) async fn create_key(&self, name: &str, environment: &str) -> gateway::Key {
        let body = json!({ "name": name, "env": environment });
        gateway::Key::read(&self.send(Method::POST, "/keys", &body, 201).await)
    }

    pub(crate) async fn keys(&self) -> Vec<Value> {
        let keys = self.told(Method::GET, "/keys", 200).await;
        serde_json::from_value(keys).unwrap()
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    pub(crate) fn hold(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    fn keep_cookies(&mut self, answer: &Response) {
        for cookie in answer.headers().get_all(SET_COOKIE) {
            let (name, rest) = cookie.to_str().unwrap().split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            if value.is_empty() || rest.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.hold(name, value);
            }
        }
    }
}

pub(crate) fn location(answer: &Response) -> String {
    answer.headers()[LOCATION].to_str().unwrap().to_owned()
}
