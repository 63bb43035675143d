//! Batches over HTTP.

mod creation;
mod failures;
mod faults;
mod files;
mod forms;
mod import;
mod own_accounts;
mod reads;
mod results;
mod results_workbook;
mod uploads;
mod workbooks;

use std::io::{Cursor, Read as _};
use std::time::Duration;

use domain::limits::Plan;
use domain::people::customer::CustomerId;
use reqwest::{Body, RequestBuilder, Response};
use serde_json::Value;
use uuid::Uuid;

use crate::data::{self, GOOD_KEY, add_key, new_key, now};
use crate::gateway::Gateway;
use crate::harness::{Exchange, Harness, json_lines, json_of};

/// A key of another customer.
const OTHERS_KEY: &str = "cep_test_OtherOne.000000000000000000000000";
/// An id that no batch has.
const UNKNOWN: &str = "/019aa0b2-7d3e-7c55-8d3f-4be0a3f6c2d1";

/// A table of payments: the id, the tracking key and the amount of each.
fn table(payments: &[(&str, &str, &str)]) -> String {
    let lines = payments.iter().map(|(id, key, amount)| {
        format!("{id},2026-11-20,{key},002010077777777771,{amount},40012,40002\n")
    });
    let header = "id,fecha,clave_rastreo,cuenta,monto,emisor,receptor\n";
    std::iter::once(header.to_owned()).chain(lines).collect()
}

/// A table of so many payments.
fn table_of(count: usize) -> String {
    let keys: Vec<_> = (0..count).map(|number| format!("MBAN{number}")).collect();
    let payments: Vec<_> = keys.iter().map(|key| ("", key.as_str(), "10.00")).collect();
    table(&payments)
}

/// Two payments that have proofs, one that the bank doesn't know, and a repeated one.
fn mixed() -> String {
    table(&[
        ("A-1", "MBAN01", "10.00"),
        ("=1+1", "MBAN02", "404.00"),
        ("A-3", "MBAN03", "11.00"),
        ("A-4", "MBAN01", "10.00"),
    ])
}

/// The operations below a batch.
pub(crate) const BELOW: [(&str, &str); 7] = [
    ("GET", ""),
    ("DELETE", ""),
    ("POST", "/cancel"),
    ("GET", "/results"),
    ("GET", "/files.zip"),
    ("GET", "/banxico.zip"),
    ("POST", "/import"),
];

/// A server with a key of another customer.
async fn of_two_customers() -> Harness {
    let services = data::machine().await;
    let id = CustomerId(Uuid::from_u128(2));
    let other = services.add_customer(id, "other", Plan::Startup, now());
    let other = other.await;
    let id = "0198f3c2-7d3e-7000-8000-000000000005";
    add_key(&services, new_key(id, &other, "till", "cep_test_OtherOne")).await;
    Harness::over(services).await
}

impl Harness {
    /// A request for batches with a good key.
    fn batches(&self, method: &str, path: &str) -> RequestBuilder {
        self.keyed(GOOD_KEY, method, &format!("/v1/cep/batches{path}"))
    }

    async fn batch(&self, path: impl AsRef<str>) -> Response {
        self.batches("GET", path.as_ref()).response().await
    }

    /// What the operation below a batch answers, as JSON of this status.
    async fn json(&self, method: &str, path: impl AsRef<str>, status: u16) -> Value {
        self.batches(method, path.as_ref()).json_of(status).await
    }

    /// The preview of a table.
    async fn preview(&self, query: &str, table: impl Into<Body>) -> Value {
        let request = self.sending(&format!("?dry_run=true{query}"), table);
        request.json_of(200).await
    }

    /// The names of the files in a ZIP below a batch, and their contents.
    async fn unzipped(&self, path: &str) -> (Vec<String>, Vec<Vec<u8>>) {
        unzipped(self.batch(path).await).await.into_iter().unzip()
    }

    /// The rows of a batch.
    async fn rows(&self, path: &str) -> Vec<Value> {
        json_lines(self.batch(format!("{path}/results?format=ndjson")).await).await
    }

    /// The batches of the key.
    async fn listed(&self, query: &str) -> Vec<Value> {
        let page = self.json("GET", query, 200).await;
        page["items"].as_array().unwrap().clone()
    }

    /// A request to create a batch from a CSV.
    fn sending(&self, query: &str, table: impl Into<Body>) -> RequestBuilder {
        let request = self.batches("POST", query);
        request.header("content-type", "text/csv").body(table)
    }

    async fn send(&self, query: &str, table: impl Into<Body>) -> Response {
        self.sending(query, table).response().await
    }

    /// The path of a new batch, below that of all.
    async fn new_batch(&self, query: &str, table: impl Into<Body>) -> String {
        let batch = json_of(self.send(query, table).await, 202).await;
        format!("/{}", batch["id"].as_str().unwrap())
    }

    /// Looks the rows of a batch up, until it has this state.
    async fn work_until(&self, path: &str, state: &str) -> Value {
        let Gateway {
            lookups, services, ..
        } = &self.gateway;
        // Rows of several windows take several rounds.
        for _ in 0..100 {
            lookups.feeder.round().await.unwrap();
            self.all_ended().await;
            while lookups.worker.round().await.unwrap() > 0 {
                self.all_ended().await;
            }
            let batch = self.json("GET", path, 200).await;
            if batch["state"] == state {
                return batch;
            }
            // The feeder rests for this time.
            services.clock.advance(Duration::from_millis(500));
        }
        panic!("the batch isn't {state}");
    }

    /// The path of a batch of [`mixed`] that is finished.
    async fn finished(&self) -> String {
        let query = "?retry_for=0&formats=xml,pdf";
        let path = self.new_batch(query, mixed()).await;
        self.work_until(&path, "finished").await;
        path
    }
}

/// The names and contents of a ZIP file.
pub(crate) async fn unzipped(answer: Response) -> Vec<(String, Vec<u8>)> {
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/zip");
    let bytes = answer.bytes().await.unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let files = (0..archive.len()).map(|index| {
        let mut file = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        (file.name().unwrap().into_owned(), content)
    });
    files.collect()
}
