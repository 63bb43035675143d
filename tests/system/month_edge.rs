//! The end of a month, on replicas whose clocks are minutes apart: Redis decides which month it is,
//! each month's quota is available once, and no month comes back.

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use std::time::Duration;
use testkit::redis::Redis;

use crate::clock::Clock;
use crate::fleet::{Fleet, on};
use crate::gateway::{Key, json_of, request, soon};
use crate::load::{Answer, Asker, question};

const QUOTA: usize = 40;
/// The replicas' clocks, in minutes ahead of Redis'.
const SKEWS: [i64; 3] = [3, 0, -3];
/// The new month's whole length in seconds: December's.
const DECEMBER: u64 = 31 * 86_400;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Sends requests to each replica at the same time until each of them reports that the quota is
/// used up.
async fn until_used_up(fleet: &Fleet, key: &Key) -> Vec<Answer> {
    let is_refused = |answers: &[Answer]| answers.last().is_some_and(|it| it.status == 402);
    ask_until(fleet, key, is_refused).await.concat()
}

/// Sends requests to each replica at the same time until its answers are enough.
async fn ask_until(
    fleet: &Fleet,
    key: &Key,
    are_enough: impl Fn(&[Answer]) -> bool,
) -> Vec<Vec<Answer>> {
    let question = question(key);
    join_all(fleet.replicas.iter().map(async |gateway| {
        let mut asker = Asker::new(gateway);
        let mut answers = Vec::new();
        while !are_enough(&answers) {
            answers.push(asker.ask(&question).await.unwrap());
        }
        answers
    }))
    .await
}

/// The seconds to the end of the month.
fn reset(answer: &Answer) -> u64 {
    answer.month().unwrap().1
}

fn admitted(answers: &[Answer]) -> usize {
    answers.iter().filter(|answer| answer.status == 200).count()
}

/// The end of the month by each replica when the quota is used up.
async fn ends(fleet: &Fleet, key: &Key) -> Vec<String> {
    join_all(fleet.replicas.iter().map(async |gateway| {
        let answer = gateway.post("xml", key, &request(1, "10.00")).await;
        let body = json_of(answer, 402).await;
        assert_eq!(body["details"]["used"], QUOTA, "{body}");
        body["details"]["reset_at"].as_str().unwrap().to_owned()
    }))
    .await
}

/// A key's charged requests of one month (`YYYYMM`) in the database.
fn use_of(fleet: &Fleet, key: &Key, month: u32) -> usize {
    let charged = fleet.charged_where(key, &format!("month = {month}"));
    usize::try_from(charged).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_month_ends_once_whatever_the_replicas_clocks_say() {
    let clock = Clock::at(at("2026-11-30T23:30:00Z"));
    let Some(redis) = Redis::start_with(&[], &clock.variables(TimeDelta::zero())) else {
        return;
    };
    let planned = |number: usize, plan| {
        let skewed = clock.variables(TimeDelta::minutes(SKEWS[number]));
        on(plan, redis.url()).with_all(skewed)
    };
    let Some(fleet) = Fleet::start(3, planned) else {
        return;
    };
    let maker = &fleet.replicas[1];
    let quota = QUOTA.to_string();
    let scarce = maker.key(&["--per-minute", "100000", "--monthly-quota", &quota]);
    let ample = maker.key(&["--per-minute", "100000", "--monthly-quota", "100000"]);
    // The replica ahead is the first to hydrate the key.
    let first = fleet.ask(&scarce, 1).await;
    let (left, to_end) = first[0].month().unwrap();
    assert_eq!(left, QUOTA as u64 - 1);
    assert!((1_700..=1_800).contains(&to_end), "{first:?}");

    // Seconds before the end: one replica is in December for minutes already.
    clock.set(at("2026-11-30T23:59:54Z"));
    let november = until_used_up(&fleet, &scarce).await;
    assert_eq!(1 + admitted(&november), QUOTA);
    for answer in november.iter().filter(|answer| answer.status == 200) {
        assert!(reset(answer) <= 6, "{answer:?}");
    }
    assert_eq!(ends(&fleet, &scarce).await, ["2026-12-01T00:00:00Z"; 3]);

    // Across the end, at every millisecond of it.
    let again = async {
        let begun = tokio::time::Instant::now();
        loop {
            let answers = until_used_up(&fleet, &scarce).await;
            if admitted(&answers) > 0 {
                return answers;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "no new month");
        }
    };
    let is_new = |answer: &&Answer| reset(answer) > 6;
    let are_enough = |answers: &[Answer]| answers.iter().filter(is_new).count() >= 20;
    let (again, across) = tokio::join!(again, ask_until(&fleet, &ample, are_enough));
    assert_eq!(admitted(&again), QUOTA, "the new month's quota, once");
    assert_eq!(ends(&fleet, &scarce).await, ["2027-01-01T00:00:00Z"; 3]);
    for answers in &across {
        assert_eq!(admitted(answers), answers.len(), "{answers:?}");
        let edge = answers.iter().position(|answer| is_new(&answer)).unwrap();
        assert!(edge > 0, "it began before the end");
        for answer in &answers[edge..] {
            let is_december = (DECEMBER - 60..=DECEMBER).contains(&reset(answer));
            assert!(is_december, "{answer:?}");
        }
    }

    // The database has as many as were answered, month by month.
    soon("it is written", async || {
        let answered: usize = across.iter().map(Vec::len).sum();
        use_of(&fleet, &ample, 202_611) + use_of(&fleet, &ample, 202_612) == answered
    })
    .await;
    for month in [202_611, 202_612] {
        assert_eq!(use_of(&fleet, &scarce, month), QUOTA, "{month}");
        assert!(use_of(&fleet, &ample, month) > 0, "{month}");
    }
    // Redis loses everything, and the replica that is behind, in November still, hydrates it.
    redis.tell(&["FLUSHALL"]);
    let late = fleet.replicas[2]
        .post("xml", &scarce, &request(1, "10.00"))
        .await;
    assert_eq!(late.status(), 402);
    assert_eq!(ends(&fleet, &scarce).await, ["2027-01-01T00:00:00Z"; 3]);
}
