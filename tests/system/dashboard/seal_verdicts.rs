//! Verdicts on seals, wherever the page shows a delivery: an invalid one is red, one that wasn't checked yellow.

use rstest::rstest;
use serde_json::json;

use super::member;
use super::verified_files::with_another_amount;
use crate::browser::Browser;
use crate::file_checks::{checked, xml};
use crate::gateway::{request, soon};

/// Waits until an element is there, and asserts that no success is shown beside it.
async fn is_marked(browser: &Browser, within: &str, tone: &str) {
    let mark = format!("{within} .badge.{tone}");
    browser.find_css(&mark).await;
    let successes = browser.number_of(&format!("{within} .badge.ok")).await;
    assert_eq!(successes, 0, "in {within}");
}

/// The sandbox's proof with the seal of another text, and the one of a certificate whose key nobody knows.
#[rstest]
#[case::invalid("600.00", "INVALID", "bad", "deliveredSealInvalid")]
#[case::not_checked("600.01", "NOT_CHECKED", "warn", "deliveredSealNotChecked")]
#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_with_a_doubtful_seal_is_marked_wherever_it_is_shown(
    #[case] amount: &str,
    #[case] seal: &str,
    #[case] tone: &str,
    #[case] count: &str,
) {
    let Some(page) = member().await else { return };
    let id = page.created(&[amount, "10.00"]).await;
    page.open_batch(&id, "FINISHED").await;
    let count = format!("[data-count={count}].{tone}");
    page.find_css(&count).await;
    let row = format!("[data-testid=batch-payment][data-seal={seal}]");
    is_marked(&page, &row, tone).await;
    assert_eq!(page.number_of(&row).await, 1);
    let is_invalid = seal == "INVALID";
    if is_invalid {
        page.find("batch-seal-invalid").await;
        page.sees("No lo tome por un pago").await;
    }

    page.open("/batches").await;
    let listed = format!("[data-testid=batch-row] .badge.{tone}");
    page.find_css(&listed).await;

    page.open("/lookups").await;
    let state = format!("[data-testid=lookup-state][data-seal={seal}]");
    is_marked(&page, &state, tone).await;
    if !is_invalid {
        page.sees("entregada · sello sin comprobar").await;
    }
    let link = format!(
        "document.querySelector('{state}').closest('tr').querySelector('[data-testid=lookup-link]').click()"
    );
    page.run(&link, vec![]).await;
    if is_invalid {
        page.find("seal-invalid").await;
        page.find("seal").await;
    } else {
        page.find("lookup-proof").await;
        let attempt = "[data-testid=attempts] .outcome.seal-not_checked";
        page.find_css(attempt).await;
    }
    is_marked(&page, &state, tone).await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_list_of_requests_shows_the_verdict_on_each_proof_and_on_each_checked_file() {
    let Some(page) = member().await else { return };
    let (gateway, key) = (&page.gateway, &page.key);
    // Each by its own endpoint, which identifies its row.
    for (endpoint, amount, status, verdict) in [
        ("xml", "10.00", 200, Some("valid")),
        ("pdf", "600.00", 200, Some("invalid")),
        ("json", "600.01", 200, Some("not_checked")),
        ("zip_auto", "404.00", 404, None),
    ] {
        let answer = gateway.post(endpoint, key, &request(1, amount)).await;
        assert_eq!(answer.status().as_u16(), status, "{endpoint}");
        let told = answer.headers().get("x-seal");
        assert_eq!(told.map(|told| told.to_str().unwrap()), verdict);
    }
    // Its seal is that of its chain, and its amount isn't the sealed one.
    let good = xml(gateway, key, 1, "1234.56").await;
    let altered = checked(gateway, key, "", &with_another_amount(&good)).await;
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
        page.open(view).await;
        soon("the verdicts are shown", async || {
            page.find("requests-table").await;
            page.run(rows, vec![]).await == expected
        })
        .await;
    }
    // The mark beside a good seal is green; the others are red, yellow and red.
    let marks = "return [...document.querySelectorAll('.outcome:has(+ .seal-badge) .swatch')]\
        .map(swatch => getComputedStyle(swatch).backgroundColor)";
    let marks: Vec<String> = serde_json::from_value(page.run(marks, vec![]).await).unwrap();
    let [file, good, unknown, bad, _] = &*marks else {
        panic!("{marks:?}")
    };
    assert_eq!(file, bad);
    assert!(
        good != bad && good != unknown && unknown != bad,
        "{marks:?}"
    );
    let explained = "return document.querySelectorAll('.seal-badge.invalid')[1].title";
    let explained = page.run(explained, vec![]).await;
    assert!(explained.as_str().unwrap().contains("los datos o el sello"));
    assert_eq!(page.complaints().await, Vec::<String>::new());
}
