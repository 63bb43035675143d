//! The stored lookups of an account: list, proof and files, cancellation, erasure.

use reqwest::Method;
use serde_json::{Value, json};

use super::live_changes::HIDE;
use super::{Page, member, member_with};
use crate::browser::Look;
use crate::gateway::{json_of, request, soon};
use crate::person::{Demo, Person};

impl Page {
    /// Creates a lookup whose amount says what the bank answers, and waits for its first attempt; returns its
    /// id.
    pub(super) async fn stored(&self, amount: &str) -> String {
        self.stored_of(request(1, amount)).await
    }

    /// The same, of an amount of which a reference number has several transfers.
    pub(super) async fn stored_of_several(&self) -> String {
        let mut body = request(1, "300.00");
        body["clave_rastreo"] = Value::Null;
        body["numero_referencia"] = json!("4600001");
        self.stored_of(body).await
    }

    async fn stored_of(&self, mut body: Value) -> String {
        body["formats"] = json!(["xml", "pdf"]);
        body["metadata"] = json!({ "pedido": "A-1042" });
        let lookup = self.gateway.post("lookups", &self.key, &body).await;
        let lookup = json_of(lookup, 202).await;
        let id = lookup["id"].as_str().unwrap().to_owned();
        let path = format!("/v1/cep/lookups/{id}");
        soon("it is attempted", async || {
            let lookup = self.gateway.read(&path, &self.key).await;
            json_of(lookup, 200).await["attempt_count"] != 0
        })
        .await;
        id
    }

    /// Waits until the page shows a lookup in this state.
    async fn shows_lookup(&self, state: &str) {
        let selector = format!("[data-testid=lookup-state][data-state={state}]");
        self.find_css(&selector).await;
    }
}

#[tokio::test]
async fn a_delivered_lookup_is_shown_its_files_are_saved_and_it_is_erased() {
    let Some(page) = member().await else { return };
    page.stored("10.00").await;
    page.open_at("/lookups", "lookup-row").await;
    // The name of the key comes with another answer.
    for said in ["entregada", "$10.00 MXN", "caja 4", "A-1042"] {
        page.sees(said).await;
    }
    page.click("lookup-link").await;
    let proof = ["$10.00 MXN", "002010077777777771", "válido"];
    page.tells("lookup-proof", &proof).await;
    page.tells("attempts", &["Entregado"]).await;
    for (extension, beginning) in [("xml", "<?xml"), ("pdf", "%PDF-"), ("zip", "PK")] {
        page.click(&format!("file-{extension}")).await;
        let file = page.saved_file(&format!(".{extension}")).await;
        assert!(file.starts_with(beginning.as_bytes()), "{extension}");
    }
    let kept =
        "return location.href + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)";
    let kept = page.run(kept, vec![]).await.to_string();
    for personal in ["002010077777777771", "MBAN0100", "A-1042", "10.00"] {
        assert!(!kept.contains(personal), "{personal}: {kept}");
    }
    page.clicks(&["erase-lookup", "erase-confirm"]).await;
    // The list is empty, and says how to store a lookup.
    page.find("lookup-curl").await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn one_of_several_transfers_is_chosen_and_its_proof_is_shown() {
    for look in [Look::DESKTOP, Look::PHONE_BY_NIGHT] {
        let Some(page) = member_with(look).await else {
            return;
        };
        let id = page.stored_of_several().await;
        page.open(&format!("/lookups/{id}")).await;
        page.shows_lookup("AMBIGUOUS").await;
        let keys = ["A", "B", "C"].map(|letter| format!("SANDBOX4600001{letter}"));
        let keys = keys.each_ref().map(|key| &**key);
        page.tells("candidates", &keys).await;
        page.counts("[data-testid=choose-candidate]", 3).await;
        let chosen = format!("[data-testid=choose-candidate][aria-label*={}]", keys[1]);
        page.click_css(&chosen).await;
        page.shows_lookup("DELIVERED").await;
        page.tells("lookup-proof", &[keys[1]]).await;
        page.tells("lookup-metadata", &["A-1042"]).await;
        // The same choice again is the same lookup.
        let address = page.run("return location.pathname", vec![]).await;
        page.open(&format!("/lookups/{id}")).await;
        page.click_css(&chosen).await;
        page.shows_lookup("DELIVERED").await;
        assert_eq!(page.run("return location.pathname", vec![]).await, address);

        // Another choice is charged to another key, once that of the lookup is revoked.
        let person = page.person().await;
        let revoked = format!("/keys/{}", page.key.id);
        person.send(Method::DELETE, &revoked, &json!({}), 200).await;
        person.create_key("caja 5", "test").await;
        person.create_key("caja de producción", "live").await;
        page.open(&format!("/lookups/{id}")).await;
        page.tells("candidates-key", &["caja 5"]).await;
        let other = format!("[data-testid=choose-candidate][aria-label*={}]", keys[2]);
        page.click_css(&other).await;
        page.shows_lookup("DELIVERED").await;
        page.tells("lookup-proof", &[keys[2]]).await;
        assert_eq!(page.complaints().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_lookup_that_the_bank_does_not_know_says_what_was_asked_and_what_to_do() {
    let Some(page) = member().await else { return };
    let id = page.stored("404.00").await;
    page.open(&format!("/lookups/{id}")).await;
    let question = ["002010077777777771", "$404.00", "40012"];
    page.tells("lookup-question", &question).await;
    // Both banks were given by their codes.
    page.sees("BANAMEX").await;
    page.sees("BBVA").await;
    let hints = page.text_of("hints").await;
    assert!(hints.contains("fecha puede ser la de operación"), "{hints}");
    page.tells("next-step", &[&hints]).await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_waiting_lookup_is_canceled_and_a_change_elsewhere_appears_by_itself() {
    let Some(page) = member().await else { return };
    let id = page.stored("404.02").await;
    page.open(&format!("/lookups/{id}")).await;
    page.shows_lookup("WAITING").await;
    page.sees("Próximo intento").await;
    page.clicks(&["cancel-lookup", "cancel-confirm"]).await;
    page.dialog_closes().await;
    page.shows_lookup("CANCELED").await;
    page.find("erase-lookup").await;
    // The button that had the focus is gone; Enter must not open the erasure.
    assert_eq!(page.focused().await, "H1");

    // A hidden page reads nothing by itself: it is told.
    for (view, prepare) in [("", ""), ("/{id}", ""), ("/{id}", HIDE)] {
        let id = page.stored("404.02").await;
        page.open(&format!("/lookups{view}").replace("{id}", &id))
            .await;
        page.shows_lookup("WAITING").await;
        page.run(prepare, vec![]).await;
        let path = format!("/v1/cep/lookups/{id}");
        let canceling = page.gateway.keyed(Method::DELETE, &path, &page.key);
        json_of(canceling.send().await.unwrap(), 200).await;
        page.counts("[data-testid=lookup-state][data-state=WAITING]", 0)
            .await;
        page.shows_lookup("CANCELED").await;
    }
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn filters_narrow_the_list_and_stand_in_the_address() {
    let Some(page) = member().await else { return };
    page.stored("10.00").await;
    page.stored("404.02").await;
    for (query, expected) in [
        ("", 2),
        ("?state=open", 1),
        ("?state=DELIVERED", 1),
        ("?state=DELIVERED&env=TEST", 1),
        ("?env=TEST", 2),
    ] {
        page.open(&format!("/lookups{query}")).await;
        page.counts("[data-testid=lookup-row]", expected).await;
        assert_eq!(page.run("return location.search", vec![]).await, query);
    }
    page.open("/lookups?env=LIVE").await;
    page.sees("Ninguna consulta coincide").await;
}

#[tokio::test]
async fn an_admin_sees_nothing_of_another_accounts_lookup() {
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    let page = Page::of(gateway, Demo::Admin, Look::DESKTOP).await;
    let Some(mut page) = page else { return };
    page.key = key;
    let id = page.stored("10.00").await;
    page.open(&format!("/lookups/{id}")).await;
    page.sees("No hay tal consulta").await;
    page.open_at("/lookups", "lookup-curl").await;
    let own = Person::signed_in(&page.gateway, Demo::Admin).await;
    let listed = own.ask("{ lookups { nodes { id } } }", json!({})).await;
    assert_eq!(listed["lookups"]["nodes"], json!([]));
}
