//! Lookups in SQLite beside those of the fake.

use crate::both::lookups::assert_any_sequence_agrees;
use crate::sqlite::support::Folder;

#[test]
fn any_sequence_of_operations_is_answered_as_by_the_fake() {
    assert_any_sequence_agrees(32, Folder::new);
}
