//! Replicas: what one does is heard by the others, and goes on when it dies.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use testkit::redis::Redis;

use super::{all_delivered, begin_many, begun, create, read};
use crate::fleet::Fleet;
use crate::gateway::{CountingBank, Gateway, Key, eventually, json_of, soon};

/// Longest time until a change is heard of, or work begins, on another replica.
const AT_ONCE: TimeDelta = TimeDelta::seconds(1);
/// A lease, and room for a busy machine.
const LEASE_AND_WORK: Duration = Duration::from_secs(45);

/// Time by this machine's clock, which the replicas have too.
#[expect(clippy::disallowed_methods, reason = "as a program beside us does")]
pub(super) fn now() -> DateTime<Utc> {
    Utc::now()
}

/// Replicas that make so many attempts at once.
fn fleet(bank: &CountingBank, workers: [u32; 3]) -> Option<(Redis, Fleet)> {
    Fleet::on_redis(3, |number, plan| {
        bank.known_to(plan).with("CEP_WORKERS", workers[number])
    })
}

/// Waits for a state of a lookup, and returns the time between the change and the answer.
async fn heard_of(gateway: &Gateway, key: &Key, id: &str, state: &str) -> TimeDelta {
    let path = format!("{id}?wait=25");
    loop {
        let lookup = json_of(read(gateway, key, &path).await, 200).await;
        if lookup["state"] == state {
            return now() - instant(&lookup["updated_at"]);
        }
    }
}

fn instant(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_of_all_replicas_hear_within_a_second_of_a_change_on_another_one() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let Some((_redis, fleet)) = fleet(&bank, [0, 0, 4]) else {
        return;
    };
    let [front, second, worker] = [0, 1, 2].map(|number| &fleet.replicas[number]);
    let key = front.live_key();
    for number in 0..5 {
        bank.hang();
        let asked = bank.cycles().len();
        let created = Instant::now();
        let id = begun(create(front, &key, number, "wait=0").await).await;
        let at_bank = async || bank.cycles().len() > asked;
        soon("work begins", at_bank).await;
        let begun = TimeDelta::from_std(created.elapsed()).unwrap();
        let heard = async |gateway| heard_of(gateway, &key, &id, "delivered").await;
        let (one, two, three, ()) =
            tokio::join!(heard(front), heard(second), heard(worker), async {
                bank.answer();
            });
        for late in [begun, one, two, three] {
            assert!(late < AT_ONCE, "{late}");
        }
    }
    assert_eq!(bank.cycles().len(), 5);
    assert_eq!(fleet.charged(&key), 5, "each was charged once");
}

#[tokio::test(flavor = "multi_thread")]
async fn others_go_on_with_the_lookups_of_a_killed_replica() {
    const LOOKUPS: u32 = 9;
    let bank = CountingBank::start(Duration::ZERO).await;
    // A quarter is kept for callers who wait, so each makes three attempts for those who don't.
    let Some((_redis, mut fleet)) = fleet(&bank, [4; 3]) else {
        return;
    };
    let key = fleet.replicas[0].live_key();
    bank.hang();
    let ids = begin_many(&fleet.replicas[0], &key, 0..LOOKUPS).await;
    let at_bank = async || bank.cycles().len() == LOOKUPS as usize;
    eventually("all are at the bank", Duration::from_secs(30), at_bank).await;
    fleet.replicas.pop().unwrap().kill();
    let killed = Instant::now();
    bank.answer();
    all_delivered(&fleet.replicas[0], &key, &ids).await;
    let took = killed.elapsed();
    assert!(took < LEASE_AND_WORK, "{took:?}");
    let all = u64::from(LOOKUPS);
    assert_eq!(fleet.charged(&key), all, "each was charged once");
    // Those of the killed one were asked for once more, and no others.
    assert_eq!(bank.cycles().len(), LOOKUPS as usize + 3);
    let attempts = "select count(*) from lookup_attempts";
    assert_eq!(fleet.database.number(attempts), all);
}
