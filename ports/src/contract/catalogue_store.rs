//! Contract of the store of the catalogue.

use chrono::{DateTime, Days, TimeDelta, Utc};
use domain::participants::Catalogue;

use super::fixture::noon;
use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::{CatalogueVersion, RenewalClaim};

cases! {
    $ catalogue_store(Pair)
    self::a_stored_catalogue_is_everybodys,
    self::of_many_concurrent_catalogues_one_is_stored,
    self::a_renewal_is_claimed_once_when_it_is_due,
    self::a_renewal_is_due_when_it_was_scheduled,
}

/// The embedded catalogue as that of a later day, without its last participants.
fn catalogue(days: u64) -> Catalogue {
    let embedded = Catalogue::embedded();
    let as_of = embedded.as_of() + Days::new(days);
    let csv = embedded.to_csv();
    let kept = csv.lines().count() - usize::try_from(days).expect("a few days");
    let csv: Vec<_> = csv.lines().take(kept).collect();
    Catalogue::from_csv(&csv.join("\n"), as_of).expect("the catalogue is sound")
}

async fn claim(stores: &Stores, now: DateTime<Utc>, next: DateTime<Utc>) -> RenewalClaim {
    ok(stores.catalogues.claim_renewal(now, next)).await
}

async fn a_stored_catalogue_is_everybodys(Pair { here, elsewhere }: Pair) {
    let mut version = CatalogueVersion(0);
    let mut current = None;
    for next in [catalogue(1), catalogue(2)] {
        for stores in [&here, &elsewhere] {
            assert_eq!(ok(stores.catalogues.catalogue_version()).await, version);
            let stored = ok(stores.catalogues.catalogue()).await;
            assert_eq!(stored, (version, current.clone()));
        }
        let newer = ok(here.catalogues.replace_catalogue(version, &next)).await;
        let newer = newer.expect("nobody else stored");
        assert!(newer > version);
        (version, current) = (newer, Some(next));
    }
    let stored = ok(elsewhere.catalogues.catalogue()).await;
    assert_eq!(stored, (version, current));
}

async fn of_many_concurrent_catalogues_one_is_stored(pair: Pair) {
    let catalogues: Vec<_> = (1..=10).map(catalogue).collect();
    let replace = async |stores: &Stores, catalogue| {
        let first = CatalogueVersion(0);
        ok(stores.catalogues.replace_catalogue(first, catalogue)).await
    };
    let stored = pair.at_once(&catalogues, replace).await;
    assert_eq!(stored.iter().flatten().count(), 1, "{stored:?}");
    let winner = stored.iter().position(Option::is_some).expect("one");
    let (_, now_stored) = ok(pair.here.catalogues.catalogue()).await;
    assert_eq!(now_stored.as_ref(), Some(&catalogues[winner]));
}

async fn a_renewal_is_claimed_once_when_it_is_due(pair: Pair) {
    let hour = TimeDelta::hours(1);
    let due = noon() + hour;
    assert_eq!(claim(&pair.here, noon(), due).await, RenewalClaim::NotDue);
    let early = due - TimeDelta::milliseconds(1);
    let claimed = claim(&pair.elsewhere, early, early + hour).await;
    assert_eq!(claimed, RenewalClaim::NotDue);
    for due in [due, due + hour] {
        let is_granted = async |stores: &Stores, _| {
            claim(stores, due, due + hour).await == RenewalClaim::Granted
        };
        assert_eq!(pair.succeeding(0..20, is_granted).await, 1);
    }
}

async fn a_renewal_is_due_when_it_was_scheduled(Pair { here, elsewhere }: Pair) {
    let day = TimeDelta::days(1);
    for due in [noon() + day, noon()] {
        ok(here.catalogues.schedule_renewal(due)).await;
        let early = due - TimeDelta::milliseconds(1);
        for (at, expected) in [(early, RenewalClaim::NotDue), (due, RenewalClaim::Granted)] {
            assert_eq!(claim(&elsewhere, at, due + day).await, expected);
        }
    }
}
