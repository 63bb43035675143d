//! Pages whose requests fail, or whose answers are lost, and lists that somebody comes back to.

use serde_json::json;

use super::batches::{ACCOUNT, line};
use super::live_changes::{NO_SOCKETS, open_prepared};
use super::member;

/// Lets requests of the page fail while `window.broken` is true.
const BREAKABLE: &str = "const real = fetch;\
    window.fetch = (...given) => (window.broken ? Promise.reject(new TypeError()) : real(...given))";

const ROWS: &str = "[data-testid=batch-row]";

#[tokio::test]
async fn a_failed_read_leaves_a_batch_on_the_page_and_it_goes_on() {
    let Some(page) = member().await else { return };
    let id = page.created(&["404.02"]).await;
    let script = format!("{NO_SOCKETS};{BREAKABLE}");
    open_prepared(&page, &script).await;
    page.find("batch-payment").await;
    page.run("window.broken = true", vec![]).await;
    page.find("stale").await;
    page.sees("Esto puede no estar al día.").await;
    assert!(page.has("batch-progress").await);
    assert!(page.has("batch-payment").await);

    page.cancel(&id).await;
    page.run("window.broken = false", vec![]).await;
    page.shows("CANCELED").await;
    page.counts("[data-testid=stale]", 0).await;
}

#[tokio::test]
async fn a_list_is_read_again_when_somebody_comes_back_or_asks_for_it() {
    let Some(page) = member().await else { return };
    page.open("/batches").await;
    page.sees("Todavía no hay lotes").await;
    page.created(&["10.00"]).await;
    let comes_back = "window.dispatchEvent(new Event('focus'))";
    page.run(comes_back, vec![]).await;
    page.counts(ROWS, 1).await;
    page.shows("FINISHED").await;
    page.created(&["11.00"]).await;
    page.click("refresh").await;
    page.counts(ROWS, 2).await;
    assert_eq!(page.complaints().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_batch_may_be_charged_to_a_key_of_any_page() {
    let Some(page) = member().await else { return };
    let member = page.person().await;
    let others = [
        member.create_key("caja 5", "test").await,
        member.create_key("caja 6", "live").await,
    ];
    page.open_at("/batches", "new-batch").await;
    // One key a page, as if there were a hundred times as many.
    let paged = "const real = fetch; window.pages = 0;\
        window.fetch = (path, given) => {\
          if (!given?.body?.includes?.('BatchKeys')) return real(path, given);\
          window.pages += 1;\
          return real(path, { ...given, body: given.body.replace('\"first\":100', '\"first\":1') }); }";
    page.run(paged, vec![]).await;
    page.click_until("new-batch", "batch-key").await;
    let listed = "return [...document.querySelectorAll('[data-testid=batch-key] option')]\
        .map(({ value }) => value).filter(Boolean)";
    let listed = page.run(listed, vec![]).await;
    let [second, third] = &others;
    assert_eq!(listed, json!([page.key.id, second.id, third.id]));
    assert_eq!(page.run("return window.pages", vec![]).await, json!(3));
}

/// Has the page lose the answer to the first request that creates a batch.
const LOSE_AN_ANSWER: &str = "
    const real = window.fetch;
    let lost = false;
    window.fetch = async (path, init) => {
      const response = await real(path, init);
      const creates = String(path).startsWith('/v1/cep/batches?') && !String(path).includes('dry_run');
      if (!creates || lost) return response;
      lost = true;
      throw new TypeError('the connection was closed');
    };
    return null";

#[tokio::test]
async fn a_start_whose_answer_was_lost_is_repeated_and_creates_one_batch() {
    let Some(page) = member().await else { return };
    page.open("/batches/new").await;
    let header = "Fecha;Clave de rastreo;CLABE;Monto;Folio\n".to_owned();
    let table = header + &line(1, "10.00", ACCOUNT) + &line(2, "10.00", ACCOUNT);
    page.choose_table("pagos.csv", table).await;
    page.find("dry-run-ready").await;
    page.run(LOSE_AN_ANSWER, vec![]).await;
    page.click_until("batch-start", "start-refused").await;
    page.click_until("batch-start", "batch-progress").await;
    page.shows("FINISHED").await;
    let member = page.person().await;
    let query = "{ batches { nodes { id } } }";
    let batches = member.ask(query, json!({})).await;
    assert_eq!(batches["batches"]["nodes"].as_array().unwrap().len(), 1);
}
