//! Metrics: on a listener of their own, with labels from a closed set, and true.
#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::collections::{BTreeMap, BTreeSet};

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::batches::post;
use crate::gateway::{CountingBank, Gateway, Key, Plan, json_of, request, soon};
use crate::person::{Demo, Person};
use crate::servers::Servers;

/// Samples of a scrape, by name and labels.
pub(crate) struct Measured(BTreeMap<String, f64>);

impl Measured {
    pub(crate) async fn of(gateway: &Gateway) -> Self {
        Self::read(&text_of(gateway).await)
    }

    fn read(text: &str) -> Self {
        let samples = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let sample = |line: &str| {
            let (series, value) = line.rsplit_once(' ').unwrap();
            (series.to_owned(), value.parse().unwrap())
        };
        Self(samples.map(sample).collect())
    }

    /// A counter, which appears with its first count.
    fn count(&self, series: &str) -> f64 {
        self.0.get(series).copied().unwrap_or_default()
    }

    pub(crate) fn value(&self, series: &str) -> f64 {
        let value = self.0.get(series);
        *value.unwrap_or_else(|| panic!("there is no {series}"))
    }
}

async fn text_of(gateway: &Gateway) -> String {
    let url = gateway.admin_url("/metrics").await;
    let answer = gateway.client.get(url).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let kind = answer.headers()["content-type"].to_str().unwrap();
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    answer.text().await.unwrap()
}

#[tokio::test]
async fn metrics_are_on_the_admin_listener_alone_and_nothing_else_is_on_it() {
    let gateway = Gateway::start();
    for path in ["/metrics", "/api/metrics", "/admin/metrics"] {
        let answer = gateway.get(path).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let admin = gateway.admin_url("").await;
    assert!(admin.starts_with("http://127.0.0.1:"), "{admin}");
    let ask = async |method: Method, path: &str| {
        let asked = gateway.client.request(method, format!("{admin}/{path}"));
        asked.send().await.unwrap()
    };
    for path in [
        "",
        "healthz",
        "readyz",
        "docs",
        "keys",
        "v1/cep/xml",
        "debug",
        "metrics/",
    ] {
        for method in [Method::GET, Method::POST] {
            let answer = ask(method, path).await;
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
            assert_eq!(answer.text().await.unwrap(), "", "{path}");
        }
    }
    let written = ask(Method::POST, "metrics").await;
    assert_eq!(written.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn without_an_admin_listener_the_gateway_serves_and_says_nothing_of_metrics() {
    let gateway = Plan::new().with("CEP_ADMIN_LISTEN", "off").start();
    let key = gateway.roomy_key();
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
    // The last line of the greeting.
    let has_ended = async || gateway.printed().contains("More keys");
    soon("it said everything", has_ended).await;
    let printed = gateway.printed();
    assert!(!printed.contains("Metrics"), "{printed}");
}

/// Samples of a gateway that nobody asked. An alert looks for an increase of failures and unknown pages: the first
/// one must be one.
const BEFORE: &str = r#"
cep_limiter_degraded 0
cep_bank_pacing_degraded 0
cep_journal_failures_total 0
cep_bank_lookup_duration_seconds_count{side="live",outcome="protocol_error"} 0
"#;

/// Samples after the requests of the test below; the second delivery was in memory.
const AFTERWARDS: &str = r#"
cep_request_duration_seconds_count{endpoint="xml",outcome="delivered"} 2
cep_request_duration_seconds_count{endpoint="xml",outcome="not_found"} 1
cep_request_duration_seconds_count{endpoint="xml",outcome="bank_unavailable"} 1
cep_request_duration_seconds_count{endpoint="xml",outcome="invalid_request"} 1
cep_request_duration_seconds_count{endpoint="xml",outcome="rate_limited"} 1
cep_request_duration_seconds_count{endpoint="xml",outcome="invalid_api_key"} 1
cep_http_responses_total{route="/v1/cep/xml",status="200"} 2
cep_http_responses_total{route="/v1/cep/xml",status="401"} 1
cep_http_responses_total{route="/v1/cep/xml",status="404"} 1
cep_http_responses_total{route="/v1/cep/xml",status="429"} 1
cep_http_responses_total{route="unknown",status="404"} 1
cep_bank_lookup_duration_seconds_count{side="test",outcome="issued"} 1
cep_bank_lookup_duration_seconds_count{side="test",outcome="not_found"} 1
cep_bank_lookup_duration_seconds_count{side="test",outcome="unavailable"} 1
cep_limiter_duration_seconds_count{operation="hydrate",result="ok"} 1
cep_limiter_duration_seconds_count{operation="refund",result="ok"} 1
cep_bank_budget_per_minute{side="live"} 15
cep_bank_paused_seconds{side="live"} 0
cep_database_connections_max{pool="keys"} 4
cep_journal_failures_total 0
"#;

/// The least of others. The first admission of a key that isn't known asks the limiter three times.
const AT_LEAST: &str = r#"
cep_limiter_duration_seconds_count{operation="admit",result="ok"} 6
cep_journal_commit_duration_seconds_count 1
cep_journal_commit_entries_sum 5
cep_connections 1
cep_bank_budget_remaining{side="live"} 1
process_resident_memory_bytes 1e6
process_open_fds 4
process_cpu_seconds_total 1e-9
process_start_time_seconds 1.5e9
"#;

#[tokio::test]
async fn what_happens_is_measured() {
    let gateway = Plan::new().with("CEP_INSTANCE", "pod-7").start();
    let text = text_of(&gateway).await;
    let lines = text.lines().count();
    assert!(lines < 150, "{lines} lines before anybody asks:\n{text}");
    let before = Measured::read(&text);
    let delivered = "cep_request_duration_seconds_count{endpoint=\"xml\",outcome=\"delivered\"}";
    assert_eq!(before.count(delivered), 0.0);
    let version = env!("CARGO_PKG_VERSION");
    let build = format!("cep_build_info{{version=\"{version}\",replica=\"pod-7\"}}");
    assert_eq!(before.value(&build), 1.0);
    for (series, value) in Measured::read(BEFORE).0 {
        assert_eq!(before.value(&series), value, "{series}");
    }

    let key = gateway.key(&["--per-minute", "5"]);
    for amount in ["10.00", "10.00", "404.00", "500.00", "0.001", "10.00"] {
        gateway.post("xml", &key, &request(1, amount)).await;
    }
    gateway.status_of(&Key::unknown()).await;
    let nowhere = gateway.get("/nowhere").await;
    assert_eq!(nowhere.status(), StatusCode::NOT_FOUND);

    let after = Measured::of(&gateway).await;
    for (series, value) in Measured::read(AFTERWARDS).0 {
        assert_eq!(after.value(&series), value, "{series}");
    }
    for (series, least) in Measured::read(AT_LEAST).0 {
        let value = after.value(&series);
        assert!((least..1e10).contains(&value), "{series}: {value}");
    }
    let live = "cep_bank_lookup_duration_seconds_count{side=\"live\",outcome=\"issued\"}";
    assert_eq!(after.count(live), 0.0);
    let written_ahead = gateway.folder().join("data/cep.db-wal");
    let written_ahead = std::fs::metadata(written_ahead).unwrap().len();
    let written_ahead = f64::from(u32::try_from(written_ahead).unwrap());
    assert_eq!(after.value("cep_database_log_bytes"), written_ahead);
    let log = gateway.log();
    assert!(log.contains("\"instance\":\"pod-7\""), "{log}");
}

#[tokio::test]
async fn batches_are_measured_with_the_lookups_of_their_rows() {
    let (gateway, key) = Gateway::with_key();
    // A duplicate and a faulty row are looked up by nobody.
    let table = "fecha,clave_rastreo,cuenta,monto,emisor,receptor\n\
        2026-11-18,MEDIDA1,012180001234567897,10.00,40012,40072\n\
        2026-11-18,MEDIDA2,012180001234567897,10.00,40012,40072\n\
        2026-11-18,MEDIDA2,012180001234567897,10.00,40012,40072\n\
        2026-11-18,,012180001234567897,10.00,40012,40072\n";
    json_of(post(&gateway, &key, "", table.to_owned()).await, 202).await;
    let ended = "cep_batches_ended_total{state=\"finished\"}";
    let has_ended = async || Measured::of(&gateway).await.count(ended) == 1.0;
    soon("it ends", has_ended).await;
    let measured = Measured::of(&gateway).await;
    assert_eq!(measured.value("cep_batches_created_total"), 1.0);
    assert_eq!(measured.value("cep_lookups_created_total"), 2.0);
}

#[tokio::test]
async fn a_bank_that_is_left_alone_shows() {
    let (_bank, gateway, key) = CountingBank::with_gateway().await;
    let throttled = gateway.post("xml", &key, &request(1, "429.00")).await;
    assert_eq!(throttled.status(), StatusCode::SERVICE_UNAVAILABLE);
    let measured = Measured::of(&gateway).await;
    let paused = measured.value("cep_bank_paused_seconds{side=\"live\"}");
    assert!((60.0..=120.0).contains(&paused), "{paused}");
    let throttled = "cep_bank_lookup_duration_seconds_count{side=\"live\",outcome=\"throttled\"}";
    assert_eq!(measured.value(throttled), 1.0);
}

#[tokio::test]
async fn the_limiters_mode_shows() {
    let Some(mut servers) = Servers::start() else {
        return;
    };
    let gateway = crate::replicas::replica(&servers);
    let key = gateway.roomy_key();
    gateway.post("xml", &key, &request(1, "10.00")).await;
    let shared = Measured::of(&gateway).await;
    assert_eq!(shared.value("cep_limiter_degraded"), 0.0);
    servers.redis.kill();
    soon("it counts by itself", async || {
        gateway.post("xml", &key, &request(1, "10.00")).await;
        Measured::of(&gateway).await.value("cep_limiter_degraded") == 1.0
    })
    .await;
    // By an admission, or by a probe before it.
    let measured = Measured::of(&gateway).await;
    let failed = ["admit", "peek"].map(|operation| {
        measured.count(&format!(
            "cep_limiter_duration_seconds_count{{operation=\"{operation}\",result=\"failed\"}}"
        ))
    });
    assert!(failed.iter().sum::<f64>() >= 1.0);
}

#[tokio::test]
async fn whatever_callers_send_the_series_stay_the_same_and_tell_nothing_of_them() {
    let (gateway, person) = Person::with_gateway(Demo::Admin).await;
    let key = gateway.roomy_key();
    let texts = ["canary", "77777777", "8675309", "MBAN0100"];
    let mut canaries = texts.map(str::to_owned).to_vec();
    canaries.extend([key.id.clone(), key.prefix.clone()]);
    let storm = async |round: u32| {
        for number in 0..20 {
            let path = format!("/canary/{round}/{number}");
            for method in ["GET", "BREW", "CANARY"] {
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                let asked = gateway.client.request(method, gateway.url(&path));
                let asked = asked.header("x-request-id", format!("canary-{round}-{number}"));
                asked.send().await.unwrap();
            }
            let strange = Key {
                full: format!("cep_test_{round:04}{number:04}.{}", "c".repeat(24)),
                ..key.clone()
            };
            let transfer = request(round * 100 + number, "8675309.17");
            for (endpoint, key) in [("xml", &strange), ("canary", &key), ("zip_auto", &key)] {
                gateway.post(endpoint, key, &transfer).await;
            }
        }
        let made = person.create_key(&format!("canary-{round}"), "test").await;
        let one = person.request(Method::GET, &format!("/keys/{}", made.id));
        one.send().await.unwrap();
        let query = "query($id: ID!) { key(id: $id) { name } }";
        person.ask_anyway(query, json!({ "id": made.id })).await;
        made.id
    };
    canaries.push(storm(1).await);
    let first = text_of(&gateway).await;
    canaries.push(storm(2).await);
    let second = text_of(&gateway).await;
    let series = |text: &str| Measured::read(text).0.into_keys().collect::<BTreeSet<_>>();
    assert_eq!(series(&first), series(&second));
    assert!(series(&second).len() < 600, "{}", series(&second).len());
    for canary in canaries {
        assert!(!second.contains(&canary), "{canary} is in the metrics");
    }
}

/// Names, types and explanations: dashboards and alerts are built on them.
#[tokio::test]
async fn names_types_and_explanations_are_those_that_were_agreed() {
    let gateway = Gateway::start();
    gateway.status_of(&gateway.roomy_key()).await;
    let archived = async || {
        let writes = "cep_proof_archive_writes_total{result=\"ok\"}";
        Measured::of(&gateway).await.count(writes) == 1.0
    };
    soon("it is archived", archived).await;
    let text = text_of(&gateway).await;
    let mut described: Vec<_> = text.lines().filter(|line| line.starts_with("# ")).collect();
    described.sort_unstable_by_key(|line| {
        let mut words = line.split(' ').skip(1);
        let kind = words.next().map(str::to_owned);
        (words.next().map(str::to_owned), kind)
    });
    insta::assert_snapshot!(described.join("\n"));
}
