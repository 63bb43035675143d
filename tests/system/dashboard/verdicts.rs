//! Verdicts on seals, in the lists of requests.

use serde_json::json;

use super::verified_files::with_another_amount;
use super::{member_with_a_key, open};
use crate::browser::Look;
use crate::file_checks::{checked, xml};
use crate::gateway::{request, soon};

#[tokio::test]
async fn the_list_of_requests_shows_the_verdict_on_each_proof_and_on_each_checked_file() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
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
    // Its seal is that of its chain, and its amount isn't the sealed one.
    let good = xml(&gateway, &key, 1, "1234.56").await;
    let altered = checked(&gateway, &key, "", &with_another_amount(&good)).await;
    assert_eq!(altered["resultado"], "invalid");
    let rows = "return [...document.querySelectorAll('[data-testid=requests-table] tbody tr')].map(\
        row => [row.querySelector('td > code').textContent, \
            row.querySelector('.outcome').textContent, \
            [...row.querySelectorAll('.seal-badge')].map(badge => badge.textContent)])";
    // Newest first.
    let expected = json!([
        ["verify", "Comprobado", ["archivo no confiable"]],
        ["xml", "Entregado", ["sello válido"]],
        ["zip_auto", "No encontrado", []],
        ["json", "Entregado", ["sello sin comprobar"]],
        ["pdf", "Entregado", ["sello no válido"]],
        ["xml", "Entregado", ["sello válido"]],
    ]);
    for view in ["/", "/requests", &format!("/keys/{}", key.id)] {
        open(&browser, &gateway, view).await;
        soon("the verdicts are shown", async || {
            browser.find("requests-table").await;
            browser.run(rows, vec![]).await == expected
        })
        .await;
    }
    // The mark beside a good seal is green; the others are red, yellow and red.
    let marks = "return [...document.querySelectorAll('.outcome:has(+ .seal-badge) .swatch')]\
        .map(swatch => getComputedStyle(swatch).backgroundColor)";
    let marks: Vec<String> = serde_json::from_value(browser.run(marks, vec![]).await).unwrap();
    let [file, good, unknown, bad, _] = &*marks else {
        panic!("{marks:?}")
    };
    assert_eq!(file, bad);
    assert!(
        good != bad && good != unknown && unknown != bad,
        "{marks:?}"
    );
    let explained = "return document.querySelectorAll('.seal-badge.invalid')[1].title";
    let explained = browser.run(explained, vec![]).await;
    assert!(explained.as_str().unwrap().contains("los datos o el sello"));
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
