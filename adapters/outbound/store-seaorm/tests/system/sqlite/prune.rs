//! Rows whose retention has ended are removed, and no others.

use chrono::{DateTime, TimeDelta, Utc};
use domain::keys::KeyId;
use domain::outcome::Outcome;
use domain::proofs::archive::ArchiveIndex;
use domain::proofs::seen::ProofMark;
use ports::contract::fixture::{customer, lookup_of, record};
use ports::outbound::{
    ArchivedProof, ClaimedClasses, DenyList, Fingerprint, LookupStore, ProofArchive, RequestEntry,
    SeenProofs, UsageJournal,
};
use store_seaorm::{Journal, Pruned, Retention, StoreOptions};

use crate::both::entries::{
    add_key, admission, claim_end, delivery, endless, journal, lease, now, request, used,
};
use crate::sqlite::support::{Folder, with_journal};

fn requests_before(instant: DateTime<Utc>) -> Retention {
    Retention {
        requests_before: instant,
        ..endless()
    }
}

/// Writes one request an hour until noon.
async fn conclude_hourly(writer: &Journal, key: KeyId, requests: u16) {
    for hours in 0..requests {
        writer.conclude(RequestEntry {
            at: now() - TimeDelta::hours(hours.into()),
            ..request(hours.into(), key, Outcome::Delivered)
        });
    }
    writer.close().await.unwrap();
}

#[tokio::test]
async fn old_requests_are_pruned_and_counts_are_not() {
    let (folder, _store, key, writer) = with_journal(StoreOptions::default()).await;
    writer.admit(admission(key)).await.unwrap();
    for id in 1..=2_500 {
        let mut old = request(id, key, Outcome::Delivered);
        old.at -= TimeDelta::milliseconds(1);
        writer.conclude(old);
    }
    writer.conclude(request(2_501, key, Outcome::Delivered));
    writer.close().await.unwrap();
    let store = folder.open().await;
    let pruned = |requests| Pruned {
        requests,
        ..Pruned::default()
    };
    let old = requests_before(now());
    assert_eq!(store.prune(old).await.unwrap(), pruned(2_500));
    assert_eq!(store.prune(old).await.unwrap(), pruned(0));
    let kept = folder.requests().await;
    assert!(matches!(&kept[..], [kept] if kept.at == now()));
    assert_eq!(used(&store, key).await, (1, 0));
    let counted = "SELECT SUM(requests) FROM usage_hours";
    assert_eq!(folder.number(counted).await, 2_501);
    let marks = "SELECT COUNT(*) FROM journal_marks";
    assert_eq!(folder.number(marks).await, 1);
    let all = requests_before(now() + TimeDelta::days(1));
    assert_eq!(store.prune(all).await.unwrap(), pruned(1));
    assert_eq!(folder.number(marks).await, 0);
}

#[tokio::test]
async fn use_is_pruned_once_its_hour_and_its_day_are_over() {
    let (folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    // From 48 hours before noon until noon.
    conclude_hourly(&writer, key, 49).await;
    let pruned = async |usage_before| {
        let over = Retention {
            usage_before,
            ..endless()
        };
        store.prune(over).await.unwrap().usage
    };
    // 24 hours before noon, less a moment: the hour that ends then isn't over, and the day before
    // yesterday is.
    let yesterday = now() - TimeDelta::hours(24);
    assert_eq!(pruned(yesterday - TimeDelta::milliseconds(1)).await, 23 + 1);
    assert_eq!(pruned(yesterday).await, 1);
    for (table, kept) in [("usage_hours", 25), ("customer_usage_days", 2)] {
        let rows = format!("SELECT COUNT(*) FROM {table}");
        assert_eq!(folder.number(&rows).await, kept, "{table}");
    }
    let old = requests_before(now() - TimeDelta::days(30));
    assert_eq!(store.prune(old).await.unwrap(), Pruned::default());
}

#[tokio::test]
async fn a_proof_is_kept_as_long_as_use_since_its_last_delivery() {
    let (_folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    let [old, repeated] = [1, 2].map(|number| ProofMark([number; 32]));
    let earlier = now() - TimeDelta::days(1);
    for (number, mark, at) in [
        (1, old, earlier),
        (2, repeated, earlier),
        (3, repeated, now()),
    ] {
        writer.conclude(RequestEntry {
            delivered: vec![mark],
            at,
            ..request(number, key, Outcome::Delivered)
        });
    }
    writer.close().await.unwrap();
    let over = Retention {
        usage_before: now(),
        ..endless()
    };
    assert_eq!(store.prune(over).await.unwrap().seen_proofs, 1);
    let of = customer(1).id;
    assert_eq!(store.deliveries(of, &[old]).await.unwrap().times, 0);
    let kept = store.deliveries(of, &[repeated]).await.unwrap();
    assert_eq!((kept.times, kept.first), (2, Some(earlier)));
}

#[tokio::test]
async fn archived_proofs_are_pruned_by_their_own_retention() {
    let folder = Folder::new();
    let store = folder.open().await;
    for (number, at) in [(1, now() - TimeDelta::milliseconds(1)), (2, now())] {
        let proof = ArchivedProof {
            index: ArchiveIndex([number; 32]),
            content: vec![number],
        };
        store.archive_proof(&proof, at).await.unwrap();
    }
    let over = Retention {
        archived_before: now(),
        ..endless()
    };
    assert_eq!(store.prune(over).await.unwrap().archived, 1);
    assert_eq!(folder.number("SELECT size FROM proof_archive").await, 1);
}

#[tokio::test]
async fn lookups_are_pruned_by_their_own_retention_with_their_attempts() {
    let folder = Folder::new();
    let store = folder.open().await;
    let key = record(1).key;
    let lease = lease(1);
    // More than one statement removes.
    for number in 0..1_100 {
        store.add_lookup(&lookup_of(&key, number)).await.unwrap();
    }
    let due = lookup_of(&key, 1_100).facts.created_at;
    let claimed = store.claim_lookups(1_050, ClaimedClasses::All, due, lease);
    for claimed in claimed.await.unwrap() {
        let end = claim_end(claimed.lookup.facts.id, lease, delivery(5));
        assert!(store.end_claim(&end).await.unwrap());
    }
    let pruned = async |lookups_ended_before| {
        let over = Retention {
            lookups_ended_before,
            ..endless()
        };
        store.prune(over).await.unwrap().lookups
    };
    assert_eq!(pruned(now()).await, 0);
    assert_eq!(pruned(now() + TimeDelta::days(9)).await, 1_050);
    for (table, kept) in [("lookups", 50), ("lookup_attempts", 0)] {
        let rows = format!("SELECT COUNT(*) FROM {table}");
        assert_eq!(folder.number(&rows).await, kept, "{table}");
    }
}

#[tokio::test]
async fn more_use_than_one_statement_removes_is_pruned() {
    let (_folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    conclude_hourly(&writer, key, 2_345).await;
    let all = Retention {
        usage_before: now() + TimeDelta::days(1),
        ..endless()
    };
    let days = 99;
    assert_eq!(store.prune(all).await.unwrap().usage, 2_345 + days);
}

#[tokio::test]
async fn a_denial_is_pruned_two_days_after_its_end() {
    let folder = Folder::new();
    let store = folder.open().await;
    let fingerprint = |digit: &str| Fingerprint(digit.repeat(64));
    let (early, late) = (fingerprint("a"), fingerprint("b"));
    store.deny(&early, now()).await.unwrap();
    store.deny(&late, now()).await.unwrap();
    // Denied again, for longer; and then for less, which changes nothing.
    let later = now() + TimeDelta::minutes(1);
    store.deny(&late, later).await.unwrap();
    store.deny(&late, now()).await.unwrap();
    let pruned = async |now| {
        let now = now + TimeDelta::days(2);
        let over = Retention { now, ..endless() };
        store.prune(over).await.unwrap().denials
    };
    assert_eq!(pruned(now() - TimeDelta::milliseconds(1)).await, 0);
    assert!(store.is_denied(&early).await.unwrap());
    assert_eq!(pruned(now()).await, 1);
    assert!(!store.is_denied(&early).await.unwrap());
    assert!(store.is_denied(&late).await.unwrap());
    assert_eq!(pruned(later).await, 1);
    assert!(!store.is_denied(&late).await.unwrap());
}

#[tokio::test]
async fn erasure_goes_on_from_where_it_was_or_from_the_last_requests() {
    let folder = Folder::new();
    let store = folder.open().await;
    let erasure_time = async || store.erasure_time().await.unwrap();
    assert_eq!(erasure_time().await, None);
    let key = add_key(&store, 1).await;
    journal(&folder.open().await, 1)
        .admit(admission(key))
        .await
        .unwrap();
    assert!(erasure_time().await.is_some());
    for days in [-400, -500] {
        let at = now() + TimeDelta::days(days);
        store.set_erasure_time(at).await.unwrap();
        assert_eq!(erasure_time().await, Some(at));
    }
}

#[tokio::test]
async fn a_journal_that_wrote_nothing_for_long_keeps_its_checkpoint() {
    let folder = Folder::new();
    let store = folder.open().await;
    let key = add_key(&store, 1).await;
    let (gone, writer) = (journal(&folder.open().await, 1), journal(&store, 2));
    gone.admit(admission(key)).await.unwrap();
    writer.admit(admission(key)).await.unwrap();
    let all = Retention {
        requests_before: now() + TimeDelta::days(1),
        ..endless()
    };
    store.prune(all).await.unwrap();
    let marks = folder.number("SELECT count(*) FROM journal_marks").await;
    assert_eq!(marks, 1, "of the one that is gone none is left");
    writer.admit(admission(key)).await.unwrap();
}
