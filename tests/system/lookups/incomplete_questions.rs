//! Questions that lack a part, at three replicas: a reference number in place of the tracking key, a masked account,
//! a receipt. Each is one question at all of them, and is told and charged once.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use testkit::free_port;

use super::begun;
use super::replicas::now;
use crate::batches::{cells, post};
use crate::clock::Clock;
use crate::fleet::Fleet;
use crate::gateway::{Gateway, Key, Plan, eventually, json_of, left, request, soon};
use crate::person::{Demo, Person};
use crate::rotation::limited_key;
use crate::shared_sessions::{SESSION, at, beside, start_provider};
use crate::webhooks::receiver::Receiver;

/// Longest time until something ends, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(45);
/// Time after which the leases of a replica that died are over.
const LEASES_END: TimeDelta = TimeDelta::seconds(40);
/// Requests a month, or a minute, that no test reaches.
const A_MONTH: u32 = 1_000;
/// Own accounts with the same last digits, and their banks. The first one's didn't take part on the day of the masked
/// transfers, so that the bank knows none to it.
const OWN: [(&str, &str); 2] = [("5500000000001234", "40638"), ("4111111111131234", "40002")];

/// A question for a transfer by its reference number.
fn by_reference(number: u32, amount: &str) -> Value {
    let mut question = request(number, amount);
    question.as_object_mut().unwrap().remove("clave_rastreo");
    question["numero_referencia"] = json!(number.to_string());
    question
}

/// A question for a transfer to a masked account.
fn masked(number: u32) -> Value {
    let mut question = request(number, "10.00");
    question.as_object_mut().unwrap().remove("receptor");
    question["fecha"] = json!("2026-08-04");
    question["cuenta"] = json!("****1234");
    question
}

/// A request for a lookup, whose end nobody waits for.
fn asking(gateway: &Gateway, key: &Key, question: &Value) -> RequestBuilder {
    let asking = gateway.asking("lookups", key).header("prefer", "wait=0");
    asking.body(question.to_string())
}

/// Creates a lookup; returns its path.
async fn create(gateway: &Gateway, key: &Key, question: &Value) -> String {
    let created = asking(gateway, key, question).send().await;
    path_of(&begun(created.unwrap()).await)
}

fn path_of(id: &str) -> String {
    format!("/v1/cep/lookups/{id}")
}

/// Waits for a state at each replica, and returns the answer, which is the same at all.
async fn shown(replicas: &[Gateway], key: &Key, path: &str, state: &str) -> Value {
    let waiting = format!("{path}?wait=10");
    let reading = replicas.iter().map(async |gateway| {
        let mut shown = Value::Null;
        eventually(&format!("{path} is {state}"), PATIENCE, async || {
            shown = json_of(gateway.read(&waiting, key).await, 200).await;
            shown["state"] == state
        })
        .await;
        shown
    });
    let mut shown = join_all(reading).await;
    let first = shown.pop().unwrap();
    assert!(shown.iter().all(|other| *other == first), "{shown:#?}");
    first
}

/// Asserts that three transfers have the reference number of this lookup, as these replicas show.
async fn is_ambiguous(replicas: &[Gateway], key: &Key, path: &str) {
    let lookup = shown(replicas, key, path, "ambiguous").await;
    let candidates = lookup["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 3, "{lookup:#}");
    assert_eq!(lookup["attempt_count"], 1, "{lookup:#}");
}

/// Asserts that each of these lookups was told once as ambiguous, and nothing else.
async fn are_told(fleet: &Fleet, receiver: &Receiver, paths: &[&str]) {
    let told = "select count(*) from webhook_deliveries where ended_at is not null";
    let all = async || fleet.database.number(told) == paths.len() as u64;
    soon("the ends are told", all).await;
    let bodies = receiver.bodies().into_iter();
    let told = bodies.map(|body| {
        assert_eq!(body["type"], "lookup.ambiguous", "{body}");
        path_of(body["data"]["id"].as_str().unwrap())
    });
    assert_eq!(told.collect::<Vec<_>>(), paths);
}

/// Asserts that these replicas show the first own account as asked for, and the second one as credited.
async fn is_completed(replicas: &[Gateway], key: &Key, path: &str) {
    let lookup = shown(replicas, key, path, "delivered").await;
    let question = &lookup["question"];
    assert_eq!(question["cuenta"], OWN[1].0, "{lookup:#}");
    assert_eq!(question["otras_cuentas"], json!([OWN[0].0]), "{lookup:#}");
    assert_eq!(lookup["attempt_count"], 1, "{lookup:#}");
}

/// Asserts that so many requests of all keys were charged, all of them to this key of [`A_MONTH`].
async fn is_charged(fleet: &Fleet, key: &Key, requests: u64) {
    let of_all = "select sum(charged - refunded) from monthly_use";
    let charged = [fleet.charged(key), fleet.database.number(of_all)];
    assert_eq!(charged, [requests; 2]);
    for gateway in &fleet.replicas {
        let by_redis = gateway.read("/v1/cep/lookups", key).await;
        assert_eq!(left(&by_redis, "month"), u64::from(A_MONTH) - requests);
    }
}

/// Stops these replicas while none is in a transaction, whose locks would stop the others as well.
async fn pause(fleet: &Fleet, replicas: &[Gateway]) {
    let busy = "select count(*) from pg_stat_activity where datname = current_database() \
        and pid <> pg_backend_pid() and state <> 'idle'";
    soon("the replicas are stopped", async || {
        signal(replicas, "STOP");
        let are_idle = fleet.database.number(busy) == 0;
        if !are_idle {
            signal(replicas, "CONT");
        }
        are_idle
    })
    .await;
}

/// Lets these replicas go on, and waits until they answer: what they were about has taken too long meanwhile.
async fn resume(replicas: &[Gateway], key: &Key) {
    signal(replicas, "CONT");
    for gateway in replicas {
        let answers = async || gateway.read("/v1/cep/lookups", key).await.status() == 200;
        soon("the replica answers", answers).await;
    }
}

fn signal(replicas: &[Gateway], name: &str) {
    for gateway in replicas {
        gateway.signal(name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_number_and_a_masked_account_are_told_and_charged_once_at_three_replicas() {
    let clock = Clock::at(now());
    let planned = |replica, plan: Plan| {
        let plan = plan.with("CEP_DASHBOARD", "on");
        let plan = plan.with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on");
        // An attempt of the last one goes on until it is killed.
        let latency = if replica == 2 { 60_000 } else { 0 };
        plan.with("CEP_SANDBOX_LATENCY", latency)
            .with_all(clock.variables(TimeDelta::zero()))
    };
    let Some((_redis, mut fleet)) = Fleet::on_redis(3, planned) else {
        return;
    };
    let (two, last) = fleet.replicas.split_at(2);
    // It makes no attempt until the others' are over.
    pause(&fleet, last).await;
    let receiver = Receiver::start().await;
    let person = Person::signed_in(&two[0], Demo::Admin).await;
    let key = limited_key(&person, A_MONTH, A_MONTH).await;
    let ends = ["lookup.ambiguous"];
    person.add_webhook(&receiver.url(), &ends).await;

    let one = create(&two[0], &key, &by_reference(4_600_001, "10.00")).await;
    let several = create(&two[0], &key, &by_reference(4_600_002, "300.00")).await;
    let of_one = shown(two, &key, &one, "delivered").await;
    assert_eq!(of_one["candidates"], json!([]), "{of_one:#}");
    is_ambiguous(two, &key, &several).await;
    are_told(&fleet, &receiver, &[&several]).await;

    for (account, bank) in OWN {
        let own = json!({ "name": "Ventas", "cuenta": account, "receptor": bank });
        person.send(Method::POST, "/v1/accounts", &own, 201).await;
    }
    let lookup = create(&two[1], &key, &masked(1)).await;
    let header = "fecha,clave_rastreo,cuenta,monto,emisor\n".to_owned();
    let table = header + &cells(&masked(2), &["emisor"], "\n");
    let batch = json_of(post(&two[1], &key, "", table).await, 202).await;
    let batch = format!("/v1/cep/batches/{}", batch["id"].as_str().unwrap());
    shown(two, &key, &batch, "finished").await;
    let results = format!("{batch}/results?format=ndjson");
    let row = json_of(two[0].read(&results, &key).await, 200).await;
    let row = path_of(row["lookup"]["id"].as_str().unwrap());
    is_completed(two, &key, &lookup).await;
    is_completed(two, &key, &row).await;

    resume(last, &key).await;
    shown(&fleet.replicas, &key, &one, "delivered").await;
    is_ambiguous(&fleet.replicas, &key, &several).await;
    is_completed(&fleet.replicas, &key, &lookup).await;
    is_completed(&fleet.replicas, &key, &row).await;
    is_charged(&fleet, &key, 4).await;

    pause(&fleet, two).await;
    let killed = create(&last[0], &key, &by_reference(4_600_003, "300.00")).await;
    let is_asked = async || {
        let lookup = json_of(last[0].read(&killed, &key).await, 200).await;
        lookup["state"] == "running"
    };
    soon("the last one makes an attempt", is_asked).await;
    fleet.replicas.pop().unwrap().kill();
    clock.set(now() + LEASES_END);
    resume(&fleet.replicas, &key).await;
    is_ambiguous(&fleet.replicas, &key, &killed).await;
    are_told(&fleet, &receiver, &[&several, &killed]).await;
    is_charged(&fleet, &key, 5).await;
}

/// A request of a person to read a receipt of yesterday, whose account is masked.
fn reading(person: &Person, key: &Key, query: &str) -> RequestBuilder {
    let day = now() - TimeDelta::days(1);
    let receipt = format!(
        "Transferencia SPEI exitosa\nMonto: $1,234.56\nFecha: {}\nCuenta destino: •••• 7771\n\
        Banco destino: BANAMEX\nClave de rastreo: MBAN0100{}0001234567",
        day.format("%d/%m/%Y"),
        day.format("%y%m%d"),
    );
    let path = format!("/v1/cep/receipts?key_id={}{query}", key.id);
    let reading = person.request(Method::POST, &path).body(receipt);
    reading.header("content-type", "application/octet-stream")
}

/// Sends a request with one `Idempotency-Key` four times to each replica, all at once, and returns the ids of the lookups
/// in the answers.
async fn repeated(requests: [RequestBuilder; 3], id: &str) -> HashSet<String> {
    let requests = requests.iter().cycle().take(12).map(async |request| {
        let mut lookup = Value::Null;
        // It is repeated while the first one is answered.
        soon("the request is answered", async || {
            let request = request.try_clone().unwrap();
            let answer = request.header("idempotency-key", "pago-1").send().await;
            let answer = answer.unwrap();
            let status = answer.status().as_u16();
            assert!(matches!(status, 200 | 202 | 409), "{status}");
            lookup = json_of(answer, status).await;
            status != 409
        })
        .await;
        lookup.pointer(id).unwrap().as_str().unwrap().to_owned()
    });
    join_all(requests).await.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn receipts_and_reference_numbers_are_charged_exactly_at_three_replicas() {
    let public = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let provider = start_provider(public).await;
    let planned = |replica, plan| {
        let plan = beside(plan, &provider, public).with("CEP_DASHBOARD", "on");
        match replica {
            0 => plan.with("CEP_LISTEN", public),
            _ => plan,
        }
    };
    let Some((_redis, fleet)) = Fleet::on_redis(3, planned) else {
        return;
    };
    let admin = Person::signed_in(&fleet.replicas[0], Demo::Admin).await;
    admin.add_own_account("002010077777777771").await;
    let session = admin.cookie(SESSION).unwrap();
    let people = [0, 1, 2].map(|replica| at(&fleet.replicas[replica], session));
    let key = limited_key(&admin, A_MONTH, A_MONTH).await;

    let read = reading(&people[2], &key, "").send().await;
    let read = json_of(read.unwrap(), 200).await;
    assert_eq!(read["solicitud"]["cuenta"], "****7771", "{read:#}");
    is_charged(&fleet, &key, 1).await;
    let receipts = people.each_ref();
    let receipts = receipts.map(|person| reading(person, &key, "&lookup=true"));
    let lookups = repeated(receipts, "/lookup/id").await;
    assert_eq!(lookups.len(), 1, "{lookups:?}");
    let lookup = path_of(lookups.iter().next().unwrap());
    let lookup = shown(&fleet.replicas, &key, &lookup, "delivered").await;
    assert_eq!(lookup["question"]["cuenta"], "002010077777777771");
    is_charged(&fleet, &key, 2).await;
    let question = by_reference(4_600_001, "300.00");
    let numbers = [0, 1, 2].map(|replica| asking(&fleet.replicas[replica], &key, &question));
    let lookups = repeated(numbers, "/id").await;
    assert_eq!(lookups.len(), 1, "{lookups:?}");
    is_charged(&fleet, &key, 3).await;
    assert_eq!(fleet.database.number("select count(*) from lookups"), 2);

    for (per_minute, quota, refusal) in [(10, A_MONTH, 429), (A_MONTH, 10, 402)] {
        let key = limited_key(&admin, per_minute, quota).await;
        let answers = (0..36).map(async |number: u32| {
            let replica = number as usize % 3;
            let request = if number.is_multiple_of(2) {
                reading(&people[replica], &key, "")
            } else {
                let question = by_reference(number, "10.00");
                asking(&fleet.replicas[replica], &key, &question)
            };
            request.send().await.unwrap().status().as_u16()
        });
        let answers = join_all(answers).await.into_iter();
        let (admitted, refused): (Vec<_>, Vec<_>) = answers.partition(|status| *status < 300);
        assert_eq!((admitted.len(), fleet.charged(&key)), (10, 10));
        assert_eq!(refused, [refusal; 26]);
    }
}
