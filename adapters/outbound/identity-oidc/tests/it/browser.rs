//! Minimal browser for a provider's pages: cookies with paths, redirects, forms.

use std::collections::BTreeMap;

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, RequestBuilder, Response};
use url::Url;

use crate::sandbox_provider::http_client;

/// Maximum number of pages and redirects that are followed.
const MAX_STEPS: usize = 20;

/// Browser with its cookies.
pub(crate) struct Browser {
    client: Client,
    /// Values by path and name.
    cookies: BTreeMap<(String, String), String>,
    /// Number of login forms that were filled in.
    pub(crate) logins: usize,
}

impl Browser {
    pub(crate) fn new() -> Self {
        Self {
            client: http_client(),
            cookies: BTreeMap::new(),
            logins: 0,
        }
    }

    /// Opens an address, follows redirects and submits forms until it is redirected to an address
    /// that begins with `until`.
    pub(crate) async fn follow(&mut self, address: &str, until: &str, login: &str) -> Url {
        let mut url = Url::parse(address).unwrap();
        let mut request = self.client.get(url.clone());
        for _ in 0..MAX_STEPS {
            let response = self.send(&url, request).await;
            if let Some(location) = response.headers().get(LOCATION) {
                url = url.join(location.to_str().unwrap()).unwrap();
                if url.as_str().starts_with(until) {
                    return url;
                }
                request = self.client.get(url.clone());
                continue;
            }
            let page = response.text().await.unwrap();
            let (action, fields) = self.fill_in(&page, login);
            url = url.join(&action).unwrap();
            request = self.client.post(url.clone()).form(&fields);
        }
        panic!("{address} leads nowhere, at last to {url}");
    }

    /// Returns the action of a page's form and its fields, with hidden ones and a person's input.
    fn fill_in(&mut self, page: &str, login: &str) -> (String, Vec<(String, String)>) {
        let (_, form) = page
            .split_once("<form")
            .unwrap_or_else(|| panic!("no form: {page}"));
        let action = attribute(form, "action").unwrap();
        let mut fields: Vec<_> = form
            .split("<input")
            .skip(1)
            .filter_map(|input| {
                let (input, _) = input.split_once('>')?;
                Some((
                    attribute(input, "name")?,
                    attribute(input, "value").unwrap_or_default(),
                ))
            })
            .collect();
        if let Some(field) = fields.iter_mut().find(|(name, _)| name == "login") {
            login.clone_into(&mut field.1);
            self.logins += 1;
        }
        if let Some(field) = fields.iter_mut().find(|(name, _)| name == "password") {
            "anything".clone_into(&mut field.1);
        }
        if page.contains("name=\"logout\"") {
            fields.push(("logout".to_owned(), "yes".to_owned()));
        }
        (action, fields)
    }

    async fn send(&mut self, url: &Url, request: RequestBuilder) -> Response {
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .filter(|((path, _), _)| url.path().starts_with(path.as_str()))
            .map(|((_, name), value)| format!("{name}={value}"))
            .collect();
        let response = request
            .header(COOKIE, cookies.join("; "))
            .send()
            .await
            .unwrap();
        for cookie in response.headers().get_all(SET_COOKIE) {
            self.store_cookie(cookie.to_str().unwrap());
        }
        response
    }

    fn store_cookie(&mut self, cookie: &str) {
        let mut parts = cookie.split(';').map(str::trim);
        let (name, value) = parts.next().unwrap().split_once('=').unwrap();
        let path = parts
            .find_map(|part| part.strip_prefix("path="))
            .unwrap_or("/");
        let key = (path.to_owned(), name.to_owned());
        if value.is_empty() {
            self.cookies.remove(&key);
        } else {
            self.cookies.insert(key, value.to_owned());
        }
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, value) = tag.split_once(&format!("{name}=\""))?;
    let (value, _) = value.split_once('"')?;
    Some(value.replace("&amp;", "&"))
}
