//! Two replicas under load, and the invariants that hold whatever happens to their Redis.

use std::time::{Duration, Instant};

use super::proxy::Proxy;
use crate::fleet::{Fleet, RECOVERY};
use crate::gateway::{Key, eventually, soon};
use crate::load::{self, Asker, most_in_a_minute, question};

const REPLICAS: usize = 2;
/// Requests a minute of the slow key.
const LIMIT: usize = 30;
/// Requests a month of the scarce key.
const QUOTA: usize = 600;
/// Pause between an answer and the next request.
const PACE: Duration = Duration::from_millis(25);
/// Calls whose answer was lost may have counted: so many at most, of one key. Each replica makes
/// three in a row before its breaker opens, some at the same time, and one for each probe.
const LOST_CALLS: usize = 16;
/// Entries that journals had taken and not written yet when the month was read from the database:
/// the requests of one key in flight.
const IN_FLIGHT: usize = REPLICAS;

/// Allowed effects of a fault.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise {
    /// Number of times that the replicas use their local fallback for a while.
    pub(super) fallbacks: usize,
    /// Number of times that Redis loses the minute's window.
    pub(super) windows_lost: usize,
}

/// Purpose of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Reaches the minute's limit.
    Slow,
    /// Reaches the month's quota, but not before the end.
    Scarce,
    /// Revoked before anything happens.
    Revoked,
    /// Revoked in the middle of it.
    Late,
}

/// Replicas behind a proxy, and their keys.
pub(super) struct Scene {
    pub(super) fleet: Fleet,
    pub(super) proxy: Proxy,
    keys: [(Role, Key); 4],
    late_revoked: Option<Instant>,
}

/// Requests with all keys to all replicas, until it is stopped.
pub(super) type Load = load::Load<Role>;

impl Scene {
    /// Starts replicas on a Redis at this port, with this timeout in milliseconds; `None`, after
    /// printing it, where PostgreSQL isn't installed.
    pub(super) async fn start(redis: u16, patience: &str) -> Option<Self> {
        let proxy = Proxy::to(redis);
        let fleet = Fleet::start(REPLICAS, |_, plan| {
            plan.with("CEP_REDIS_URL", proxy.url())
                .with("CEP_REDIS_TIMEOUT", patience)
        })?;
        let gateway = &fleet.replicas[0];
        let (limit, quota) = (LIMIT.to_string(), QUOTA.to_string());
        let slow = gateway.key(&["--per-minute", &limit, "--no-cap"]);
        let scarce = gateway.key(&["--per-minute", "100000", "--monthly-quota", &quota]);
        let keys = [
            (Role::Slow, slow),
            (Role::Scarce, scarce),
            (Role::Revoked, gateway.roomy_key()),
            (Role::Late, gateway.roomy_key()),
        ];
        let scene = Self {
            fleet,
            proxy,
            keys,
            late_revoked: None,
        };
        for role in [Role::Revoked, Role::Late] {
            let answers = scene.fleet.ask(scene.key(role), REPLICAS).await;
            assert!(answers.iter().all(|answer| answer.status == 200));
        }
        scene.revoke(Role::Revoked);
        Some(scene)
    }

    fn key(&self, role: Role) -> &Key {
        let mut keys = self.keys.iter();
        &keys.find(|(found, _)| *found == role).unwrap().1
    }

    fn revoke(&self, role: Role) {
        self.fleet.replicas[1].revoke(self.key(role));
    }

    /// Revokes a key that is in use: it is refused from the answer on, whether Redis could be
    /// reached or not. The load goes on.
    pub(super) async fn revoke_late_key(&mut self, load: &Load) {
        self.revoke(Role::Late);
        self.late_revoked = Some(Instant::now());
        load.goes_on().await;
    }

    /// Waits until `/readyz` of each replica reports this state of its limiter.
    pub(super) async fn all_become(&self, state: &str) {
        eventually(state, RECOVERY, async || self.fleet.all_are(state).await).await;
    }

    /// One asker for each key at each replica, each of which has had some answers.
    pub(super) async fn load(&self) -> Load {
        let askers = self.keys.iter().flat_map(|(role, key)| {
            let replicas = self.fleet.replicas.iter();
            replicas.map(|gateway| (*role, Asker::new(gateway), question(key)))
        });
        let load = Load::start(askers, PACE);
        load.goes_on().await;
        load
    }

    /// Ends the load, checks the promise for all answers, and uses up the rest of the quota.
    pub(super) async fn holds(&self, load: Load, promise: Promise) {
        let answers = load.stopped().await;
        let of = |role: Role| {
            let answers = answers.iter().filter(move |(found, _)| *found == role);
            answers.map(|(_, answer)| answer)
        };
        let admitted = |role| of(role).filter(|answer| answer.status == 200);

        let change = promise.fallbacks * LIMIT.max(REPLICAS);
        let bound = LIMIT * (1 + promise.windows_lost) + change;
        let most = most_in_a_minute(admitted(Role::Slow).map(|answer| answer.received));
        assert!((LIMIT..=bound).contains(&most), "{most} in a minute");

        let revoked = self.late_revoked.unwrap();
        let late = of(Role::Late);
        let (before, after): (Vec<_>, Vec<_>) = late.partition(|answer| answer.sent <= revoked);
        assert!(before.iter().any(|answer| answer.status == 200));
        assert!(!after.is_empty(), "nobody asked with the late key");
        for answer in of(Role::Revoked).chain(after) {
            assert_eq!(answer.status, 401, "a revoked key: {answer:?}");
        }

        // A request that Redis fails is decided by the replica itself: no caller sees a failure.
        for (_, answer) in &answers {
            assert!(answer.status < 500, "{answer:?}");
        }

        self.month_is_exact(admitted(Role::Scarce).count(), promise)
            .await;
    }

    async fn month_is_exact(&self, mut admitted: usize, promise: Promise) {
        let key = self.key(Role::Scarce);
        loop {
            let answers = self.fleet.ask(key, 10 * REPLICAS).await;
            let more = answers.iter().filter(|answer| answer.status == 200).count();
            admitted += more;
            if more == 0 {
                let is_used_up = answers.iter().all(|answer| answer.status == 402);
                assert!(is_used_up, "{answers:?}");
                break;
            }
        }
        let lost = promise.fallbacks * LOST_CALLS;
        let late = (promise.fallbacks + promise.windows_lost) * IN_FLIGHT;
        let bounds = QUOTA - lost..=QUOTA + late;
        assert!(bounds.contains(&admitted), "{admitted} of {bounds:?}");
        let has_it = async || self.fleet.charged(key) >= u64::try_from(admitted).unwrap();
        soon("the database has it", has_it).await;
    }
}

impl Load {
    /// Waits until each asker has had some more answers; enough for the slow key to reach its
    /// limit.
    pub(super) async fn goes_on(&self) {
        self.goes_on_for(LIMIT).await;
    }

    /// Waits until each asker has had about so many more answers.
    pub(super) async fn goes_on_for(&self, answers: usize) {
        let more = answers * self.askers();
        self.goes_on_by(more, |_| true, RECOVERY).await;
    }
}
