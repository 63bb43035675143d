//! One caller beside a greedy one, and beside a bank that hangs.

use std::convert::Infallible;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::future::{join, join_all, select};
use reqwest::{Response, StatusCode};

use crate::gateway::{CountingBank, Gateway, Key, Plan, eventually, json_of, request};
use crate::person::{Demo, Person};
use crate::replicas::plan;
use crate::servers::Servers;

const BUDGET: u32 = 60;
const GREEDY: u32 = 200;
/// Longest wait of a caller beside a greedy one. A turn comes every second, and every other one is its own; behind the
/// 64 that the greedy key has under way it would wait for a minute.
const SLOWEST: Duration = Duration::from_secs(15);
/// Time between two requests of one greedy caller that was refused.
const RETRY: Duration = Duration::from_secs(1);

fn paced(plan: Plan, bank: &CountingBank) -> Gateway {
    plan.with("CEP_BANK_URL", &bank.url)
        .with("CEP_BANK_BUDGET", BUDGET)
        .start()
}

/// Asks for a proof; every number is another transfer.
async fn ask(gateway: &Gateway, key: &Key, number: u32) -> Response {
    gateway.post("xml", key, &request(number, "10.00")).await
}

/// Keeps 200 requests of a key going.
async fn be_greedy(gateways: &[Gateway], key: &Key) {
    let callers = (0..GREEDY).map(|caller| async move {
        let gateway = &gateways[caller as usize % gateways.len()];
        let mut number = 10_000 * (caller + 1);
        loop {
            number += 1;
            if ask(gateway, key, number).await.status() != StatusCode::OK {
                tokio::time::sleep(RETRY).await;
            }
        }
    });
    let _: Vec<Infallible> = join_all(callers).await;
}

/// Six requests, one after another, of which each is served in time.
async fn six_are_served(gateways: &[Gateway], bank: &CountingBank, greedy: &Key, modest: &Key) {
    let modest = async {
        let waits = async || bank.cycles().len() >= 3;
        eventually("the greedy key waits", SLOWEST, waits).await;
        for (number, gateway) in (0..6).zip(gateways.iter().cycle()) {
            let asked = Instant::now();
            let answer = ask(gateway, modest, number).await;
            assert_eq!(answer.status(), StatusCode::OK, "{:?}", answer.text().await);
            let waited = asked.elapsed();
            assert!(waited <= SLOWEST, "request {number} took {waited:?}");
        }
    };
    // The greedy callers hang up once the six are served.
    select(pin!(modest), pin!(be_greedy(gateways, greedy))).await;
    for five in bank.cycles().windows(5) {
        let span = five[4] - five[0];
        assert!(span >= Duration::from_secs(3), "within {span:?}");
    }
}

#[tokio::test]
async fn six_of_six_requests_are_served_beside_a_greedy_key() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = paced(Plan::new(), &bank);
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let modest = member.create_key("modest", "live").await;
    let greedy = gateway.live_key();
    six_are_served(&[gateway], &bank, &greedy, &modest).await;
}

/// Keys made on the command line are one customer's, the operator's, and take turns.
#[tokio::test]
async fn six_of_six_requests_are_served_beside_a_greedy_key_at_three_replicas() {
    let Some(servers) = Servers::start() else {
        return;
    };
    let bank = CountingBank::start(Duration::ZERO).await;
    let replicas = [(); 3].map(|()| paced(plan(&servers), &bank));
    let [greedy, modest] = [(); 2].map(|()| replicas[0].live_key());
    six_are_served(&replicas, &bank, &greedy, &modest).await;
}

/// Longest time that a request of a `test` key takes, of which all succeed.
pub(crate) async fn slowest_of_fifty(gateway: &Gateway, key: &Key) -> Duration {
    let mut slowest = Duration::ZERO;
    for number in 0..50 {
        let asked = Instant::now();
        assert_eq!(ask(gateway, key, number).await.status(), StatusCode::OK);
        slowest = slowest.max(asked.elapsed());
    }
    slowest
}

#[tokio::test]
async fn a_bank_that_hangs_delays_no_other_key_and_its_lookups_fail_at_once() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let patience = Duration::from_secs(5);
    let plan = Plan::new().with("CEP_BANK_TIMEOUT", patience.as_secs());
    let gateway = bank.known_to(plan).start();
    let [greedy, live] = [(); 2].map(|()| gateway.live_key());
    let test = gateway.roomy_key();
    assert_eq!(ask(&gateway, &live, 1).await.status(), StatusCode::OK);
    bank.hang();
    let asked = Instant::now();
    let hanging = join_all((100..200).map(|number| ask(&gateway, &greedy, number)));
    let others = async {
        let slowest = slowest_of_fifty(&gateway, &test).await;
        assert!(slowest < patience / 2, "{slowest:?}");
        let answer = ask(&gateway, &live, 1).await;
        assert_eq!(answer.status(), StatusCode::OK, "it is in memory");
    };
    let (answers, ()) = join(hanging, others).await;
    let mut refused = 0;
    for answer in answers {
        if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
            let body = json_of(answer, 503).await;
            assert_eq!(body["error"], "BANK_THROTTLED", "{body}");
            refused += 1;
        } else {
            assert_eq!(answer.status(), StatusCode::GATEWAY_TIMEOUT);
        }
    }
    // A key has 64 lookups under way. On a busy machine more than sixteen may wait for their turns as well.
    assert!((100 - 64..100).contains(&refused), "{refused} were refused");
    assert!(asked.elapsed() >= patience);

    // The circuit is open: nobody waits for the timeout, but for who probes.
    let asked = Instant::now();
    let probes =
        (200..203).map(async |number| (ask(&gateway, &live, number).await, asked.elapsed()));
    let mut at_once = 0;
    for (answer, waited) in join_all(probes).await {
        if waited < patience / 2 {
            assert!(answer.headers().contains_key("retry-after"));
            let body = json_of(answer, 503).await;
            assert_eq!(body["error"], "BANK_UNAVAILABLE");
            at_once += 1;
        }
    }
    assert!(at_once >= 2, "{at_once} failed at once");

    bank.answer();
    let is_served = async || ask(&gateway, &live, 300).await.status() == StatusCode::OK;
    eventually("lookups are served again", 6 * patience, is_served).await;
}
