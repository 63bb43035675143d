//! A browser as far as a provider's pages need one: cookies with paths, redirects, forms.

use std::collections::BTreeMap;

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, RequestBuilder, Response};
use url::Url;

use crate::sandboxed::browser;

/// Most pages and redirects between an address and where it leads.
const MOST_STEPS: usize = 20;

/// A browser.
pub(crate) struct Browser {
    client: Client,
    /// Values by path and name.
    cookies: BTreeMap<(String, String), String>,
    /// How often it was asked to sign in.
    pub(crate) logins: usize,
}

impl Browser {
    pub(crate) fn new() -> Self {
        Self {
            client: browser(),
            cookies: BTreeMap::new(),
            logins: 0,
        }
    }

    /// Opens an address and goes where it is sent, filling in the forms on the way, until it is
    /// sent to an address that begins with `until`.
    pub(crate) async fn follow(&mut self, address: &str, until: &str, login: &str) -> Url {
        let mut here = Url::parse(address).unwrap();
        let mut request = self.client.get(here.clone());
        for _ in 0..MOST_STEPS {
            let answer = self.send(&here, request).await;
            if let Some(location) = answer.headers().get(LOCATION) {
                here = here.join(location.to_str().unwrap()).unwrap();
                if here.as_str().starts_with(until) {
                    return here;
                }
                request = self.client.get(here.clone());
                continue;
            }
            let page = answer.text().await.unwrap();
            let (action, fields) = self.fill_in(&page, login);
            here = here.join(&action).unwrap();
            request = self.client.post(here.clone()).form(&fields);
        }
        panic!("{address} leads nowhere, at last to {here}");
    }

    /// The form of a page, with its hidden fields and what a person would write.
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

    async fn send(&mut self, here: &Url, request: RequestBuilder) -> Response {
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .filter(|((path, _), _)| here.path().starts_with(path.as_str()))
            .map(|((_, name), value)| format!("{name}={value}"))
            .collect();
        let answer = request
            .header(COOKIE, cookies.join("; "))
            .send()
            .await
            .unwrap();
        for cookie in answer.headers().get_all(SET_COOKIE) {
            self.keep(cookie.to_str().unwrap());
        }
        answer
    }

    fn keep(&mut self, cookie: &str) {
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
