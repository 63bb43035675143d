//! Verdicts on seals, in the lists of requests.

use std::time::Duration;

use serde_json::json;

use super::{open, sign_in};
use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, eventually, request};
use crate::person::{Demo, Person};

#[tokio::test]
async fn the_list_of_requests_shows_the_verdict_on_each_delivered_proof() {
    let Some(browser) = Browser::start(Look::DESKTOP).await else {
        return;
    };
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let key = person.create_key("caja 4", "test").await;
    // Each by its own endpoint, which identifies its row.
    for (endpoint, amount, status, verdict) in [
        ("xml", "10.00", 200, Some("valid")),
        ("pdf", "600.00", 200, Some("invalid")),
        ("json", "600.01", 200, Some("not_checked")),
        ("zip_auto", "404.00", 404, None),
    ] {
        let answer = gateway.post(endpoint, &key, &request(1, amount)).await;
        assert_eq!(answer.status().as_u16(), status, "{endpoint}");
        let told = answer.headers().get("x-seal");
        assert_eq!(told.map(|told| told.to_str().unwrap()), verdict);
    }
    sign_in(&browser, &gateway, Demo::Member).await;
    let rows = "return [...document.querySelectorAll('[data-testid=requests-table] tbody tr')].map(\
        row => [row.querySelector('td > code').textContent, \
            [...row.querySelectorAll('.seal-badge')].map(badge => badge.textContent)])";
    // Newest first.
    let expected = json!([
        ["zip_auto", []],
        ["json", ["sello no comprobado"]],
        ["pdf", ["sello no válido"]],
        ["xml", ["sello válido"]],
    ]);
    for view in ["/", "/requests", &format!("/keys/{}", key.id)] {
        open(&browser, &gateway, view).await;
        eventually(
            "the verdicts are shown",
            Duration::from_secs(10),
            async || {
                browser.find("requests-table").await;
                browser.run(rows, vec![]).await == expected
            },
        )
        .await;
    }
    let explained = "return document.querySelector('.seal-badge.invalid').title";
    let explained = browser.run(explained, vec![]).await;
    assert!(explained.as_str().unwrap().contains("los datos o el sello"));
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
