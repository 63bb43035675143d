//! Requests of the page that are sent again, because their answers were lost.

use serde_json::json;

use super::batches::{ACCOUNT, line, saved, shows};
use super::{member_with_a_key, open};
use crate::browser::Look;
use crate::person::{Demo, Person};

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
    let Some((browser, gateway, _)) = member_with_a_key(Look::DESKTOP).await else {
        return;
    };
    open(&browser, &gateway, "/batches/new").await;
    let header = "Fecha;Clave de rastreo;CLABE;Monto;Folio\n".to_owned();
    let table = header + &line(1, "10.00", ACCOUNT) + &line(2, "10.00", ACCOUNT);
    let file = saved(&gateway, "pagos.csv", table);
    browser.choose_files("batch-file", &[&file]).await;
    browser.find("dry-run-ready").await;
    browser.run(LOSE_AN_ANSWER, vec![]).await;
    browser.click("batch-start").await;
    browser.find("start-refused").await;
    browser.click("batch-start").await;
    browser.find("batch-progress").await;
    shows(&browser, "FINISHED").await;
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let query = "{ batches { nodes { id } } }";
    let batches = member.ask(query, json!({})).await;
    assert_eq!(batches["batches"]["nodes"].as_array().unwrap().len(), 1);
}
