//! The stored lookups of an account: list, proof and files, cancellation, erasure.

use reqwest::Method;
use serde_json::{Value, json};

use super::batches::number_of;
use super::live_changes::HIDE;
use super::{dialog_closes, member_with_a_key, open, sign_in};
use crate::browser::{Browser, Look};
use crate::gateway::{Gateway, Key, json_of, request, soon};
use crate::person::{Demo, Person};

/// Creates a lookup whose amount says what the bank answers, and waits for its first attempt; returns its
/// id.
pub(super) async fn stored(gateway: &Gateway, key: &Key, amount: &str) -> String {
    let mut body = request(1, amount);
    body["formats"] = json!(["xml", "pdf"]);
    body["metadata"] = json!({ "pedido": "A-1042" });
    let asking = gateway.asking("lookups", key).body(body.to_string());
    let lookup = json_of(asking.send().await.unwrap(), 202).await;
    let id = lookup["id"].as_str().unwrap().to_owned();
    soon("it is attempted", async || {
        let lookup = gateway.read(&format!("/v1/cep/lookups/{id}"), key).await;
        json_of(lookup, 200).await["attempts"] != 0
    })
    .await;
    id
}

/// Cancels a lookup by the API.
async fn cancel(gateway: &Gateway, key: &Key, id: &str) {
    let canceling = gateway.keyed(Method::DELETE, &format!("/v1/cep/lookups/{id}"), key);
    json_of(canceling.send().await.unwrap(), 200).await;
}

/// Waits until the page shows a lookup in this state.
async fn shows(browser: &Browser, state: &str) {
    let selector = format!("[data-testid=lookup-state][data-state={state}]");
    browser.find_css(&selector).await;
}

#[tokio::test]
async fn a_delivered_lookup_is_shown_its_files_are_saved_and_it_is_erased() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    stored(&gateway, &key, "10.00").await;
    open(&browser, &gateway, "/lookups").await;
    browser.find("lookup-row").await;
    // The name of the key comes with another answer.
    for said in ["entregada", "caja 4", "A-1042"] {
        browser.sees(said).await;
    }
    browser.click("lookup-link").await;
    let proof = browser.find("lookup-proof").await.text().await.unwrap();
    for said in ["$10.00 MXN", "002010077777777771", "válido"] {
        assert!(proof.contains(said), "{said}: {proof}");
    }
    let attempts = browser.find("attempts").await.text().await.unwrap();
    assert!(attempts.contains("Entregado"), "{attempts}");
    for (extension, beginning) in [("xml", "<?xml"), ("pdf", "%PDF-"), ("zip", "PK")] {
        browser.click(&format!("file-{extension}")).await;
        let file = browser.saved_file(&format!(".{extension}")).await;
        assert!(file.starts_with(beginning.as_bytes()), "{extension}");
    }
    let kept =
        "return location.href + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)";
    let kept = browser.run(kept, vec![]).await.to_string();
    for personal in ["002010077777777771", "MBAN0100", "A-1042", "10.00"] {
        assert!(!kept.contains(personal), "{personal}: {kept}");
    }
    browser.click("erase-lookup").await;
    browser.click("erase-confirm").await;
    // The list is empty, and says how to store a lookup.
    browser.find("lookup-curl").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_lookup_that_the_bank_does_not_know_says_what_was_asked_and_what_to_do() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = stored(&gateway, &key, "404.00").await;
    open(&browser, &gateway, &format!("/lookups/{id}")).await;
    let question = browser.find("lookup-question").await.text().await.unwrap();
    for said in ["002010077777777771", "$404.00", "40012"] {
        assert!(question.contains(said), "{said}: {question}");
    }
    // Both banks were given by their codes.
    browser.sees("BANAMEX").await;
    browser.sees("BBVA").await;
    let next_step = browser.find("next-step").await.text().await.unwrap();
    let hints = browser.find("hints").await.text().await.unwrap();
    assert!(next_step.contains(&hints), "{next_step}");
    assert!(hints.contains("fecha puede ser la de operación"), "{hints}");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_waiting_lookup_is_canceled() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = stored(&gateway, &key, "404.02").await;
    open(&browser, &gateway, &format!("/lookups/{id}")).await;
    shows(&browser, "WAITING").await;
    browser.sees("Próximo intento").await;
    browser.click("cancel-lookup").await;
    browser.click("cancel-confirm").await;
    dialog_closes(&browser).await;
    shows(&browser, "CANCELED").await;
    browser.find("erase-lookup").await;
    // The button that had the focus is gone; Enter must not open the erasure.
    assert_eq!(browser.focused().await, "H1");
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_change_appears_by_itself() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    for view in ["/lookups", "/lookups/{id}"] {
        let id = stored(&gateway, &key, "404.02").await;
        open(&browser, &gateway, &view.replace("{id}", &id)).await;
        shows(&browser, "WAITING").await;
        cancel(&gateway, &key, &id).await;
        shows(&browser, "CANCELED").await;
    }
}

#[tokio::test]
async fn a_lookups_page_is_told_of_a_change_without_reading_now_and_then() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    let id = stored(&gateway, &key, "404.02").await;
    open(&browser, &gateway, &format!("/lookups/{id}")).await;
    shows(&browser, "WAITING").await;
    // A hidden page reads nothing by itself.
    browser.run(HIDE, vec![]).await;
    cancel(&gateway, &key, &id).await;
    shows(&browser, "CANCELED").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn filters_narrow_the_list_and_stand_in_the_address() {
    let Some((browser, gateway, key)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    stored(&gateway, &key, "10.00").await;
    stored(&gateway, &key, "404.02").await;
    for (query, expected) in [
        ("", 2),
        ("?state=open", 1),
        ("?state=DELIVERED", 1),
        ("?state=DELIVERED&env=TEST", 1),
        ("?env=TEST", 2),
    ] {
        open(&browser, &gateway, &format!("/lookups{query}")).await;
        soon(query, async || {
            number_of(&browser, "[data-testid=lookup-row]").await == expected
        })
        .await;
        let search = browser.run("return location.search", vec![]).await;
        assert_eq!(search, Value::from(query));
    }
    open(&browser, &gateway, "/lookups?env=LIVE").await;
    browser.sees("Ninguna consulta coincide").await;
}

#[tokio::test]
async fn an_admin_sees_nothing_of_another_accounts_lookup() {
    let Some(browser) = Browser::start(Look::DESKTOP).await else {
        return;
    };
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    let id = stored(&gateway, &key, "10.00").await;
    sign_in(&browser, &gateway, Demo::Admin).await;
    open(&browser, &gateway, &format!("/lookups/{id}")).await;
    browser.sees("No hay tal consulta").await;
    open(&browser, &gateway, "/lookups").await;
    browser.find("lookup-curl").await;
    let own = Person::signed_in(&gateway, Demo::Admin).await;
    let listed = own.ask("{ lookups { nodes { id } } }", json!({})).await;
    assert_eq!(listed["lookups"]["nodes"], json!([]));
}
