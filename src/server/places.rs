//! Limits how many connections are served at the same time, of all callers and of each.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use domain::limits::subscriber::subscriber;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use web::TrustedProxies;

/// One sixteenth of all places is kept, and as many connections may wait for a place.
const SHARE: usize = 16;
/// Maximum number of kept places: more than there are probes.
const MOST_KEPT: usize = 32;

/// Limits of connections at the same time.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionLimits {
    /// Connections of all callers together.
    pub(crate) all: usize,
    /// Connections of one address, or of one subscriber's IPv6 network.
    pub(crate) per_address: usize,
    /// Trusted proxies have no limit per address: all their callers' connections come from theirs.
    pub(crate) proxies: Arc<TrustedProxies>,
}

/// Places of connections.
///
/// While all others are taken, some places are kept: one for each address, so that a caller with
/// many connections can't take them. Probes come from addresses with few connections, and are
/// answered even while others wait.
pub(super) struct Places {
    limits: ConnectionLimits,
    general: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    kept: usize,
    held: Arc<Mutex<Held>>,
}

/// Places that each address holds.
#[derive(Default)]
struct Held {
    connections: HashMap<IpAddr, usize>,
    kept_places: HashSet<IpAddr>,
}

/// A connection's place; dropping it gives the place back.
#[expect(dead_code, reason = "dropping it gives the place back")]
pub(super) struct Place {
    connection: Option<CountedConnection>,
    permit: Permit,
}

#[expect(dead_code, reason = "dropping it gives the place back")]
enum Permit {
    General(OwnedSemaphorePermit),
    Kept(KeptPlace),
}

/// Result of entering: a place, or a wait for one.
pub(super) enum Entry {
    /// There is a free place.
    Admitted(Place),
    /// All places are taken; the connection may wait for one.
    Waiting(Turn),
}

/// A connection that waits for a place.
pub(super) struct Turn {
    connection: Option<CountedConnection>,
    general: Arc<Semaphore>,
    #[expect(dead_code, reason = "dropping it lets another connection wait")]
    waiting: OwnedSemaphorePermit,
}

impl Turn {
    /// Waits for a place.
    pub(super) async fn place(self) -> Place {
        let permit = self.general.acquire_owned().await;
        Place {
            connection: self.connection,
            permit: Permit::General(permit.expect("the semaphore is never closed")),
        }
    }
}

impl Places {
    pub(super) fn new(limits: ConnectionLimits) -> Self {
        let kept = (limits.all / SHARE).min(MOST_KEPT);
        Self {
            general: Arc::new(Semaphore::new(limits.all - kept)),
            waiting: Arc::new(Semaphore::new(limits.all.div_ceil(SHARE))),
            kept,
            held: Arc::default(),
            limits,
        }
    }

    /// Finds a place for a connection; `None` when it must be closed because its address has
    /// reached its limit, or too many connections wait.
    pub(super) fn enter(&self, peer: IpAddr) -> Option<Entry> {
        let connection = if self.limits.proxies.contains(peer) {
            None
        } else {
            Some(self.count(peer)?)
        };
        let general = Arc::clone(&self.general).try_acquire_owned();
        let permit = match general {
            Ok(permit) => Some(Permit::General(permit)),
            Err(_) => self.keep(peer).map(Permit::Kept),
        };
        if let Some(permit) = permit {
            return Some(Entry::Admitted(Place { connection, permit }));
        }
        let waiting = Arc::clone(&self.waiting).try_acquire_owned().ok()?;
        Some(Entry::Waiting(Turn {
            connection,
            general: Arc::clone(&self.general),
            waiting,
        }))
    }

    /// Counts a connection of an address; `None` when it has as many as it may have.
    fn count(&self, peer: IpAddr) -> Option<CountedConnection> {
        let address = subscriber(peer);
        let mut held = lock(&self.held);
        let connections = held.connections.entry(address).or_default();
        if *connections >= self.limits.per_address {
            return None;
        }
        *connections += 1;
        Some(CountedConnection {
            address,
            held: Arc::clone(&self.held),
        })
    }

    /// Takes a kept place. This machine's own probes get one even when all of them are taken.
    fn keep(&self, peer: IpAddr) -> Option<KeptPlace> {
        let address = subscriber(peer);
        let kept_places = &mut lock(&self.held).kept_places;
        let is_room = kept_places.len() < self.kept || peer.to_canonical().is_loopback();
        if !is_room || !kept_places.insert(address) {
            return None;
        }
        Some(KeptPlace {
            address,
            held: Arc::clone(&self.held),
        })
    }
}

/// A connection counted for its address until it is dropped.
struct CountedConnection {
    address: IpAddr,
    held: Arc<Mutex<Held>>,
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let connections = &mut lock(&self.held).connections;
        if let Some(count) = connections.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                connections.remove(&self.address);
            }
        }
    }
}

/// A kept place of an address, given back when it is dropped.
struct KeptPlace {
    address: IpAddr,
    held: Arc<Mutex<Held>>,
}

impl Drop for KeptPlace {
    fn drop(&mut self) {
        lock(&self.held).kept_places.remove(&self.address);
    }
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock()
        .expect("nothing panics while it holds the places")
}

#[cfg(test)]
mod tests {
    use std::iter;

    use futures::FutureExt as _;

    use super::*;

    const PROXY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    /// 64 places, of which 4 are kept, and 16 for each address.
    fn places() -> Places {
        Places::new(ConnectionLimits {
            all: 64,
            per_address: 16,
            proxies: Arc::new(TrustedProxies::new(vec!["10.0.0.1".parse().unwrap()])),
        })
    }

    fn address(host: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, host])
    }

    /// Lets a peer take as many places as it gets at once.
    fn taken_by(places: &Places, peer: IpAddr) -> Vec<Place> {
        let entries = iter::from_fn(|| places.enter(peer));
        let admitted = entries.map_while(|entry| match entry {
            Entry::Admitted(place) => Some(place),
            Entry::Waiting(_) => None,
        });
        admitted.collect()
    }

    #[test]
    fn an_address_has_its_share_and_leaves_the_rest_to_others() {
        let places = places();
        let one = taken_by(&places, address(1));
        assert_eq!(one.len(), 16);
        assert!(places.enter(address(1)).is_none());
        assert_eq!(taken_by(&places, address(2)).len(), 16);
        drop(one);
        assert_eq!(taken_by(&places, address(1)).len(), 16);
        assert!(lock(&places.held).connections.is_empty());
    }

    #[test]
    fn the_addresses_of_an_ipv6_subscriber_share_theirs() {
        let places = places();
        let hosts = (1..=100).map(|host| format!("2001:db8::{host:x}").parse().unwrap());
        let admitted: Vec<_> = hosts.filter_map(|host| places.enter(host)).collect();
        assert_eq!(admitted.len(), 16);
    }

    #[test]
    fn a_trusted_proxy_may_take_all_places_but_those_that_are_kept() {
        let places = places();
        let general = taken_by(&places, PROXY);
        assert_eq!(general.len(), 60 + 1, "and one of the kept ones");
        for host in 1..=3 {
            let probe = taken_by(&places, address(host));
            assert_eq!(probe.len(), 1, "one of the kept ones");
        }
    }

    #[test]
    fn addresses_that_hold_the_kept_places_leave_this_machine_its_own() {
        let places = places();
        let _general = taken_by(&places, PROXY);
        let others: Vec<_> = (1..=10)
            .flat_map(|host| taken_by(&places, address(host)))
            .collect();
        assert_eq!(others.len(), 3);
        assert_eq!(taken_by(&places, "127.0.0.1".parse().unwrap()).len(), 1);
        assert_eq!(taken_by(&places, "::1".parse().unwrap()).len(), 1);
    }

    #[tokio::test]
    async fn a_connection_without_a_place_waits_for_one_and_not_too_many_do() {
        let places = places();
        let mut general = taken_by(&places, PROXY);
        let entries = iter::from_fn(|| places.enter(PROXY));
        let turns: Vec<_> = entries
            .map(|entry| match entry {
                Entry::Waiting(turn) => Box::pin(turn.place()),
                Entry::Admitted(_) => panic!("there was a place"),
            })
            .collect();
        assert_eq!(turns.len(), 4);
        let mut turns = turns.into_iter();
        let mut first = turns.next().unwrap();
        assert!(first.as_mut().now_or_never().is_none());
        general.remove(0);
        let _place = first.now_or_never().expect("a place is free");
        assert!(matches!(places.enter(PROXY), Some(Entry::Waiting(_))));
    }
}
