//! Contract of the archive of issued proofs.

use chrono::{DateTime, TimeDelta, Utc};
use domain::proofs::archive::ArchiveIndex;

use super::journal::noon;
use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::ArchivedProof;

cases! {
    $ proof_archive(Pair)
    self::an_entry_of_any_bytes_is_read_by_every_process_until_it_is_replaced,
    self::of_many_indexes_those_are_returned_that_have_an_entry,
    self::the_entries_at_some_indexes_are_removed_and_no_others,
    self::old_entries_are_removed_and_no_others,
}

fn entry(number: u8, content: &[u8]) -> ArchivedProof {
    ArchivedProof {
        index: ArchiveIndex([number; 32]),
        content: content.to_vec(),
    }
}

impl Stores {
    async fn archive_at(&self, entry: &ArchivedProof, at: DateTime<Utc>) {
        ok(self.archive.archive_proof(entry, at)).await;
    }

    async fn archived(&self, numbers: &[u8], since: DateTime<Utc>) -> Vec<ArchivedProof> {
        let indexes: Vec<_> = numbers.iter().map(|it| ArchiveIndex([*it; 32])).collect();
        let mut found = ok(self.archive.archived_proofs(&indexes, since)).await;
        found.sort_by_key(|entry| entry.index);
        found
    }
}

async fn an_entry_of_any_bytes_is_read_by_every_process_until_it_is_replaced(under_test: Pair) {
    let Pair { here, elsewhere } = under_test;
    // A megabyte.
    let every_byte = (0..=u8::MAX).cycle().take(1 << 20);
    let first = entry(1, &every_byte.collect::<Vec<_>>());
    here.archive_at(&first, noon()).await;
    let later = noon() + TimeDelta::milliseconds(1);
    for stores in [&here, &elsewhere] {
        let found = stores.archived(&[1], noon()).await;
        assert_eq!(found, std::slice::from_ref(&first));
        assert_eq!(stores.archived(&[1], later).await, [], "it is too old");
    }
    let second = entry(1, b"content");
    elsewhere.archive_at(&second, later).await;
    assert_eq!(here.archived(&[1], later).await, [second]);
}

async fn of_many_indexes_those_are_returned_that_have_an_entry(Pair { here, .. }: Pair) {
    let (one, two) = (entry(1, b"one"), entry(2, b"two"));
    here.archive_at(&one, noon()).await;
    here.archive_at(&two, noon()).await;
    assert_eq!(here.archived(&[], noon()).await, []);
    assert_eq!(here.archived(&[3], noon()).await, []);
    let found = here.archived(&[3, 1], noon()).await;
    assert_eq!(found, std::slice::from_ref(&one));
    assert_eq!(here.archived(&[2, 3, 1], noon()).await, [one, two]);
}

async fn the_entries_at_some_indexes_are_removed_and_no_others(Pair { here, elsewhere }: Pair) {
    for number in [1, 2, 3] {
        here.archive_at(&entry(number, b"content"), noon()).await;
    }
    let indexes = [1, 3, 4].map(|number| ArchiveIndex([number; 32]));
    for gone in [&[][..], &indexes, &indexes] {
        ok(elsewhere.archive.remove_archived(gone)).await;
    }
    let kept = here.archived(&[1, 2, 3, 4], noon()).await;
    assert_eq!(kept, [entry(2, b"content")]);
}

async fn old_entries_are_removed_and_no_others(Pair { here, elsewhere }: Pair) {
    let before = noon() - TimeDelta::milliseconds(1);
    here.archive_at(&entry(1, b"old"), before).await;
    here.archive_at(&entry(2, b"new"), noon()).await;
    // Written again, so no longer old.
    here.archive_at(&entry(3, b"old"), before).await;
    here.archive_at(&entry(3, b"new"), noon()).await;
    assert_eq!(ok(elsewhere.archive.prune_archive(noon())).await, 1);
    let kept = here.archived(&[1, 2, 3], before).await;
    assert_eq!(kept, [entry(2, b"new"), entry(3, b"new")]);
}
